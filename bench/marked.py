"""Give the training pairs of a rendered set their exact clocks, as if somebody had marked what both takes show.

    python bench/marked.py SET OUT [--apart 40]

A set's own clock is scaled length, which free tempo makes wrong by seconds. OUT gets a `pairs.csv` of SET's training
and validation pairs whose clocks are those of `truth/`; the videos stay where they are. The last `--apart` training
pairs go into OUT/apart/pairs.csv: for what is fitted after the embedding, on pairs it did not learn from. Test pairs
are never written.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from pathlib import Path

import tyro
from tyro.conf import Positional

from actor_observer.errors import UserError
from actor_observer.evaluation.measures.exact_truth import find_truth
from actor_observer.pairs import Manifest, Pair, read_manifest

COLUMNS = ("id", "third", "first", "subject", "script", "clock", "split")


def main(data: Positional[Path], out: Positional[Path], apart: int = 40) -> None:
    manifest, truth = read_manifest(data), find_truth(data)
    if truth is None:
        raise UserError(f"{data}: no truth/ beside it, so no exact clocks")
    learned, held = (
        [pair for pair in truth.exact(manifest.of(split).pairs) if pair.same_person]
        for split in ("train", "validation")
    )
    if not 0 <= apart < len(learned):
        raise UserError(f"{data}: {len(learned)} training pairs; --apart leaves none of them")
    cut = len(learned) - apart
    write(out, manifest, [*learned[:cut], *held])
    write(out / "apart", manifest, learned[cut:])
    print(f"{out}: {cut} training, {len(held)} validation pairs; {out / 'apart'}: {apart}")


def write(folder: Path, manifest: Manifest, pairs: Sequence[Pair]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "pairs.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(COLUMNS)
        for pair in pairs:
            third, first = manifest.takes[pair.third], manifest.takes[pair.first]
            paths = [os.path.relpath(take.path, folder.resolve()) for take in (third, first)]
            table.writerow([pair.id, *paths, third.subject, third.script, pair.clock, third.split])


if __name__ == "__main__":
    tyro.cli(main)

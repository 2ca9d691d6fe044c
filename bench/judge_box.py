"""The box as it comes on a set with exact clocks, beside rules that do not look.

    python bench/judge_box.py [DATA] [--splits validation train] [--look-rate 2] [--write]

Nothing learns and nothing is fitted, so it takes a minute or two. By default the validation pairs of the
small set, of people and homes that the box has not seen, and its training pairs, whose homes and people it knows from
other performances. `--write` writes the section "small-box" of
docs/results/small-set.md, and figures of the first split into docs/figures.json.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import torch
import tyro
from tyro.conf import Positional

from actor_observer import load
from actor_observer.errors import UserError
from actor_observer.evaluation.measures.exact_truth import find_truth
from actor_observer.evaluation.tables.layout import Figures, as_markdown
from actor_observer.features import FeatureCache, Look, embed_features
from actor_observer.pairs import read_manifest
from actor_observer.pairs.manifest import Split
from actor_observer.playhouse import MINI
from page import write_section
from small_folds import AS_IT_COMES, BOXED, exact, keep_all, table_of

ABOUT = (
    "Validation pairs are of people and homes that it has not seen; training pairs are of the people and homes that it "
    "learned from, in other performances."
)
JUDGED = 5  # columns of the table that judge a row by itself


def main(
    data: Positional[Path] = MINI,
    splits: tuple[Split, ...] = ("validation", "train"),
    look_rate: float = 2.0,
    cache: Path | None = None,
    write: bool = False,
) -> None:
    torch.set_num_threads(1)
    truth, box, store = find_truth(data), load(), FeatureCache(cache)
    if truth is None:
        raise UserError(f"{data}: no truth/ beside it, so no exact clocks")
    manifest, tables = exact(read_manifest(data), truth), list[Figures]()
    for split in splits:
        pairs = tuple(pair for pair in manifest.of(split).pairs if pair.same_person)
        takes = {id: manifest.takes[id] for pair in pairs for id in (pair.third, pair.first)}
        look = Look.of_network(box.config, look_rate)
        phi, _ = store.features(box.config.backbone, box.backbone, takes.values(), look)
        found = {BOXED: phi, AS_IT_COMES: embed_features(box, phi)}
        table = table_of(found, replace(manifest, pairs=pairs, takes=takes), f"{len(pairs)} {split} pairs")
        rows = {name: cells[:JUDGED] for name, cells in table.rows.items()}  # the rest compares with what learned
        tables.append(replace(table, columns=table.columns[:JUDGED], rows=rows))
        print(as_markdown(tables[-1]), end="\n\n", flush=True)
    if write:
        command = f"python bench/judge_box.py --splits {' '.join(splits)} --look-rate {look_rate:g} --write"
        text = "\n\n".join(["## The box as it comes", ABOUT, *map(as_markdown, tables)])
        write_section("small-box", text, command)
        keep_all(tables[0], command, "small")


if __name__ == "__main__":
    tyro.cli(main)

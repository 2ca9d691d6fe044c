"""What a rule gets that does not look: both videos in proportion, from start to end, without a pixel.

    python bench/proportion.py DATA [--split validation] [--keep NAME]     # any data set with clocks, or marks
    python bench/proportion.py --pairs 276 --seed 77 --parts 160 12 104    # a rendered set before it is rendered

No frame is read: the second form needs the plan of the set alone. `--keep NAME` puts the figures into
docs/figures.json as NAME.quads, NAME.harder and NAME.moments.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
import tyro
from numpy.typing import NDArray
from tyro.conf import Positional

from actor_observer.evaluation.exact_truth import find_truth
from actor_observer.evaluation.methods import Method, Protocol
from actor_observer.evaluation.not_looking import IN_PROPORTION
from actor_observer.evaluation.tables.alignment_tables import fair_alignment
from actor_observer.evaluation.tables.correspondence_tables import HARDER, fair_correspondence
from actor_observer.evaluation.tables.layout import as_markdown
from actor_observer.features import Embeddings, TakeEmbedding
from actor_observer.pairs import Manifest, Pair, Take, read_manifest
from figures import keep as keep_figure

RATE = 6.0  # frames a second at which evaluate looks


def main(
    data: Positional[Path | None] = None,
    split: Literal["train", "validation", "test"] = "test",
    pairs: int = 0,
    seed: int = 0,
    parts: tuple[int, int, int] = (0, 0, 0),  # pairs for training, validation and test
    keep: str = "",
) -> None:
    manifest, judged = of_data(data, split) if data else of_plan(pairs, seed, parts, split)
    blank = Embeddings({id: unseen(take) for id, take in manifest.takes.items()})
    nothing = [Method("nothing", blank)]
    right = fair_correspondence(nothing, manifest, judged, Protocol(), "same person")
    placed = fair_alignment(nothing, judged, Protocol(), "same person")
    for table in (right, placed):
        print(as_markdown(table), end="\n\n")
    if keep:
        command = (
            f"python bench/proportion.py {data.name if data else f'--pairs {pairs} --seed {seed}'} --split {split}"
        )
        cells = right.rows[IN_PROPORTION]
        for name, cell in (("quads", cells[0]), ("harder", cells[right.columns.index(HARDER)])):
            keep_figure(f"{keep}.{name}", cell or "–", command, percent=True)
        keep_figure(f"{keep}.moments", placed.rows[IN_PROPORTION][0] or "–", command, digits=2)


def unseen(take: Take) -> TakeEmbedding:
    """A take whose frames nobody looked at."""
    times: NDArray[np.float64] = np.asarray((np.arange(max(1, int(take.length * RATE))) + 0.5) / RATE, dtype=float)
    return TakeEmbedding(take.view, times, np.zeros((len(times), 1)))


def of_data(data: Path, split: Literal["train", "validation", "test"]) -> tuple[Manifest, list[Pair]]:
    """The pairs of one person in a split, by their exact clocks where there are any."""
    manifest, truth = read_manifest(data).of(split), find_truth(data)
    same = [pair for pair in manifest.pairs if pair.same_person]
    return manifest, list(truth.exact(same)) if truth else same


def of_plan(pairs: int, seed: int, parts: tuple[int, int, int], split: str) -> tuple[Manifest, list[Pair]]:
    """The pairs of a rendered set in its old form, from its plan."""
    from actor_observer.playhouse.set_plan import plan_set

    if pairs < 1 or sum(parts) not in (0, pairs):
        raise SystemExit("name a data set; or --pairs, --seed and --parts, which add up to --pairs")
    shares = tuple(part / pairs for part in parts) if sum(parts) else (0.7, 0.1, 0.2)
    plan = plan_set(pairs, seed, fps=4.0, shares=shares, different=())  # type: ignore[arg-type]
    takes: dict[str, Take] = {}
    made: list[Pair] = []
    for pair in plan.pairs:
        if pair.third.split != split:
            continue
        for take in (pair.third, pair.first):
            takes[take.id] = Take(take.id, take.view, Path(take.id), take.length)
        made.append(Pair(pair.third.id, pair.third.id, pair.first.id, pair.clock()))
    return Manifest(takes, tuple(made)), made


if __name__ == "__main__":
    tyro.cli(main)

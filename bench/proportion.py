"""What a rule gets that does not look: both videos in proportion, from start to end, without a pixel.

    python bench/proportion.py DATA [--split validation] [--keep NAME]     # any data set with clocks, or marks
    python bench/proportion.py --pairs 276 --seed 77 --parts 160 12 104    # a rendered set before it is rendered
    python bench/proportion.py --pairs 120 --seed 500 --parts 0 120 0 --split validation --tempo free
    python bench/proportion.py --pairs 60 --seed 2018 --parts 36 12 12 --tempo free --seconds 14 18 --different test

Wanted of free tempo, on validation pairs and before anything is trained: quads at most 65 %, moments placed wrong by at
least 4 s in 30 s.

No frame is read: all but the first need the plan of the set alone (the last is the small set's). `--keep NAME` puts
the figures into docs/figures.json as NAME.quads, NAME.harder and NAME.moments.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import tyro
from numpy.typing import NDArray
from tyro.conf import Positional

from actor_observer.evaluation.compared.method import Method, Protocol
from actor_observer.evaluation.compared.not_looking import IN_PROPORTION, positions
from actor_observer.evaluation.measures.exact_truth import find_truth
from actor_observer.evaluation.measures.placement import place_all
from actor_observer.evaluation.statistics.bootstrap import Interval, bootstrap
from actor_observer.evaluation.statistics.over_videos import median_of
from actor_observer.evaluation.statistics.resampling import Resampling
from actor_observer.evaluation.tables.alignment_tables import fair_alignment
from actor_observer.evaluation.tables.correspondence_tables import HARDER, fair_correspondence
from actor_observer.evaluation.tables.layout import as_markdown
from actor_observer.features import Embeddings, TakeEmbedding
from actor_observer.pairs import Manifest, Pair, Take, read_manifest
from actor_observer.pairs.manifest import Split
from actor_observer.playhouse.planner import Tempo, plan_set
from figures import is_shown
from figures import keep as keep_figure

RATE = 6.0  # frames a second at which evaluate looks


def main(
    data: Positional[Path | None] = None,
    split: Literal["train", "validation", "test"] = "test",
    pairs: int = 0,
    seed: int = 0,
    parts: tuple[int, int, int] = (0, 0, 0),  # pairs for training, validation and test
    tempo: Tempo = "steady",  # of a rendered set
    seconds: tuple[float, float] | None = None,  # of its scripts' actions; without: as usual
    different: tuple[Split, ...] = (),  # splits whose pairs have a take by another actor, which draws the rest anew
    keep: str = "",
) -> None:
    manifest, judged = of_data(data, split) if data else of_plan(pairs, seed, parts, split, tempo, seconds, different)
    blank = Embeddings({id: unseen(take) for id, take in manifest.takes.items()})
    nothing = [Method("nothing", blank)]
    right = fair_correspondence(nothing, manifest, judged, Protocol(), "same person")
    placed = fair_alignment(nothing, judged, Protocol(), "same person")
    for table in (right, placed):
        print(as_markdown(table), end="\n\n")
    of_30, share = in_30_seconds(positions(blank), judged)
    print(f"in proportion, every moment placed, of 30 s: {of_30.text(2)} s; {share:.0%} of moments have a counterpart")
    lengths = np.percentile([take.length for take in manifest.takes.values()], [5, 50, 95])
    print("lengths, 5 / 50 / 95 %:", " / ".join(f"{length:.0f} s" for length in lengths))
    if keep:
        length = f" --seconds {seconds[0]:g} {seconds[1]:g}" if seconds else ""
        made = f"--pairs {pairs} --seed {seed} --tempo {tempo}{length}"
        where = made if data is None else data.name if data.is_absolute() else str(data)
        command = f"python bench/proportion.py {where} --split {split}"
        cells = right.rows[IN_PROPORTION]
        kept = {
            "quads": (cells[0], 1, True),
            "harder": (cells[right.columns.index(HARDER)], 1, True),
            "moments": (placed.rows[IN_PROPORTION][0], 2, False),
            "moments-of-30": (of_30, 2, False),
        }
        for name, (cell, digits, percent) in kept.items():
            if is_shown(f"{keep}.{name}"):
                keep_figure(f"{keep}.{name}", cell or "–", command, percent, digits)


def in_30_seconds(embeddings: Embeddings, pairs: Sequence[Pair]) -> tuple[Interval, float]:
    """The median error of every moment placed, as if every third-person take lasted 30 s; and the share that was."""
    found = place_all(embeddings, pairs)
    met = [number for number, one in enumerate(found) if one is not None]
    placed = [one for one in found if one is not None]
    errors = [one.error * 30 / embeddings[pairs[n].third].length for n, one in zip(met, placed, strict=True)]
    video = np.repeat(np.arange(len(placed)), [len(error) for error in errors])
    over = Resampling.of(pairs).among(np.array(met))
    moments = sum(len(one.error) for one in placed)
    share = moments / (moments + sum(one.outside for one in placed))
    return bootstrap(median_of(np.concatenate(errors), video), over, 500), share


def unseen(take: Take) -> TakeEmbedding:
    """A take whose frames nobody looked at."""
    times: NDArray[np.float64] = np.asarray((np.arange(max(1, int(take.length * RATE))) + 0.5) / RATE, dtype=float)
    return TakeEmbedding(take.view, times, np.zeros((len(times), 1)))


def of_data(data: Path, split: Literal["train", "validation", "test"]) -> tuple[Manifest, list[Pair]]:
    """The pairs of one person in a split, by their exact clocks where there are any."""
    manifest, truth = read_manifest(data).of(split), find_truth(data)
    same = [pair for pair in manifest.pairs if pair.same_person]
    return manifest, list(truth.exact(same)) if truth else same


def of_plan(
    pairs: int,
    seed: int,
    parts: tuple[int, int, int],
    split: str,
    tempo: Tempo = "steady",
    seconds: tuple[float, float] | None = None,
    different: tuple[Split, ...] = (),
) -> tuple[Manifest, list[Pair]]:
    """The pairs of a rendered set, from its plan."""
    if pairs < 1 or sum(parts) not in (0, pairs):
        raise SystemExit("name a data set; or --pairs, --seed and --parts, which add up to --pairs")
    shares = tuple(part / pairs for part in parts) if sum(parts) else (0.7, 0.1, 0.2)
    plan = plan_set(pairs, seed, fps=4.0, seconds=seconds, shares=shares, different=different, tempo=tempo)  # type: ignore[arg-type]
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

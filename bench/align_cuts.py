"""Two cameras on one event: clips cut at random out of synchronous pairs, put in step again, and judged.

    python bench/align.py cuts FOLDER...          any folder of synchronous recordings: bench/align_folder.py
    python bench/align.py cuts --sets kinova=PATH rendered=PATH --cuts 4 1 --every 3 1 [--cache DIR]

Cuts are those of bench/cuts.py: both clips begin anywhere, and at least 60 % of the shorter is shared; clips are
encoded anew so that no keyframes fall together. The error is that of the clock at the middle of the first-person clip.
`--every 3` takes pairs 1, 4, 7 … of a set: those that no calibration saw (bench/calibrate_align.py). Brackets are 95 %
intervals over pairs: shares by Clopper and Pearson on effective counts, else a bootstrap. Mismatched are the
third-person clip of a pair and the first-person clip of another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tyro.conf import Positional

from actor_observer.alignment.result import Alignment
from actor_observer.console import progress
from actor_observer.errors import UserError
from actor_observer.evaluation.statistics.bootstrap import Interval, bootstrap
from actor_observer.evaluation.statistics.shares import share_interval
from actor_observer.features.models import open_model
from actor_observer.model import ActorObserverNet
from actor_observer.pairs import read_manifest
from align_folder import FIRST, judge_folders
from align_methods import methods, shipped
from align_moments import weighted_median
from clips import CutPair, cut_pairs, look_at

Array = NDArray[np.float64]
SHIPPED = "**align as shipped**"
RIGHT = 0.5  # seconds: an *in step* this near is right
WITHIN = (0.1, 0.5, 1.0)
TABLES = "| method | median (s) | within 0.1 s (%) | within 0.5 s (%) | within 1 s (%) |\n|---|---|---|---|---|"


@dataclass(frozen=True, eq=False)
class Judged:
    """What all methods found for the cuts of one set."""

    name: str
    pair: NDArray[np.int64]  # (N,) of each cut, from 0 on
    errors: dict[str, Array]  # (N,) seconds, of each method
    matched: list[Alignment]
    mismatched: list[Alignment]


def main(
    folders: Positional[tuple[Path, ...]] = (),
    sets: tuple[str, ...] = (),
    cuts: tuple[int, ...] = (4,),
    every: tuple[int, ...] = (1,),
    cache: Path = Path("runs/align-cuts"),
    first: tuple[str, ...] = FIRST,
    strangers: int = 1,
    wide: bool = False,
) -> None:
    """Cut, align, judge, print. Folders take the first of `cuts`, `first`, `strangers` and `wide`; sets the others."""
    if bool(folders) == bool(sets):
        raise UserError("give folders of synchronous recordings, or --sets NAME=PATH")
    if folders:
        judge_folders(folders, cuts[0], first, strangers, wide)
        return
    network = open_model(None)
    cuts, every = (some * len(sets) if len(some) == 1 else some for some in (cuts, every))
    for spec, count, step in zip(sets, cuts, every, strict=True):
        name, _, place = spec.partition("=")
        if not place:
            raise UserError(f"{spec}: give each set as NAME=PATH")
        manifest = read_manifest(Path(place))
        chosen = list(enumerate(manifest.pairs))[::step]
        cut = cut_pairs(manifest, chosen, count, cache / name)
        look_at(cut, network, cache / "features")
        title = f"{name}, {len(chosen)} pairs × {count} cuts" + (f" (every pair in {step})" if step > 1 else "")
        print(tables(judge(title, cut, network)), flush=True)


def judge(name: str, cut: Sequence[CutPair], network: ActorObserverNet) -> Judged:
    """All methods on all cuts; `align` on as many mismatched clips."""
    numbers = sorted({one.pair for one in cut})
    truth = np.array([one.truth for one in cut])
    errors = {}
    for title, method in methods(network).items():
        errors[title] = np.abs(np.array([method(one.third, one.first) for one in cut]) - truth)
    align, matched, mismatched = shipped(network), [], []
    with progress("align", len(cut)) as step:
        for place, one in enumerate(cut):
            matched.append(align(one.third, one.first))
            other = next(
                cut[k % len(cut)] for k in range(place + 1, place + len(cut)) if cut[k % len(cut)].pair != one.pair
            )
            mismatched.append(align(one.third, other.first))
            step()
    placed = np.array([found.offset + found.rate * found.lengths[1] / 2 for found in matched])
    errors[SHIPPED] = np.abs(placed - truth)
    return Judged(name, np.array([numbers.index(one.pair) for one in cut]), errors, matched, mismatched)


def tables(judged: Judged) -> str:
    """The errors of all methods, and how the verdicts did."""
    lines = [f"**{judged.name}**", "", TABLES]
    for name, errors in judged.errors.items():
        middle = over_pairs(judged, partial(weighted_median, errors))
        near = [share(judged, errors <= within) for within in WITHIN]
        lines.append(
            f"| {name} | {middle.text(2 if middle.value >= 0.1 else 3)} | "
            + " | ".join(part.percent() for part in near)
            + " |"
        )
    return "\n".join([*lines, "", *verdicts(judged)])


def verdicts(judged: Judged) -> list[str]:
    """*In step*: how often given, and right; what is said of clips that do not belong together."""
    errors = judged.errors[SHIPPED]
    said = {
        name: np.array([found.verdict for found in some])
        for name, some in (("matched", judged.matched), ("mismatched", judged.mismatched))
    }
    step = said["matched"] == "in step"
    covered = np.array(
        [error <= (found.offset_error or 0.0) for error, found in zip(errors, judged.matched, strict=True)]
    )
    confidence = {
        name: np.array([found.confidence or 0.0 for found in some])
        for name, some in (("matched", judged.matched), ("mismatched", judged.mismatched))
    }
    lines = ["| verdict | matched (%) | mismatched (%) |", "|---|---|---|"]
    for verdict in ("in step", "cannot tell", "unrelated"):
        cells = [share(judged, said[name] == verdict).percent() for name in said]
        lines.append(f"| {verdict} | {' | '.join(cells)} |")
    both = over_pairs(judged, lambda weights: auc(confidence["matched"], confidence["mismatched"], weights))
    return [
        *lines,
        "",
        f"*In step* is right (within {RIGHT:g} s) in {right_of(judged)} matched cuts that it is given for, "
        f"and its error bar covers the truth in {int((step & covered).sum())}. "
        f"Matched against mismatched by the confidence that is given: AUC {both.text(3)}.",
    ]


def over_pairs(judged: Judged, statistic: Callable[[Array], float]) -> Interval:
    """A figure of all cuts with an interval over pairs; the statistic gets a weight for each cut."""
    return bootstrap(
        lambda counts: statistic(counts[judged.pair].astype(float)), int(judged.pair.max()) + 1, replicates=400
    )


def share(judged: Judged, these: NDArray[np.bool_]) -> Interval:
    """How many of the cuts, with an interval over pairs."""
    return share_interval(np.bincount(judged.pair, these), np.bincount(judged.pair))


def right_of(judged: Judged) -> str:
    """Of how many that were called *in step* the clock was right."""
    step = np.array([found.verdict == "in step" for found in judged.matched])
    near = judged.errors[SHIPPED] <= RIGHT
    return f"{int((step & near).sum())} of {int(step.sum())}"


def auc(high: Array, low: Array, weights: Array) -> float:
    """How often a matched cut stands above a mismatched one; a tie counts half.

    >>> auc(np.array([2.0, 3.0]), np.array([1.0, 2.0]), np.ones(2))
    0.875
    """
    above = (high[:, None] > low) + 0.5 * (high[:, None] == low)  # (N, N)
    return float(weights @ above @ weights / weights.sum() ** 2)

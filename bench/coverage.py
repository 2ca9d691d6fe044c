"""Do 95 % intervals hold 95 % of the time? Simulated test sets, judged by the library's own intervals.

    python bench/coverage.py        # writes its tables into docs/protocols.md; a few minutes on one core

Each cell is made of many test sets drawn from one world, in which the figure that a set of this size is expected to get
is known: an interval is right if it holds that figure. Beside each interval stands the plain one: a percentile
bootstrap over videos, or over pairs as if they shared nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tyro
from numpy.typing import NDArray

from actor_observer.evaluation.measures.recognition import score_recognition
from actor_observer.evaluation.statistics.bootstrap import Interval, bootstrap
from actor_observer.evaluation.statistics.over_videos import mean_of
from actor_observer.evaluation.statistics.resampling import Resampling
from actor_observer.evaluation.statistics.shares import share_interval
from actor_observer.pairs import Clock, Pair
from page import write_section

Array = NDArray[np.float64]
DOCS = Path(__file__).parent.parent / "docs"
CLASSES = 157
REPLICATES, PLAIN = 100, 10  # the plain bootstrap of mAP is only here to be compared with: on a tenth of the sets
Drawn = tuple[Interval, Interval]  # a set's figure with our interval, and with the plain one


@dataclass(frozen=True)
class Coverage:
    """How often an interval held the expected figure, and how far it was off on either side."""

    held: float
    above: float  # the whole interval lies above the expected figure: the table flatters
    below: float

    @classmethod
    def of(cls, expected: float, intervals: Sequence[Interval]) -> Coverage:
        low, high = (np.array([getattr(one, name) for one in intervals]) for name in ("low", "high"))
        above, below = float((low > expected).mean()), float((high < expected).mean())
        return cls(1 - above - below, above, below)

    def cells(self) -> str:
        return f"{self.held:.1%} | {self.above:.1%}"


def recognition_sets(videos: int, signal: float, sets: int, rng: np.random.Generator) -> Iterator[Drawn]:
    """Test sets of videos with classes as skewed as Charades', and scores that know them as well as `signal` says."""
    often = np.maximum(0.35 * np.exp(-np.arange(CLASSES) / 35), 0.01)
    threshold = np.quantile(rng.normal(size=200_000), often)
    for number in range(sets):
        crowded = 0.5 * rng.normal(size=(videos, 1))  # some videos have many labels, some few
        positive = np.sqrt(0.75) * rng.normal(size=(videos, CLASSES)) + crowded < threshold
        scores = rng.normal(size=(videos, CLASSES)) + signal * positive
        ours = score_recognition(scores, positive).mean
        plain = plain_bootstrap(scores, positive, rng) if number < sets // PLAIN else Interval(float("nan"))
        yield ours, plain


def plain_bootstrap(scores: Array, positive: NDArray[np.bool_], rng: np.random.Generator) -> Interval:
    """Percentiles over resampled videos, some of which stand in a replicate twice or more."""
    order = np.argsort(-scores, axis=0, kind="stable")
    hits = np.take_along_axis(positive, order, axis=0)  # (N, C)
    draws = []
    for _ in range(REPLICATES):
        counts = np.bincount(rng.integers(0, len(scores), len(scores)), minlength=len(scores))[order]  # (N, C)
        draws.append(mean_ap_with_copies(hits, counts))
    low, high = np.percentile(draws, [2.5, 97.5])
    return Interval(float("nan"), float(low), float(high))


def mean_ap_with_copies(hits: NDArray[np.bool_], counts: NDArray[np.int64]) -> float:
    """Mean AP where the video at each place of the ranking stands there `counts` times (N, C).

    Copies of a positive follow each other: the k-th has (hits before + k) / (places before + k).
    """
    copies = hits * counts
    found, places = np.cumsum(copies, axis=0) - copies, np.cumsum(counts, axis=0) - counts
    total = np.zeros(hits.shape[1])
    for copy in range(1, int(counts.max()) + 1):
        total += np.where(copies >= copy, (found + copy) / (places + copy), 0.0).sum(axis=0)
    number = copies.sum(axis=0)
    return float((total[number > 0] / number[number > 0]).mean())


def shared_sets(pairs: Sequence[Pair], sets: int, rng: np.random.Generator) -> Iterator[Drawn]:
    """Scores of pairs that depend on both their takes: each take is easy or hard, in all of its pairs."""
    over = Resampling.of(pairs)
    alone = Resampling.independent(len(pairs))
    number = np.arange(len(pairs))
    for _ in range(sets):
        easy = rng.normal(size=over.third.max() + 1)[over.third] + rng.normal(size=over.first.max() + 1)[over.first]
        values = 0.5 + 0.1 * easy + 0.1 * rng.normal(size=len(pairs))
        ours = bootstrap(mean_of(values, number), over, replicates=300, seed=int(rng.integers(1 << 30)))
        plain = bootstrap(mean_of(values, number), alone, replicates=300, seed=int(rng.integers(1 << 30)))
        yield ours, plain


def linked(edges: Iterator[tuple[str, str]]) -> list[Pair]:
    return [Pair(f"{third} {first}", third, first, Clock.scaled(30, 30)) for third, first in edges]


SHARED: dict[str, Callable[[], list[Pair]]] = {
    "40 pairs that share nothing": lambda: linked((f"t{n}", f"f{n}") for n in range(40)),
    "8 pairs that share nothing": lambda: linked((f"t{n}", f"f{n}") for n in range(8)),
    "12 first-person takes, 4 third-person partners each": lambda: linked(
        (f"t{n}.{camera}", f"f{n}") for n in range(12) for camera in range(4)
    ),
    "60 first-person takes, 4 third-person partners each": lambda: linked(
        (f"t{n}.{camera}", f"f{n}") for n in range(60) for camera in range(4)
    ),
    "12 by 12 takes, every pair": lambda: linked((f"t{n}", f"f{m}") for n in range(12) for m in range(12)),
    "20 first-person takes with 4 of 20 partners each": lambda: linked(
        (f"t{(n + step) % 20}", f"f{n}") for n in range(20) for step in (0, 3, 7, 12)
    ),
}


ASKED: dict[str, Callable[[int, np.random.Generator], NDArray[np.int64]]] = {
    "4 answers each": lambda videos, rng: np.full(videos, 4),
    "1 to 8 each": lambda videos, rng: rng.integers(1, 9, videos),
    "5 to 60 each": lambda videos, rng: rng.integers(5, 61, videos),
}
TOGETHER = (0.0, 0.3, 0.7, 1.0)  # how far the answers of a video go together: 0 not at all, 1 all are right or wrong
TRUE = (0.99, 0.97, 0.95, 0.9)


def share_sets(
    true: float, asked: NDArray[np.int64], together: float, sets: int, rng: np.random.Generator, plainly: bool = False
) -> Iterator[Drawn]:
    """Test sets of right and wrong answers, a video's answers right as often as its own share (a beta law) says."""
    videos = len(asked)
    video = np.arange(videos)
    for _ in range(sets):
        own = np.full(videos, true) if together == 0 else (rng.random(videos) < true).astype(float)
        if 0 < together < 1:
            own = rng.beta(true * (1 / together - 1), (1 - true) * (1 / together - 1), videos)
        right = rng.binomial(asked, own)
        plain = bootstrap(mean_of(right / asked, video, asked.astype(float)), videos, 200) if plainly else None
        yield share_interval(right, asked), plain or Interval(float("nan"))


def share_rows(sets: int, rng: np.random.Generator) -> Iterator[str]:
    """The worst coverage over how far answers go together, beside what the plain bootstrap covers at 0.3."""
    for videos in (12, 14, 16, 30):
        for name, draw in ASKED.items():
            cells = []
            for true in TRUE:
                asked = draw(videos, rng)
                found = [
                    Coverage.of(true, [ours for ours, _ in share_sets(true, asked, one, sets, rng)]) for one in TOGETHER
                ]
                worst = min(one.held for one in found)
                plain = Coverage.of(
                    true, [old for _, old in share_sets(true, asked, 0.3, max(1, sets // PLAIN), rng, plainly=True)]
                )
                cells.append(f"{worst:.1%} ({plain.held:.0%})")
            yield f"| {videos} videos, {name} | {' | '.join(cells)} |"


def main(sets: int = 1000, write: bool = True) -> None:
    rng = np.random.default_rng(0)
    head = "covers | all above"
    lines = [
        f"mAP of {CLASSES} classes, {sets} sets a row, the plain bootstrap on the first {sets // PLAIN} of them "
        f"(covers: 95 % is right; all above: the whole interval flatters):",
        "",
        f"| | expected mAP | {head} | plain bootstrap covers |",
        "|---" * 5 + "|",
    ]
    for videos in (100, 400):
        for name, signal in (("noise", 0.0), ("signal", 1.0)):
            drawn = list(recognition_sets(videos, signal, sets, rng))
            expected = float(np.mean([ours.value for ours, _ in drawn]))  # of a set of this size
            ours = Coverage.of(expected, [ours for ours, _ in drawn])
            plain = Coverage.of(expected, [plain for _, plain in drawn if plain.known])
            row = f"| {videos} videos, {name} | {100 * expected:.1f} | {ours.cells()} |"
            lines.append(f"{row} {plain.held:.1%} |")
            print(lines[-1], flush=True)
    lines += [
        "",
        f"A mean over pairs whose takes are easy or hard for every partner, {sets} sets a row:",
        "",
        f"| | what is resampled | {head} | pairs as if independent |",
        "|---" * 5 + "|",
    ]
    for name, make in SHARED.items():
        pairs = make()
        drawn = list(shared_sets(pairs, sets, rng))
        ours, plain = (Coverage.of(0.5, intervals) for intervals in zip(*drawn, strict=True))
        how = Resampling.of(pairs).how
        lines.append(f"| {name} | {how} | {ours.cells()} | {plain.held:.1%} |")
        print(lines[-1], flush=True)
    lines += [
        "",
        "A share of right answers (Clopper and Pearson on effective counts). How far a video's answers go together is "
        f"{', '.join(f'{one:g}' for one in TOGETHER)}, {sets} sets each; shown is the lowest coverage of these, in "
        f"brackets what the plain bootstrap covers at 0.3 ({max(1, sets // PLAIN)} sets):",
        "",
        f"| true share | {' | '.join(f'{one:g}' for one in TRUE)} |",
        "|---" * (1 + len(TRUE)) + "|",
    ]
    for row in share_rows(sets, rng):
        lines.append(row)
        print(row, flush=True)
    if write:
        write_section("coverage", "\n".join(lines), "python bench/coverage.py", DOCS)


if __name__ == "__main__":
    tyro.cli(main)

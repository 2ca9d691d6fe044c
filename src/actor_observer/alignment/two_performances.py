"""Two performances of one script: no clock is shared, so the likeness of moments decides, at any speed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from actor_observer.alignment.belief import Candidate
from actor_observer.alignment.performances.confidence import Calibration, measure
from actor_observer.alignment.performances.line import Line, fit_line
from actor_observer.alignment.performances.moment_matrix import Array, MomentMatrix, match_moments, moving_mean
from actor_observer.alignment.performances.path import best_path
from actor_observer.alignment.result import Alignment, Point, Verdict
from actor_observer.features.embeddings import TakeEmbedding
from actor_observer.pairs.clock import Clock

__all__ = ["align_takes"]

STRAY = 0.1  # of the shorter recording: how far the path usually strays from the straight line (one sigma)
CONTEXT = 1.5  # seconds before and after a moment that speak for it too
MOST_CONTEXT = 12  # frames
SMOOTH = 1.0  # seconds to either side over which the path's way around the line is averaged
SLOWEST = 0.1  # the least rate of the clock anywhere: it must go forward
FEWEST = 4  # moments: a recording with fewer is too short to be placed
APART = 2.0  # seconds between the clock's anchor points
OFFSET_ERROR = 0.2  # of the shorter recording: 95 % half-width at its middle, on rendered pairs (bench/align.py)
RATE_ERROR = 0.15  # likewise
UNRELATED = 0.2  # of the threshold
SURE = 0.9  # in step from this confidence on


def align_takes(
    third: TakeEmbedding,
    first: TakeEmbedding,
    phi: tuple[TakeEmbedding, TakeEmbedding] | None = None,  # the backbone's features of both
    calibration: Calibration | None = None,
    calibrated: bool = False,
    names: tuple[str, str] = ("", ""),
    lengths: tuple[float, float] | None = None,
    learned: bool = True,  # False: the embeddings are φ itself, of which no view knows the other
) -> Alignment:
    """Put two takes in step by their embeddings alone: a line of free offset and rate, and a path around it.

    >>> rng = np.random.default_rng(0)
    >>> walk = rng.normal(size=(120, 8)).cumsum(axis=0)
    >>> third = TakeEmbedding("third", (np.arange(120) + 0.5) / 6, walk)
    >>> first = TakeEmbedding("first", (np.arange(90) + 0.5) / 6, walk[18:108])  # starts 3 s later
    >>> found = align_takes(third, first)
    >>> abs(found.offset - 3) < 0.4, abs(found.rate - 1) < 0.03, abs(found.clock.to_third(5.0) - 8) < 0.5
    (True, True, True)
    """
    evidence = match_moments(third, first, phi, learned=learned)
    line = fit_line(evidence)
    cells, total = best_path(evidence.score)
    figures = measure(evidence, line, total)
    cells, _ = best_path(evidence.score - _stray(evidence, line))
    cells = in_step(cells)
    telling = min(evidence.score.shape) >= FEWEST and bool(evidence.along.any())
    confidence = calibration.confidence(figures) if calibration else None
    length = min(lengths or (_end(third), _end(first)))
    around = _around(evidence, line.rate)
    path = _points(evidence, around, cells)
    nearest = np.stack([np.arange(len(evidence.first_times)), evidence.distances.argmin(axis=1)], axis=1)
    verdict = _verdict(telling, confidence, calibration.threshold if calibration else 0.5)
    return Alignment(
        *names,
        lengths=lengths or (_end(third), _end(first)),
        look_rate=1 / _step(third),
        likeness=evidence,
        placed=_points(evidence, around, nearest),
        path=path,
        best=path[_best(evidence, cells)],
        hypothesis="two performances",
        verdict=verdict,
        offset=line.offset,
        rate=line.rate,
        offset_error=OFFSET_ERROR * length if verdict == "in step" else None,
        rate_error=RATE_ERROR,
        candidates=(Candidate(line.offset, line.rate, 1.0),),
        kinds={},
        clock=_clock(evidence, cells, line),
        figures=figures,
        telling=telling,
        confidence=confidence if telling or confidence is None else 0.0,
        threshold=calibration.threshold if calibration else 0.5,
        calibrated=calibrated,
    )


def _verdict(telling: bool, confidence: float | None, threshold: float) -> Verdict:
    """In step where the confidence is high enough; a path that found nothing does not prove that nothing is there."""
    if not telling or confidence is None:
        return "cannot tell"
    if confidence >= max(threshold, SURE):
        return "in step"
    return "unrelated" if confidence < UNRELATED * threshold else "cannot tell"


def in_step(cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """A path (P, 2) without the stretches at either end in which one of the two has not begun, or is over.

    >>> in_step(np.array([[0, 0], [1, 0], [2, 0], [3, 1], [4, 2], [4, 3]])).tolist()
    [[2, 0], [3, 1], [4, 2]]
    """
    starts, ends = cells == cells[0], cells == cells[-1]  # (P, 2)
    first = max(int(starts[:, side].argmin()) - 1 if not starts[:, side].all() else 0 for side in (0, 1))
    last = min(
        len(cells) - int(ends[::-1, side].argmin()) if not ends[:, side].all() else len(cells) for side in (0, 1)
    )
    return cells[first : last + 1] if first <= last else cells


def _stray(evidence: MomentMatrix, line: Line) -> Array:
    """What leaving the straight line costs, for each cell."""
    length = min(float(times[-1] - times[0]) for times in (evidence.third_times, evidence.first_times))
    apart = evidence.third_times[None, :] - (line.offset + line.rate * evidence.first_times[:, None])
    return 0.5 * np.minimum(apart / max(STRAY * length, 1.0), 10.0) ** 2


def _points(evidence: MomentMatrix, around: Array, cells: NDArray[np.int64]) -> tuple[Point, ...]:
    rows, columns = cells.T
    trust = _trust(evidence, around, rows, columns)
    third, first = evidence.third_times[columns], evidence.first_times[rows]
    return tuple(Point(float(t), float(f), float(c)) for t, f, c in zip(third, first, trust, strict=True))


def _around(evidence: MomentMatrix, rate: float) -> Array:
    """The mean score of each cell with those shortly before and after it in step, in units of its own spread."""
    step = _step_of(evidence.third_times)
    total, count = np.zeros(evidence.score.shape), np.zeros(evidence.score.shape, dtype=np.int32)
    rows, columns = evidence.score.shape
    reach = min(round(CONTEXT / step), MOST_CONTEXT, rows - 1)
    for down in range(-reach, reach + 1):
        right = round(rate * down)
        if abs(right) >= columns:
            continue
        here = slice(max(0, -down), rows - max(0, down)), slice(max(0, -right), columns - max(0, right))
        there = slice(max(0, down), rows - max(0, -down)), slice(max(0, right), columns - max(0, -right))
        total[here] += evidence.score[there]
        count[here] += 1
    mean = total / count
    return mean / max(float(mean.std()), 1e-9)


def _trust(evidence: MomentMatrix, around: Array, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Array:
    """How far each cell stands above the best of its row that is more than a second away, as 0 to 1.

    Less for a moment that the selector thinks little of.
    """
    radius = max(1, round(1.0 / _step_of(evidence.third_times)))
    trust = np.empty(len(rows))
    for number, (row, column) in enumerate(zip(rows, columns, strict=True)):
        line = around[row]
        others = np.concatenate([line[: max(0, column - radius)], line[column + radius + 1 :]])
        margin = line[column] - others.max() if len(others) else 0.0
        trust[number] = expit(2 * margin)
    return trust * np.minimum(evidence.first_weight[rows], 1.0)


def _best(evidence: MomentMatrix, cells: NDArray[np.int64]) -> int:
    """The place on the path where the two look most alike for a while; motion alone is not much to see."""
    likeness = evidence.likeness[cells[:, 0], cells[:, 1]]
    return int(moving_mean(likeness, round(CONTEXT / _step_of(evidence.third_times))).argmax())


def _clock(evidence: MomentMatrix, cells: NDArray[np.int64], line: Line) -> Clock:
    """Anchor points every two seconds: the line, plus the path's way around it without its steps."""
    rows, place, count = np.unique(cells[:, 0], return_inverse=True, return_counts=True)
    times = evidence.first_times[rows]
    straight = line.offset + line.rate * times
    around = np.bincount(place, weights=evidence.third_times[cells[:, 1]]) / count - straight
    radius = round(SMOOTH / _step_of(evidence.first_times))
    smooth = np.maximum(straight + moving_mean(moving_mean(around, radius), radius), 0.0)
    forward = np.maximum.accumulate(smooth - SLOWEST * times) + SLOWEST * times
    pieces = max(1, int((times[-1] - times[0]) / APART))
    chosen = np.unique(np.round(np.linspace(0, len(times) - 1, pieces + 1)).astype(np.int64))
    return Clock(tuple((round(float(forward[k]), 4), round(float(times[k]), 4)) for k in chosen))


def _step(take: TakeEmbedding) -> float:
    return _step_of(take.times)


def _step_of(times: Array) -> float:
    return float(times[1] - times[0]) if len(times) > 1 else 1.0


def _end(take: TakeEmbedding) -> float:
    return float(take.times[-1]) + _step(take) / 2

"""What speaks for two moments being one: their embeddings are near, and both views start to move at once."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from actor_observer.features.distances import box_mean, distance_matrix, moment_means, moment_radius
from actor_observer.features.embeddings import TakeEmbedding

__all__ = ["RATES", "MomentMatrix", "directions", "lines_through", "match_moments", "moving_mean", "sums_along"]

Array = NDArray[np.float64]
LEAST_SHARED = 0.4  # of the shorter recording: a line through a corner of the matrix says nothing
FROZEN = 0.15  # how much distances of φ itself count, next to the embeddings'
MOTION = 0.3  # how much it counts that both views move at once
CLEAR = 4.5  # spreads: a line of any kind of evidence that stands out further is hardly chance, and that kind speaks up
LOUDEST = 5.0  # times its usual share
RATES = np.geomspace(0.85, 1 / 0.85, 25)  # cameras and people are rarely further apart
CHANGE = 1 / 3  # seconds over which a change is measured
TREND = 3.0  # seconds: slower changes of the motion say more about the camera than about the action


@dataclass(frozen=True)
class MomentMatrix:
    """All first-person moments (rows) against all third-person moments (columns); whole one-second windows only."""

    third_times: Array  # (N,) the middle of each third-person moment
    first_times: Array  # (M,)
    distances: Array  # (M, N) mean distance of the frames of the two moments
    likeness: Array  # (M, N) how near they are for these two moments, each by its weight: mean 0, spread 1
    score: Array  # (M, N) all that speaks for the match, φ included: mean 0 over each row and column, spread 1
    along: Array  # (M, N) the same, in shares that suit sums along straight lines: see `lines_through`
    first_weight: Array  # (M,) how much each first-person moment counts; ones without a selector


def match_moments(
    third: TakeEmbedding,
    first: TakeEmbedding,
    phi: tuple[TakeEmbedding, TakeEmbedding] | None = None,  # the backbone's features of both, third-person first
    seconds: float = 1.0,
    learned: bool = True,  # False: the embeddings are φ itself, of which no view knows the other
) -> MomentMatrix:
    """Distances of all pairs of moments, made comparable, and weighed by how well each moment can be placed.

    φ, where given, adds two things: when something moves, which needs no training and is sharp where both cameras
    recorded one performance; and, with little weight, its own distances, for footage that the model does not know.

    >>> rng = np.random.default_rng(0)
    >>> features, times = rng.normal(size=(60, 8)).cumsum(axis=0), np.arange(60) / 6
    >>> takes = [TakeEmbedding(view, times, features) for view in ("third", "first")]
    >>> evidence = match_moments(*takes)
    >>> bool((np.abs(evidence.score.argmax(axis=1) - np.arange(54)) <= 2).mean() > 0.9)
    True
    """
    radius = moment_radius(third.times, seconds)
    distances = box_mean(distance_matrix(third.features, first.features), radius)  # (M, N)
    weights = [_weight(take, radius) for take in (first, third)]
    likeness = _unit(_centred(-distances) * np.sqrt(np.outer(*weights)))
    times = moment_means(third.times, radius), moment_means(first.times, radius)
    parts, shares = [likeness], [1.0 if learned else FROZEN]
    if phi is not None:
        ways = [directions(take) for take in phi]
        moved = [_standard(in_the_middle(motion(way, take.times), radius)) for way, take in zip(ways, phi, strict=True)]
        parts += [_unit(-box_mean(distance_matrix(*ways), radius)), _unit(np.outer(*reversed(moved)))]
        shares += [FROZEN, MOTION]
    score, along = np.zeros_like(likeness), np.zeros_like(likeness)
    for part, share in zip(parts, shares, strict=True):
        spread, peak = lines_through(part, *times)
        loud = min(math.exp(max(0.0, peak - CLEAR)), LOUDEST)
        score += share * part
        along += share * loud / spread * part
    return MomentMatrix(*times, distances, likeness, _unit(score), _unit(along), weights[0])


def lines_through(score: Array, third_times: Array, first_times: Array) -> tuple[float, float]:
    """How much the sums along straight lines differ, per root of their length; and how far the largest stands out.

    What is smooth over time (an embedding of what goes on for many seconds) has large sums along wrong lines too. In
    units of this spread, each kind of evidence has the same say about the offset.

    >>> times = np.arange(40.0)
    >>> wavy = np.outer(np.sin(times / 8), np.sin(times / 8))
    >>> noisy = np.random.default_rng(0).normal(0, wavy.std(), (40, 40))
    >>> lines_through(wavy, times, times)[0] > 2 * lines_through(noisy, times, times)[0]
    True
    >>> lines_through(noisy + 2 * np.eye(40), times, times)[1] > CLEAR
    True
    """
    found = [sums_along(score, third_times, first_times, float(rate))[1] for rate in RATES]
    known = np.concatenate([sums[np.isfinite(sums)] for sums in found])
    spread = max(float(known.std()), 1e-9) if len(known) > 1 else 1.0
    return spread, float(known.max() - known.mean()) / spread if len(known) else 0.0


def sums_along(score: Array, third_times: Array, first_times: Array, rate: float) -> tuple[Array, Array]:
    """Offsets, one for each step of the grid, and the sums along their lines over the root of their length.

    NaN where too little is shared. Every row is added to the sums at its own shift: one pass, whatever the number of
    offsets.

    >>> offsets, sums = sums_along(np.eye(9), np.arange(9.0), np.arange(9.0), rate=1.0)
    >>> float(offsets[np.nanargmax(sums)]), float(np.nanmax(sums))
    (0.0, 3.0)
    """
    rows, columns = score.shape
    step = float(third_times[1] - third_times[0]) if columns > 1 else 1.0
    shift = np.round(rate * (first_times - first_times[0]) / step).astype(np.int64)  # (M,)
    most = int(shift[-1])
    total, count = np.zeros(most + columns), np.zeros(most + columns)
    for row in range(rows):
        start = most - int(shift[row])  # column 0 of this row lies on the line of this number
        total[start : start + columns] += score[row]
        count[start : start + columns] += 1
    offsets = (np.arange(most + columns) - most) * step + third_times[0] - rate * first_times[0]
    enough = count >= max(1.0, LEAST_SHARED * min(rows, columns / rate))
    return offsets, np.where(enough, total / np.sqrt(np.maximum(count, 1)), np.nan)


def directions(phi: TakeEmbedding) -> NDArray[np.float32]:
    """φ (T, D) standardised over the take, of length 1: brightness, clutter and place fall away.

    >>> directions(TakeEmbedding("third", np.arange(3.0), np.eye(3))).shape
    (3, 3)
    """
    moved = np.asarray(phi.features, dtype=np.float32) - phi.features.mean(axis=0, dtype=np.float64).astype(np.float32)
    spread = np.sqrt((moved**2).mean(axis=0))
    moved /= np.maximum(spread, max(0.1 * float(spread.mean()), 1e-6))
    moved /= np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-6)
    return moved


def motion(way: NDArray[np.float32], times: Array) -> Array:
    """How much moves around each frame (T,), whatever is seen: the change of φ's direction, less its slow trend.

    >>> rng = np.random.default_rng(0)
    >>> still = rng.normal(0, 0.1, (40, 8)); still[20:] += rng.normal(0, 1, 8)
    >>> times = np.arange(40) / 6
    >>> 19 <= int(motion(directions(TakeEmbedding("third", times, still)), times).argmax()) <= 20
    True
    """
    if len(times) < 3:
        return np.zeros(len(times))
    step = float(np.median(np.diff(times)))
    apart = max(1, min(round(CHANGE / step), len(times) - 1))
    steps = np.linalg.norm(way[apart:] - way[:-apart], axis=1)  # (T - apart,)
    around = np.pad(steps, (apart // 2, apart - apart // 2), mode="edge").astype(np.float64)  # (T,)
    change = np.log(np.maximum(around, max(float(np.percentile(around, 5)), 1e-6)))
    return change - moving_mean(change, round(TREND / step))


def in_the_middle(values: Array, radius: int) -> Array:
    """The value in the middle of every moment. Motion says when to a fraction of a second: a mean would blur it.

    >>> in_the_middle(np.arange(5.0), 1).tolist(), in_the_middle(np.arange(2.0), 1).tolist()
    ([1.0, 2.0, 3.0], [1.0])
    """
    moments = max(1, len(values) - 2 * radius)  # what is shorter than a moment is one
    start = (len(values) - moments + 1) // 2
    return values[start : start + moments]


def moving_mean(values: Array, radius: int) -> Array:
    """Mean over `radius` values to either side, fewer at the ends.

    >>> moving_mean(np.array([0.0, 3.0, 6.0]), 1).tolist()
    [1.5, 3.0, 4.5]
    """
    place = np.arange(len(values))
    start, end = np.maximum(place - radius, 0), np.minimum(place + radius + 1, len(values))
    total = np.concatenate([[0.0], np.cumsum(values)])
    mean: Array = (total[end] - total[start]) / (end - start)
    return mean


def _weight(take: TakeEmbedding, radius: int) -> Array:
    """How much each moment counts: by its chance of being placed, squared, if the network tells it; by the selector."""
    if take.chance is not None:
        square = np.square(np.asarray(take.chance, dtype=np.float64))
        return moment_means(np.clip(square / max(float(square.mean()), 1e-9), 0.1, 10.0), radius)
    if take.weight is None:
        return np.ones(len(moment_means(take.times, radius)))
    return moment_means(np.clip(np.asarray(take.weight, dtype=np.float64), 0.1, 10.0), radius)


def _centred(matrix: Array) -> Array:
    """Without what a row or a column has in common: a moment that is near to everything says nothing."""
    return matrix - matrix.mean(axis=1, keepdims=True) - matrix.mean(axis=0, keepdims=True) + matrix.mean()


def _unit(matrix: Array) -> Array:
    centred = _centred(matrix)
    return _over_spread(centred, float(np.abs(matrix).max(initial=0.0)))


def _standard(values: Array) -> Array:
    return _over_spread(values - values.mean(), float(np.abs(values).max(initial=0.0)))


def _over_spread(centred: Array, size: float) -> Array:
    """With a spread of 1; zeros where there is nothing but rounding, which would be taken for evidence."""
    spread = float(centred.std())
    return centred / spread if spread > 1e-6 * max(size, 1e-6) else np.zeros_like(centred)

"""Alignment of two takes from their embeddings: the published rule, and one that borders cannot help."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from actor_observer.features.embeddings import Embeddings, Floats, TakeEmbedding
from actor_observer.pairs.clock import Clock
from actor_observer.pairs.manifest import Pair

__all__ = [
    "Placement",
    "box_mean",
    "distance_matrix",
    "moment_means",
    "moment_radius",
    "place_moments",
    "published_error",
]

Array = NDArray[np.float64]
_RADIUS = 3  # frames: the published window is 7 x 7 at 6 frames a second


@dataclass(frozen=True)
class Placement:
    """Where one pair's first-person moments were put, against where they belong. Times in third-person seconds."""

    placed: Array  # (M,) third-person time chosen for each first-person moment
    truth: Array  # (M,) where it belongs
    weight: Array  # (M,) the selector's mean weight of the moment's frames; ones without a selector
    best_error: float  # of the single pair of moments with the smallest distance
    best_place: float  # relative position, 0 to 1, of that pair in the third-person take
    third_middle: float  # the middle of the third-person take
    third_span: float  # seconds between the first and the last usable third-person moment
    first_span: float  # the same for the first person, in third-person seconds
    outside: int  # first-person moments that the third-person take does not show

    @property
    def error(self) -> Array:
        return np.abs(self.placed - self.truth)


def distance_matrix(third: Floats, first: Floats) -> Array:
    """Euclidean distances of all first-person (rows) to all third-person frames (columns).

    >>> distance_matrix(np.array([[0.0], [3.0]]), np.array([[1.0]])).tolist()
    [[1.0, 2.0]]
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(third, dtype=np.float64)
    square = (a**2).sum(1)[:, None] + (b**2).sum(1)[None, :] - 2 * a @ b.T
    return np.sqrt(np.maximum(square, 0))


def box_mean(matrix: Array, radius: int = _RADIUS, clipped: bool = False) -> Array:
    """Mean over the window of (2·radius + 1)² cells around each cell.

    Clipped windows average the cells that exist (fewer at the border: the published rule, and its artefact). Whole
    windows only, the default, leave out the outermost `radius` rows and columns; a matrix smaller than a window is one
    window.

    >>> box_mean(np.arange(9.0).reshape(3, 3), radius=1)
    array([[4.]])
    >>> box_mean(np.arange(9.0).reshape(3, 3), radius=1, clipped=True)[0, 0]
    np.float64(2.0)
    """
    rows, columns = (_spans(length, radius, clipped) for length in matrix.shape)
    total = np.zeros((matrix.shape[0] + 1, matrix.shape[1] + 1))
    total[1:, 1:] = matrix.cumsum(0).cumsum(1)
    (top, bottom), (left, right) = rows, columns
    sums = (
        total[np.ix_(bottom, right)]
        - total[np.ix_(top, right)]
        - total[np.ix_(bottom, left)]
        + total[np.ix_(top, left)]
    )
    return sums / ((bottom - top)[:, None] * (right - left)[None, :])


def published_error(third: TakeEmbedding, first: TakeEmbedding, clock: Clock) -> float:
    """Seconds between the two moments of the published choice: clipped windows, smallest mean, `clock` as the truth."""
    mean = box_mean(distance_matrix(third.features, first.features), clipped=True)
    j, i = np.unravel_index(np.argmin(mean), mean.shape)
    return float(abs(third.times[i] - clock.to_third(float(first.times[j]))))


def place_moments(third: TakeEmbedding, first: TakeEmbedding, clock: Clock, seconds: float = 1.0) -> Placement:
    """For each first-person moment the nearest third-person one, and the best pair of all; whole windows only."""
    return place_by_matrix(distance_matrix(third.features, first.features), third, first, clock, seconds)


def place_by_matrix(
    matrix: Array, third: TakeEmbedding, first: TakeEmbedding, clock: Clock, seconds: float = 1.0
) -> Placement:
    """As `place_moments`, from any matrix of distances (first-person rows, third-person columns)."""
    radius = moment_radius(third.times, seconds)
    mean = box_mean(matrix, radius)  # (M, N)
    centres = [moment_means(take.times, radius) for take in (third, first)]
    truth = clock.to_third(centres[1])  # (M,)
    half_step = (third.times[1] - third.times[0]) / 2 if len(third.times) > 1 else 0.5
    shown = (truth >= centres[0][0] - half_step) & (truth <= centres[0][-1] + half_step)
    if not shown.any():
        shown[:] = True
    weight = np.ones(len(first.times)) if first.weight is None else np.asarray(first.weight, dtype=float)
    mean, truth_shown = mean[shown], truth[shown]
    j, i = np.unravel_index(np.argmin(mean), mean.shape)
    span = float(centres[0][-1] - centres[0][0])
    return Placement(
        placed=centres[0][np.argmin(mean, axis=1)],
        truth=truth_shown,
        weight=moment_means(weight, radius)[shown],
        best_error=float(abs(centres[0][i] - truth_shown[j])),
        best_place=float((centres[0][i] - centres[0][0]) / span) if span else 0.5,
        third_middle=float(centres[0][0] + span / 2),
        third_span=span,
        first_span=float(truth_shown[-1] - truth_shown[0]),
        outside=int((~shown).sum()),
    )


def place_all(
    embeddings: Embeddings, pairs: Sequence[Pair], seconds: float = 1.0, share: float = 1.0
) -> list[Placement]:
    """`place_moments` for every pair, by its own clock; a moment is at most `share` of the third-person take."""
    placed = []
    for pair in pairs:
        third, first = embeddings[pair.third], embeddings[pair.first]
        length = float(third.times[-1] + third.times[0])  # frames lie in the middles of their shares
        placed.append(place_moments(third, first, pair.clock, min(seconds, share * length)))
    return placed


def moment_radius(times: Array, seconds: float) -> int:
    """Frames on either side of a moment's middle: 3 at 6 frames a second, as published.

    >>> moment_radius(np.arange(12) / 6, seconds=1.0)
    3
    """
    if len(times) < 2:
        return 0
    return max(0, round(seconds / float(np.median(np.diff(times))) / 2))


def _spans(length: int, radius: int, clipped: bool) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Start and end of the window around each usable cell of one axis."""
    radius = min(radius, (length - 1) // 2) if not clipped else radius
    cells = np.arange(length) if clipped else np.arange(radius, length - radius)
    return np.maximum(cells - radius, 0), np.minimum(cells + radius + 1, length)


def moment_means(values: Array, radius: int) -> Array:
    """Mean of the values over each whole window.

    >>> moment_means(np.array([0.0, 1.0, 2.0, 6.0]), radius=1).tolist()
    [1.0, 3.0]
    """
    start, end = _spans(len(values), radius, clipped=False)
    total = np.concatenate([[0.0], np.cumsum(values)])
    return (total[end] - total[start]) / (end - start)

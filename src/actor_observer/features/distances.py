"""Distances between all frames of two takes, and their means over whole moments."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from actor_observer.features.embeddings import Floats

__all__ = ["box_mean", "distance_matrix", "moment_means", "moment_radius"]

Array = NDArray[np.float64]
_ROUNDING = 1e-12  # squared distances below this share of the largest squared norm are rounding errors


def distance_matrix(third: Floats, first: Floats) -> Array:
    """Euclidean distances of all first-person (rows) to all third-person frames (columns).

    >>> distance_matrix(np.array([[0.0], [3.0]]), np.array([[1.0]])).tolist()
    [[1.0, 2.0]]
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(third, dtype=np.float64)
    centre = b.mean(axis=0)  # distances do not change, and less is lost to cancellation
    a, b = a - centre, b - centre
    norm_a, norm_b = (a**2).sum(1), (b**2).sum(1)
    square = norm_a[:, None] + norm_b[None, :] - 2 * a @ b.T
    return np.sqrt(np.where(square > _ROUNDING * max(norm_a.max(), norm_b.max()), square, 0.0))


def box_mean(matrix: Array, radius: int, clipped: bool = False) -> Array:
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


def moment_radius(times: Array, seconds: float) -> int:
    """Frames on either side of a moment's middle: 3 at 6 frames a second, as published.

    >>> moment_radius(np.arange(12) / 6, seconds=1.0)
    3
    """
    if len(times) < 2:
        return 0
    return max(0, round(seconds / float(np.median(np.diff(times))) / 2))


def moment_means(values: Array, radius: int) -> Array:
    """Mean of the values over each whole window.

    >>> moment_means(np.array([0.0, 1.0, 2.0, 6.0]), radius=1).tolist()
    [1.0, 3.0]
    """
    start, end = _spans(len(values), radius, clipped=False)
    total = np.concatenate([[0.0], np.cumsum(values)])
    return (total[end] - total[start]) / (end - start)


def _spans(length: int, radius: int, clipped: bool) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Start and end of the window around each usable cell of one axis."""
    radius = min(radius, (length - 1) // 2) if not clipped else radius
    cells = np.arange(length) if clipped else np.arange(radius, length - radius)
    return np.maximum(cells - radius, 0), np.minimum(cells + radius + 1, length)

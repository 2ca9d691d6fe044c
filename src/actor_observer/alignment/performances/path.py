"""The path of two recordings in step: dynamic time warping with free ends, on what speaks for each pair of moments."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from actor_observer.alignment.performances.moment_matrix import Array

__all__ = ["best_path"]

STAND_STILL = 0.7  # what a step costs in which only one of the two goes on


def best_path(score: Array, stand_still: float = STAND_STILL) -> tuple[NDArray[np.int64], float]:
    """The monotone path with the largest sum of scores, by steps (1, 1), (1, 0) and (0, 1).

    It starts in the first row or the first column and ends in the last row or the last column: either recording may
    start or stop before the other. Scores should be 0 on average, so that no length of path is favoured. Gives the
    cells (P, 2) of rows and columns, and the sum. Vectorised over anti-diagonals.

    >>> score = np.full((3, 5), -1.0); score[[0, 1, 2], [1, 2, 3]] = 1.0
    >>> path, total = best_path(score)
    >>> path.tolist(), total
    ([[0, 1], [1, 2], [2, 3]], 3.0)
    """
    rows, columns = score.shape
    came = np.zeros((rows, columns), dtype=np.int8)  # 0: starts here, 1: diagonally, 2: from the row above, 3: left
    sums: list[Array] = [np.empty(0), np.empty(0)]  # of the last two anti-diagonals
    lows = [0, 0]  # the first row of each
    best, at = -np.inf, (0, 0)
    for diagonal in range(rows + columns - 1):
        low, high = max(0, diagonal - columns + 1), min(rows - 1, diagonal)
        row = np.arange(low, high + 1)
        column = diagonal - row
        before = np.stack(
            [
                np.where((row == 0) | (column == 0), 0.0, -np.inf),
                _shifted(sums[0], lows[0], row - 1),
                _shifted(sums[1], lows[1], row - 1) - stand_still,
                _shifted(sums[1], lows[1], row) - stand_still,
            ]
        )  # (4, K)
        chosen = before.argmax(axis=0)
        total = before[chosen, np.arange(len(row))] + score[row, column]
        came[row, column] = chosen
        ends = np.flatnonzero((row == rows - 1) | (column == columns - 1))
        for end in ends:
            if total[end] > best:
                best, at = float(total[end]), (int(row[end]), int(column[end]))
        sums, lows = [sums[1], total], [lows[1], low]
    return _back(came, at), best


def _shifted(sums: Array, low: int, rows: NDArray[np.int64]) -> Array:
    """An earlier anti-diagonal's sums at these rows; −∞ where it has none."""
    place = rows - low
    inside = (place >= 0) & (place < len(sums))
    found = np.full(len(rows), -np.inf)
    found[inside] = sums[place[inside]]
    return found


def _back(came: NDArray[np.int8], at: tuple[int, int]) -> NDArray[np.int64]:
    row, column = at
    cells = [(row, column)]
    while came[row, column]:
        step = came[row, column]
        row, column = row - (step != 3), column - (step != 2)
        cells.append((int(row), int(column)))
    return np.array(cells[::-1], dtype=np.int64)

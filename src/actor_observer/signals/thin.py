"""Rows kept at no more than a few hundred a second, and no more than fit: memory stays flat however long a table is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Thinner"]

Array = NDArray[np.float64]
FINEST = 1 / 250  # seconds: rows closer than this are averaged
MOST_VALUES = 3_000_000  # numbers kept
LEAST_ROWS = 200_000  # kept of a table however wide: nearly an hour at 60 a second, as two signals are compared


class Thinner:
    """Averages rows that come closer than a step; the step doubles whenever too many are kept.

    >>> thin = Thinner(1, finest=1.0, most=100)
    >>> thin.add(np.array([0.0, 0.5, 1.5]), np.array([[1.0], [3.0], [np.nan]]))
    >>> thin.add(np.array([1.75, 4.0]), np.array([[5.0], [6.0]]))
    >>> times, values = thin.kept()
    >>> times.tolist(), values[:, 0].tolist()
    ([0.25, 1.625, 4.0], [2.0, 5.0, 6.0])
    """

    def __init__(self, columns: int, finest: float = FINEST, most: int = MOST_VALUES, least: int = LEAST_ROWS) -> None:
        self.step, self.most = finest, max(least, most // max(columns, 1))
        self._kept: list[tuple[Array, NDArray[np.float32]]] = []
        self._left: tuple[Array, Array] = np.zeros(0), np.zeros((0, columns))  # of a step that may go on

    def add(self, times: Array, values: Array) -> None:
        """The next rows: times (n,) that do not run backwards, values (n, K)."""
        times = np.concatenate([self._left[0], times])
        values = np.concatenate([self._left[1], values])
        if not len(times):
            return
        last = int(np.searchsorted(np.floor(times / self.step), np.floor(times[-1] / self.step)))
        self._left = times[last:], values[last:]
        self._kept.append(_averaged(times[:last], values[:last], self.step))
        if sum(len(some) for some, _ in self._kept) > self.most:
            whole, table = self._joined()
            while len(whole) > self.most:
                self.step *= 2
                whole, table = _averaged(whole, table.astype(np.float64), self.step)
            self._kept = [(whole, table)]

    def kept(self) -> tuple[Array, NDArray[np.float32]]:
        """All rows, thinned."""
        self._kept.append(_averaged(*self._left, self.step))
        self._left = self._left[0][:0], self._left[1][:0]
        return self._joined()

    def _joined(self) -> tuple[Array, NDArray[np.float32]]:
        return np.concatenate([some for some, _ in self._kept]), np.concatenate([table for _, table in self._kept])


def _averaged(times: Array, values: Array, step: float) -> tuple[Array, NDArray[np.float32]]:
    """Rows of one step become their mean, of times and of what is known of each column."""
    place = np.floor(times / step)
    starts = np.flatnonzero(np.diff(place, prepend=np.nan) != 0)
    if len(starts) == len(times):
        return times, values.astype(np.float32)
    counts = np.diff(np.append(starts, len(times)))
    known = np.isfinite(values)
    sums = np.add.reduceat(np.where(known, values, 0.0), starts, axis=0)
    rows = np.add.reduceat(known.astype(np.float64), starts, axis=0)
    with np.errstate(invalid="ignore"):
        means = sums / np.where(rows, rows, np.nan)
    return np.add.reduceat(times, starts) / counts, means.astype(np.float32)

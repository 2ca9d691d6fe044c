"""Angles that wrap: from 359 degrees to 0, or from π to −π, without anything having turned round."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Unwrapper"]

Array = NDArray[np.float64]
PERIODS = (2 * np.pi, 360.0)
JUMP = 0.8  # of a period: no joint turns as far between two rows
RANGE = 1.02  # of a period: what wraps stays within one


class Unwrapper:
    """Unwraps columns as they are read, piece by piece: an angle is known by its jumps of a whole turn.

    >>> unwrap = Unwrapper(2)
    >>> unwrap(np.array([[350.0, 1.0], [355.0, 2.0], [1.0, 3.0]])).tolist()
    [[350.0, 1.0], [355.0, 2.0], [361.0, 3.0]]
    >>> unwrap(np.array([[5.0, 4.0], [np.nan, 5.0], [355.0, 6.0]])).tolist()
    [[365.0, 4.0], [nan, 5.0], [355.0, 6.0]]
    """

    def __init__(self, columns: int) -> None:
        self.periods = np.zeros(columns)  # 0: not known to wrap
        self.low, self.high = np.full(columns, np.inf), np.full(columns, -np.inf)
        self.last: Array = np.full(columns, np.nan)  # as read
        self.turns = np.zeros(columns)

    def __call__(self, values: Array) -> Array:
        """The next rows (T, K), unwrapped."""
        found = values.copy()
        for column in range(values.shape[1]):
            known = np.isfinite(values[:, column])
            if known.any():
                found[known, column] = self._column(column, values[known, column])
        return found

    def _column(self, column: int, values: Array) -> Array:
        before = values[0] if np.isnan(self.last[column]) else self.last[column]
        jumps = np.diff(values, prepend=before)
        self.low[column] = min(self.low[column], float(values.min()))
        self.high[column] = max(self.high[column], float(values.max()))
        self.last[column] = values[-1]
        if not self.periods[column]:
            span = self.high[column] - self.low[column]
            self.periods[column] = next(
                (one for one in PERIODS if span <= RANGE * one and (np.abs(jumps) > JUMP * one).any()), 0.0
            )
        period = self.periods[column]
        if not period:
            return values
        turns = self.turns[column] - np.cumsum(np.round(jumps / period))
        self.turns[column] = turns[-1]
        return values + period * turns

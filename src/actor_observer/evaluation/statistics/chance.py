"""Chance levels, computed exactly for the moments and videos that are judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["UniformGuess", "expected_ap"]

Array = NDArray[np.float64]
_ROUNDING = 1e-9  # seconds: an error of exactly one second is within one second


@dataclass(frozen=True)
class UniformGuess:
    """Errors of a guess that takes any third-person moment for any first-person one, each as likely.

    `grids` holds, for each pair, the third-person moments to choose from (N,) and where its first-person moments belong
    (M,), both increasing, in third-person seconds. Counting the cells is exact, wherever the two stretches lie.

    >>> guess = UniformGuess([(np.arange(3.0), np.arange(3.0))])
    >>> round(guess.mean(), 3), guess.median(), round(guess.within(1.0), 3)
    (0.889, 1.0, 0.778)
    """

    grids: Sequence[tuple[Array, Array]]
    by_moment: bool = True  # every first-person moment counts the same; otherwise every pair does

    def within(self, error: float) -> float:
        """The share of guesses that are off by at most this many seconds."""
        return self._over_pairs([_count_within(*grid, error) / (len(grid[0]) * len(grid[1])) for grid in self.grids])

    def mean(self) -> float:
        """Their mean error in seconds."""
        return self._over_pairs([_mean_error(*grid) for grid in self.grids])

    def median(self) -> float:
        """Their median error: where half of all guesses are within."""
        low, high = 0.0, max(max(abs(a[-1] - b[0]), abs(b[-1] - a[0])) for a, b in self.grids)
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (middle, high) if self.within(middle) < 0.5 else (low, middle)
        return round(float(high), 6)

    def _over_pairs(self, values: list[float]) -> float:
        weights = [len(truth) for _, truth in self.grids] if self.by_moment else None
        return float(np.average(values, weights=weights))


def expected_ap(positives: int, videos: int) -> float:
    """The average precision of a random order, exactly: (H_N + (n−1)/(N−1)·(N−H_N))/N.

    >>> expected_ap(1, 2), expected_ap(2, 2)
    (0.75, 1.0)
    """
    if videos < 2 or positives >= videos:
        return float(positives > 0)
    harmonic = float((1 / np.arange(1, videos + 1)).sum())
    return (harmonic + (positives - 1) / (videos - 1) * (videos - harmonic)) / videos


def _count_within(third: Array, truth: Array, error: float) -> float:
    after = np.searchsorted(third, truth + error + _ROUNDING, side="right")
    return float((after - np.searchsorted(third, truth - error - _ROUNDING)).sum())


def _mean_error(third: Array, truth: Array) -> float:
    """The mean of |third - truth| over all cells, from running sums."""
    total = np.concatenate([[0.0], np.cumsum(third)])
    below = np.searchsorted(third, truth)
    under = truth * below - total[below]
    over = (total[-1] - total[below]) - truth * (len(third) - below)
    return float((under + over).sum() / (len(third) * len(truth)))

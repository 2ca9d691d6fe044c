"""Intervals from a bootstrap over videos: frames and quads of one video are not independent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Interval", "bootstrap"]


@dataclass(frozen=True)
class Interval:
    """A figure with its 95 % interval.

    >>> print(Interval(0.5, 0.4, 0.62))
    0.500 [0.400, 0.620]
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"

    def percent(self) -> str:
        """The figure as a percentage.

        >>> Interval(0.5, 0.4, 0.62).percent()
        '50.0 [40.0, 62.0]'
        """
        return f"{100 * self.value:.1f} [{100 * self.low:.1f}, {100 * self.high:.1f}]"


def bootstrap(
    statistic: Callable[[NDArray[np.float64]], float], videos: int, replicates: int = 1000, seed: int = 0
) -> Interval:
    """The statistic over all videos, and its spread when videos are drawn with replacement.

    `statistic` gets how often each video counts (videos,), ones for the figure itself, and redoes everything that
    depends on it, the choice of a share of the data included.

    >>> data = np.arange(100.0)
    >>> bootstrap(lambda counts: float(np.average(data, weights=counts)), videos=100).value
    49.5
    """
    rng = np.random.default_rng(seed)
    value = statistic(np.ones(videos))
    draws = [
        statistic(np.bincount(rng.integers(0, videos, videos), minlength=videos).astype(float))
        for _ in range(replicates)
    ]
    low, high = np.nanpercentile(draws, [2.5, 97.5]) if videos > 1 else (value, value)
    return Interval(value, float(low), float(high))

"""Intervals from a bootstrap over videos: frames and quads of one video are not independent."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from actor_observer.evaluation.statistics.resampling import Resampling

__all__ = ["Interval", "bootstrap", "t_quantile"]


@dataclass(frozen=True)
class Interval:
    """A figure with its 95 % interval; `low` and `high` are NaN where there is none, as with a single video.

    >>> print(Interval(0.5, 0.4, 0.62), Interval(0.5))
    0.500 [0.400, 0.620] 0.500
    """

    value: float
    low: float = math.nan
    high: float = math.nan

    @property
    def known(self) -> bool:
        """Whether the figure has an interval at all."""
        return not (math.isnan(self.low) or math.isnan(self.high))

    def text(self, digits: int, factor: float = 1.0) -> str:
        """The figure times `factor` with its interval, if it has one.

        >>> Interval(0.5, 0.4, 0.62).text(1, factor=100)
        '50.0 [40.0, 62.0]'
        """
        value, low, high = (f"{factor * number:.{digits}f}" for number in (self.value, self.low, self.high))
        return f"{value} [{low}, {high}]" if self.known else value

    def __str__(self) -> str:
        return self.text(3)

    def percent(self) -> str:
        """The figure as a percentage.

        >>> Interval(0.5, 0.4, 0.62).percent()
        '50.0 [40.0, 62.0]'
        """
        return self.text(1, factor=100)


def bootstrap(
    statistic: Callable[[NDArray[np.float64]], float],
    over: Resampling | int,
    replicates: int = 1000,
    seed: int = 0,
) -> Interval:
    """The statistic over all videos or pairs, and its spread when they are drawn with replacement.

    `statistic` is told how often each one counts (P,), ones for the figure itself, and redoes everything that depends
    on it, including the choice of a share of the data. `over` is how they are drawn; a number stands for that many
    independent ones. With a single one there is no interval.

    >>> data = np.arange(100.0)
    >>> bootstrap(lambda counts: float(np.average(data, weights=counts)), 100).value
    49.5
    """
    over = Resampling.independent(over) if isinstance(over, int) else over
    value = statistic(np.ones(len(over.group)))
    if len(over.group) < 2 or over.units < 2:
        return Interval(value)
    rng = np.random.default_rng(seed)
    draws = np.array([statistic(counts) for counts in over.draws(rng, replicates)])
    if np.isnan(draws).all():
        return Interval(value)
    tail = 100 * _tail(over.units)
    low, high = np.nanpercentile(draws, [tail, 100 - tail])
    return Interval(value, float(low), float(high))


def t_quantile(units: int) -> float:
    """The 97.5 % point of Student's t for this many independent units.

    >>> round(t_quantile(12), 2)
    2.2
    """
    from scipy.special import stdtrit

    return float(stdtrit(units - 1, 0.975))


def _tail(units: int) -> float:
    """The share cut off at either end: 2.5 %, and less for few units.

    A bootstrap's spread is too small by √((n-1)/n) and its percentiles are normal, not Student's (Hesterberg's
    "expanded percentiles").
    """
    from scipy.special import ndtr

    return float(ndtr(-np.sqrt(units / (units - 1)) * t_quantile(units)))

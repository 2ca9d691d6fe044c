"""How much better a figure is than the best of its rivals, video by video."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from actor_observer.evaluation.statistics.bootstrap import Interval, bootstrap
from actor_observer.evaluation.statistics.over_videos import Statistic
from actor_observer.evaluation.statistics.resampling import Resampling

__all__ = ["better_by"]

_REPLICATES = 500  # drawn again, an end of the interval moves by a thirtieth of its width


def better_by(own: Statistic, rivals: Sequence[Statistic], over: Resampling, larger: bool = True) -> Interval:
    """The figure less that of the best rival, on the same videos; above 0 is better, also where less is (an error).

    Which rival is best is settled again in every draw. Where nothing differs between draws, because both are right in
    all videos, the interval is as wide as so many videos leave a share open: they may differ in the next.

    >>> from actor_observer.evaluation.statistics.over_videos import mean_of
    >>> right = np.array([0.9, 0.8, 1.0, 0.9]), np.array([0.6, 0.5, 0.5, 0.4])
    >>> mine, other = (mean_of(values, np.arange(4)) for values in right)
    >>> print(better_by(mine, [other], Resampling.independent(4)))
    0.400 [0.300, 0.500]
    """

    def better(counts: NDArray[np.float64]) -> float:
        figures = [figure for rival in rivals if not np.isnan(figure := rival(counts))]
        if not figures:
            return float("nan")
        return own(counts) - max(figures) if larger else min(figures) - own(counts)

    found = bootstrap(better, over, _REPLICATES)
    if found.known and found.low == found.high and larger:
        reach = 1 - 0.025 ** (1 / over.units)
        return Interval(found.value, max(-1.0, found.value - reach), min(1.0, found.value + reach))
    return found

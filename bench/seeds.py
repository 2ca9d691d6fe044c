"""A figure of several seeds: their mean, with its interval over videos."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from actor_observer.evaluation.statistics.bootstrap import Interval, bootstrap
from actor_observer.evaluation.statistics.over_videos import Share, Statistic, mean_share
from actor_observer.evaluation.statistics.shares import share_over

__all__ = ["over_seeds"]


def over_seeds(statistics: Sequence[Statistic], videos: int, replicates: int = 300) -> Interval:
    """The mean of one statistic of each seed; a share gets the interval of shares."""
    shares = [one for one in statistics if isinstance(one, Share)]
    if len(shares) == len(statistics):
        return share_over(mean_share(shares) if len(shares) > 1 else shares[0], videos)
    return bootstrap(lambda counts: float(np.mean([one(counts) for one in statistics])), videos, replicates)

"""Intervals for figures that copies of a video would lift, such as average precision: videos are left out instead."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from actor_observer.evaluation.statistics.bootstrap import Interval, t_quantile
from actor_observer.evaluation.statistics.shares import at_the_end

__all__ = ["jackknife"]


def jackknife(value: float, left_out: NDArray[np.float64]) -> Interval:
    """The figure with Student's interval around it, from the figures with each video left out (N,); within 0 and 1.

    A bootstrap draws some videos twice. Average precision is not linear in such copies: they follow each other in the
    ranking, so that replicates of pure noise score above the noise itself. Leaving videos out makes no copies, and the
    jackknife's variance errs on the large side (Efron and Stein).

    >>> print(jackknife(0.5, np.array([0.45, 0.5, 0.55, 0.5])))
    0.500 [0.305, 0.695]

    Where nothing changes, because everything is right, so many videos tell this much:

    >>> print(jackknife(1.0, np.ones(4)))
    1.000 [0.398, 1.000]
    """
    count = len(left_out)
    if count < 2 or not np.isfinite(left_out).all():
        return Interval(value)
    error = np.sqrt((count - 1) / count * ((left_out - left_out.mean()) ** 2).sum())
    reach = t_quantile(count) * float(error)
    return at_the_end(Interval(value, max(0.0, value - reach), min(1.0, value + reach)), count)

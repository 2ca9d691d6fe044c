"""Intervals for shares: how many of the answers are right, where the answers of one video are not independent."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from actor_observer.evaluation.statistics.bootstrap import Interval, bootstrap, t_quantile
from actor_observer.evaluation.statistics.over_videos import Share
from actor_observer.evaluation.statistics.resampling import Resampling

__all__ = ["at_the_end", "share_interval", "share_over"]

Array = NDArray[np.float64]
_UNKNOWN = 1.0  # videos' worth of doubt about the spread: what was seen counts as many as were wrong
_NORMAL = 1.959964  # the 97.5th percentile of the normal distribution
_REPLICATES = 500  # as in better_by.py; what it covers is measured by bench/coverage.py


def share_interval(successes: ArrayLike, counts: ArrayLike) -> Interval:
    """The share of right answers, Σ successes / Σ counts, with a 95 % interval from each video's (V,) successes.

    Clopper and Pearson's interval, for as many independent answers as these are worth. Where answers of a video go
    together they are worth less than their number; how far they do is seen in the videos that were wrong now and then.
    Where all are right or all wrong nothing is seen, and every video counts as one answer: 16 videos right in all of 4
    cuts tell "at least 79 %". A bootstrap says 100 [100, 100] there.

    >>> print(share_interval([4] * 16, [4] * 16).percent())
    100.0 [79.4, 100.0]
    >>> print(share_interval([4] * 14 + [3, 2], [4] * 16).percent())
    95.3 [78.0, 99.8]
    """
    right, asked = (np.asarray(column, dtype=float).ravel() for column in (successes, counts))
    if right.shape != asked.shape or (right < -1e-9).any() or (right > asked + 1e-9).any():
        raise ValueError("successes lie between 0 and the counts, one of each for every video")
    right, asked = np.clip(right[asked > 0], 0, asked[asked > 0]), asked[asked > 0]
    if not len(asked):
        return Interval(float("nan"))
    total = float(asked.sum())
    share = float(right.sum()) / total
    if len(asked) < 2:
        return Interval(share)
    return Interval(share, *_clopper_pearson(share, _worth(right, asked, share)))


def share_over(share: Share, over: Resampling | int) -> Interval:
    """The interval of a share whose videos are drawn as `over` says; a number stands for that many independent ones.

    Videos linked by shared takes are one. Where these are too few for that, takes of the rarer view are counted. There,
    and where answers were chosen, the interval also holds that of a bootstrap, which chooses again for every draw.

    >>> from actor_observer.evaluation.statistics.over_videos import share_of
    >>> print(share_over(share_of(np.ones(64), np.arange(64) // 4), 16).percent())
    100.0 [79.4, 100.0]
    """
    over = Resampling.independent(over) if isinstance(over, int) else over
    unit = over.group
    if over.how == "takes":
        unit = min(over.third, over.first, key=lambda takes: len(np.unique(takes)))
    whose = unit[: len(share.asked)]  # the last videos may have no answers
    found = share_interval(np.bincount(whose, share.right), np.bincount(whose, share.asked))
    if over.units < 2 or np.isnan(found.value):
        return Interval(found.value)
    if not found.known:  # all answers that were chosen are of one video: it tells what one answer does
        found = Interval(found.value, *_clopper_pearson(found.value, 1.0))
    if share.chosen or over.how == "takes":
        drawn = bootstrap(share, over, _REPLICATES)
        return Interval(found.value, min(found.low, drawn.low), max(found.high, drawn.high))
    return found


def at_the_end(found: Interval, units: int) -> Interval:
    """An interval that is nothing but 0 or 1, as of videos that are all alike, with what so many videos can tell.

    >>> print(at_the_end(Interval(1.0, 1.0, 1.0), 16).percent(), at_the_end(Interval(0.5, 0.4, 0.6), 16).percent())
    100.0 [79.4, 100.0] 50.0 [40.0, 60.0]
    """
    if not found.known or found.low < found.high or found.value not in (0.0, 1.0):
        return found
    return share_interval([found.value] * units, [1.0] * units)


def _worth(right: Array, asked: Array, share: float) -> float:
    """How many independent answers would spread as much.

    At least one video's worth of them is as if all answers of a video were one (Kish's number of videos): few wrong
    videos say little about how far wrong answers go together.
    """
    videos, total = len(asked), asked.sum()
    wholes = float(total**2 / (asked**2).sum())
    rare = asked - right if share > 0.5 else right
    if not rare.any():
        return wholes
    wrong = float(rare.sum() ** 2 / (rare**2).sum())
    seen = float(((right - share * asked) ** 2).sum() / total**2) * videos / (videos - 1)
    spread = max(seen, share * (1 - share) / total)
    answers = share * (1 - share) / spread * (_NORMAL / t_quantile(videos)) ** 2
    return (wrong + _UNKNOWN) / (wrong / answers + _UNKNOWN / wholes)


def _clopper_pearson(share: float, count: float) -> tuple[float, float]:
    from scipy.special import betaincinv

    right, wrong = share * count, (1 - share) * count
    low = float(betaincinv(right, wrong + 1, 0.025)) if right > 1e-9 else 0.0
    high = float(betaincinv(right + 1, wrong, 0.975)) if wrong > 1e-9 else 1.0
    return low, high

"""Figures as functions of how often each video counts, for the bootstrap over videos."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["Statistic", "mean_of", "median_of", "median_of_top", "ranking", "top_share", "top_taker"]

Array = NDArray[np.float64]
Whose = NDArray[np.integer]
Statistic = Callable[[Array], float]  # how often each video counts (videos,) -> the figure
_ROUNDING = 1e-9  # of sums of shares; choices that differ by less are tied


def mean_of(values: Array, video: Whose, share: Array | None = None) -> Statistic:
    """The mean of values, each of which belongs to a video (0, 1, …) and may count as a share of one.

    >>> mean_of(np.array([1.0, 3.0, 8.0]), np.array([0, 0, 1]))(np.array([1.0, 0.0]))
    2.0
    """
    share = np.ones(len(values)) if share is None else share
    sums, sizes = np.bincount(video, values * share), np.bincount(video, share)

    def mean(counts: Array) -> float:
        counts = counts[: len(sums)]  # the last videos may have no values
        return float((counts @ sums) / (counts @ sizes)) if counts @ sizes else float("nan")

    return mean


def median_of(values: Array, video: Whose, share: Array | None = None) -> Statistic:
    """Their median; of two middle values, the mean.

    >>> median = median_of(np.array([1.0, 3.0, 8.0, 9.0]), np.array([0, 0, 1, 1]))
    >>> median(np.ones(2)), median(np.array([1.0, 2.0]))
    (5.5, 8.0)
    """
    order = np.argsort(values, kind="stable")
    values, video = values[order], video[order]
    share = np.ones(len(values)) if share is None else share[order]
    return lambda counts: _median(values, counts[video] * share)


def median_of_top(
    values: Array, video: Whose, choice: Array, top: float = 0.5, share: Array | None = None
) -> Statistic:
    """The median of values over the `top` share of highest `choice`, chosen again for every count.

    Of values tied in their choice all are taken in equal part, so that a constant choice gives the median of all.

    >>> best = median_of_top(np.array([1.0, 2.0, 9.0, 9.0]), np.arange(4), np.array([4.0, 3.0, 2.0, 1.0]))
    >>> best(np.ones(4)), best(np.array([0.0, 0.0, 1.0, 1.0]))
    (1.5, 9.0)
    """
    order = np.argsort(values, kind="stable")
    values, video = values[order], video[order]
    share = np.ones(len(values)) if share is None else share[order]
    take = top_taker(choice[order])
    return lambda counts: _median(values, take(counts[video] * share, top))


def top_taker(choice: Array) -> Callable[[Array, float], Array]:
    """How much of each item is taken, given its weight, when a share of highest choice is; ties are taken in part.

    >>> top_taker(np.array([2.0, 1.0, 1.0, 0.0]))(np.ones(4), 0.5).tolist()
    [1.0, 0.5, 0.5, 0.0]
    """
    tie = np.unique(-np.round(choice / _ROUNDING) * _ROUNDING, return_inverse=True)[1]  # 0 for the highest

    def taken(weight: Array, share: float) -> Array:
        total = np.bincount(tie, weight)
        before = np.cumsum(total) - total
        part = np.clip(share * weight.sum() - before, 0, total) / np.where(total > 0, total, 1)
        return np.asarray(weight * part[tie])

    return taken


def ranking(choice: Array | None, count: int) -> NDArray[np.intp]:
    """The items from the highest choice to the lowest; ties, or no choice at all, are settled by a fixed shuffle.

    >>> ranking(np.array([1.0, 3.0, 2.0]), 3).tolist()
    [1, 2, 0]
    """
    shuffle = np.random.default_rng(0).permutation(count)
    return shuffle if choice is None else shuffle[np.argsort(-choice[shuffle], kind="stable")]


def top_share(right: Array, video: Whose, choice: Array | None = None, share: float = 1.0) -> Statistic:
    """The mean of `right` over the `share` of highest `choice`, chosen again for every count.

    >>> top_share(np.array([1.0, 0.0, 1.0, 0.0]), np.arange(4), np.array([4.0, 1, 3, 2]), share=0.5)(np.ones(4))
    1.0
    """
    if share >= 1:
        return mean_of(right, video)  # all are taken, whatever their choice
    order = ranking(choice, len(right))
    right, video = right[order], video[order]

    def mean_of_top(counts: Array) -> float:
        weight = counts[video]  # (Q,) how often each quad counts
        before = np.cumsum(weight) - weight
        taken = np.clip(share * weight.sum() - before, 0, weight)  # the last one taken may be taken in part
        return float((taken * right).sum() / taken.sum()) if taken.sum() else float("nan")

    return mean_of_top


def _median(values: Array, weight: Array) -> float:
    """The median of increasing values with these weights."""
    total = np.cumsum(weight)
    if not len(total) or not total[-1]:
        return float("nan")
    half, rounding = total[-1] / 2, _ROUNDING * total[-1]
    lower, upper = np.searchsorted(total, half - rounding), np.searchsorted(total, half + rounding, side="right")
    return float(values[lower] + values[upper]) / 2

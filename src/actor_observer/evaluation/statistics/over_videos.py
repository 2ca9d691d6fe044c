"""Figures as functions of how often each video counts: what a bootstrap over videos computes again and again."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["Statistic", "mean_of", "median_of", "top_share"]

Array = NDArray[np.float64]
Whose = NDArray[np.integer]
Statistic = Callable[[Array], float]  # how often each video counts (videos,) -> the figure


def mean_of(values: Array, video: Whose) -> Statistic:
    """The mean of values, each of which belongs to a video (0, 1, …).

    >>> mean_of(np.array([1.0, 3.0, 8.0]), np.array([0, 0, 1]))(np.array([1.0, 0.0]))
    2.0
    """
    sums, sizes = np.bincount(video, values), np.bincount(video).astype(float)
    return lambda counts: float((counts @ sums) / (counts @ sizes)) if counts @ sizes else float("nan")


def median_of(values: Array, video: Whose) -> Statistic:
    """Their median; of two middle values, the mean.

    >>> median = median_of(np.array([1.0, 3.0, 8.0, 9.0]), np.array([0, 0, 1, 1]))
    >>> median(np.ones(2)), median(np.array([1.0, 2.0]))
    (5.5, 8.0)
    """
    order = np.argsort(values, kind="stable")
    values, video = values[order], video[order]

    def median(counts: Array) -> float:
        total = np.cumsum(counts[video])
        if not total[-1]:
            return float("nan")
        upper = np.searchsorted(total, total[-1] / 2, side="right")
        return float(values[np.searchsorted(total, total[-1] / 2)] + values[upper]) / 2

    return median


def top_share(right: Array, video: Whose, choice: Array | None = None, share: float = 1.0) -> Statistic:
    """The mean of `right` over the `share` of highest `choice`, chosen anew; ties are broken by a fixed shuffle.

    >>> top_share(np.array([1.0, 0.0, 1.0, 0.0]), np.arange(4), np.array([4.0, 1, 3, 2]), share=0.5)(np.ones(4))
    1.0
    """
    shuffle = np.random.default_rng(0).permutation(len(right))
    order = shuffle if choice is None else shuffle[np.argsort(-choice[shuffle], kind="stable")]
    right, video = right[order], video[order]

    def mean_of_top(counts: Array) -> float:
        weight = counts[video]  # (Q,) how often each quad counts
        before = np.cumsum(weight) - weight
        taken = np.clip(share * weight.sum() - before, 0, weight)  # the last one taken may be taken in part
        return float((taken * right).sum() / taken.sum())

    return mean_of_top

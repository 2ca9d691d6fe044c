"""Figures as functions of how often each video counts, for the bootstrap over videos."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = [
    *("Share", "Statistic", "mean_of", "mean_share", "median_of", "median_of_top", "ranking", "share_of"),
    *("top_share", "top_taker"),
]

Array = NDArray[np.float64]
Whose = NDArray[np.integer]
Statistic = Callable[[Array], float]  # how often each video counts (videos,) -> the figure
_ROUNDING = 1e-9  # of sums of shares; choices that differ by less are tied


@dataclass(frozen=True)
class Share:
    """A share of answers that are right, as a function of how often each video counts, and each video's part in it."""

    figure: Statistic
    right: Array  # (videos,) how many answers of a video are right
    asked: Array  # (videos,) of how many
    chosen: bool = False  # whether the answers are chosen again for every count

    def __call__(self, counts: Array) -> float:
        return self.figure(counts)


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


def share_of(right: Array, video: Whose, share: Array | None = None) -> Share:
    """The mean of values from 0 to 1, each of which belongs to a video (0, 1, …) and may count as a share of one.

    >>> share_of(np.array([1.0, 0.0, 1.0]), np.array([0, 0, 1])).right.tolist()
    [1.0, 1.0]
    """
    part = np.ones(len(right)) if share is None else share
    return Share(mean_of(right, video, part), _sums(video, right * part), _sums(video, part))


def mean_share(shares: Sequence[Share]) -> Share:
    """The mean of several shares over the same videos, as of several seeds.

    >>> mean_share([share_of(np.array([1.0]), np.array([0])), share_of(np.array([0.0]), np.array([0]))])(np.ones(1))
    0.5
    """
    videos = max(len(one.asked) for one in shares)
    right, asked = (
        np.mean([np.pad(getattr(one, name), (0, videos - len(one.asked))) for one in shares], axis=0)
        for name in ("right", "asked")
    )
    return Share(lambda counts: float(np.mean([one(counts) for one in shares])), right, asked, chosen=True)


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


def top_share(right: Array, video: Whose, choice: Array | None = None, share: float = 1.0) -> Share:
    """The mean of `right` over the `share` of highest `choice`, chosen again for every count.

    >>> top_share(np.array([1.0, 0.0, 1.0, 0.0]), np.arange(4), np.array([4.0, 1, 3, 2]), share=0.5)(np.ones(4))
    1.0
    """
    if share >= 1:
        return share_of(right, video)  # all are taken, whatever their choice
    order = ranking(choice, len(right))
    right, video = right[order], video[order]

    def taken(counts: Array) -> Array:
        weight = counts[video]  # (Q,) how often each quad counts
        before = np.cumsum(weight) - weight
        return np.asarray(np.clip(share * weight.sum() - before, 0, weight))  # the last one may be taken in part

    def mean_of_top(counts: Array) -> float:
        part = taken(counts)
        return float((part * right).sum() / part.sum()) if part.sum() else float("nan")

    part = taken(np.ones(int(video.max(initial=-1)) + 1))
    return Share(mean_of_top, _sums(video, right * part), _sums(video, part), chosen=True)


def _sums(video: Whose, values: Array) -> Array:
    return np.asarray(np.bincount(video, values), dtype=np.float64)


def _median(values: Array, weight: Array) -> float:
    """The median of increasing values with these weights."""
    total = np.cumsum(weight)
    if not len(total) or not total[-1]:
        return float("nan")
    half, rounding = total[-1] / 2, _ROUNDING * total[-1]
    lower, upper = np.searchsorted(total, half - rounding), np.searchsorted(total, half + rounding, side="right")
    return float(values[lower] + values[upper]) / 2

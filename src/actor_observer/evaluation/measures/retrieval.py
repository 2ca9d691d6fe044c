"""Cross-view retrieval: with a first-person moment as the query, at which rank does the right third-person one come?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from actor_observer.evaluation.statistics.bootstrap import Interval
from actor_observer.evaluation.statistics.over_videos import share_of
from actor_observer.evaluation.statistics.resampling import Resampling
from actor_observer.evaluation.statistics.shares import share_over
from actor_observer.features.embeddings import Embeddings, TakeEmbedding
from actor_observer.pairs.manifest import Pair

__all__ = ["Ranks", "Retrieval", "retrieve_moments"]

Array = NDArray[np.float64]
_TIE = 1e-12  # squared distances that differ by less than this share of the largest one are equal


@dataclass(frozen=True)
class Ranks:
    """For each query, where its first right answer can come: among `tied` answers, `right` of them right ones.

    `before` answers are nearer than the first right one. Equally near answers come in any order, and every figure is
    its expectation over those orders.
    """

    before: Array  # (Q,)
    tied: Array  # (Q,) answers as near as the first right one, itself included
    right: Array  # (Q,) how many of those are right

    def within(self, limit: int) -> Array:
        """The chance that a right answer is among the first `limit` (Q,).

        >>> Ranks(np.array([0.0]), np.array([4.0]), np.array([1.0])).within(1).round(6).tolist()
        [0.25]
        """
        from scipy.special import gammaln

        looked = np.clip(limit - self.before, 0, self.tied)  # how many of the tied ones are seen
        wrong = self.tied - self.right
        some = np.minimum(looked, wrong)  # chance of seeing only wrong ones: C(wrong, looked) / C(tied, looked)
        missed = gammaln(wrong + 1) - gammaln(wrong - some + 1) - gammaln(self.tied + 1)
        missed += gammaln(self.tied - some + 1)
        return np.where(looked > wrong, 1.0, 1 - np.exp(missed))

    def median(self) -> float:
        """The median rank over all queries and all orders of tied answers; of two middle ranks, the mean.

        >>> Ranks(np.array([0.0, 4.0]), np.ones(2), np.ones(2)).median()
        3.0
        """
        most = int((self.before + self.tied).max())
        return (self._first_rank(0.5 - 1e-9, most) + self._first_rank(0.5 + 1e-9, most)) / 2

    def _first_rank(self, share: float, most: int) -> int:
        """The first rank within which this share of the queries has its right answer."""
        low, high = 0, most
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.within(middle).mean() < share else (low, middle)
        return high


@dataclass(frozen=True)
class Retrieval:
    """Moments of all takes in one pool; right is a moment of a partner within `near` seconds."""

    recall: dict[int, Interval]  # at 1, 5, 10
    median_rank: float  # 1 is best
    chance: dict[int, float]  # recall of a random order
    chance_rank: float
    pool: int  # how many moments are searched


@dataclass(frozen=True)
class _Pool:
    features: Array  # (N, D)
    time: Array  # (N,) seconds of the take
    start: dict[str, slice]  # take id -> its rows


def retrieve_moments(
    embeddings: Embeddings, pairs: Sequence[Pair], near: float = 1.0, step: float = 1.0, at: Sequence[int] = (1, 5, 10)
) -> Retrieval | None:
    """Search the third-person moments of all pairs with each first-person moment, one moment a `step`.

    A take that several pairs share is searched, or asked, once; all its partners are right. None when no moment of one
    view has a partner in the other.
    """
    pool = _moments(embeddings, [pair.third for pair in pairs], step)
    queries = _moments(embeddings, [pair.first for pair in pairs], step)
    centre = pool.features.mean(axis=0)
    pool, queries = (replace(one, features=one.features - centre) for one in (pool, queries))  # less cancellation
    numbers: dict[str, list[int]] = {}  # first-person take -> its pairs
    for number, pair in enumerate(pairs):
        numbers.setdefault(pair.first, []).append(number)
    parts = [_ranks_of_take(queries, pool, [pairs[number] for number in own], near) for own in numbers.values()]
    found, blind = (_joined(ranks) for ranks in zip(*parts, strict=True))
    if not len(found.before):
        return None
    # A query belongs to all pairs of its take, to each in equal part.
    sizes = [len(ranks.before) for ranks, _ in parts]
    query = np.arange(sum(sizes))
    belongs = [
        (rows, number, 1 / len(own))
        for rows, own in zip(np.split(query, np.cumsum(sizes)[:-1]), numbers.values(), strict=True)
        for number in own
    ]
    rows = np.concatenate([rows for rows, _, _ in belongs])
    pair_of = np.concatenate([np.full(len(rows), number) for rows, number, _ in belongs])
    share = np.concatenate([np.full(len(rows), part) for rows, _, part in belongs])
    over = Resampling.of(pairs)

    def recall(limit: int) -> Interval:
        return share_over(share_of(found.within(limit)[rows], pair_of, share), over)

    return Retrieval(
        recall={limit: recall(limit) for limit in at},
        median_rank=found.median(),
        chance={limit: float(blind.within(limit).mean()) for limit in at},
        chance_rank=blind.median(),
        pool=len(pool.time),
    )


def _moments(embeddings: Embeddings, ids: Sequence[str], step: float) -> _Pool:
    """One moment a step of each of these takes, every take once."""
    features, times, start, count = [], [], {}, 0
    for id in dict.fromkeys(ids):
        take: TakeEmbedding = embeddings[id]
        when = np.arange(take.times[0], take.times[-1] + 1e-6, step)
        features.append(np.asarray(take.features[take.at(when)], dtype=float))
        times.append(when)
        start[id] = slice(count, count + len(when))
        count += len(when)
    return _Pool(np.concatenate(features), np.concatenate(times), start)


def _ranks_of_take(queries: _Pool, pool: _Pool, pairs: Sequence[Pair], near: float) -> tuple[Ranks, Ranks]:
    """The ranks of one take's moments that have a partner at all, and those of a random order."""
    rows = queries.start[pairs[0].first]
    features, times = queries.features[rows], queries.time[rows]
    right = np.zeros((len(times), len(pool.time)), dtype=bool)
    for pair in pairs:
        columns = pool.start[pair.third]
        right[:, columns] |= pair.clock.apart(pool.time[columns], times) <= near
    asked = right.any(axis=1)
    features, right = features[asked], right[asked]
    count = right.sum(axis=1).astype(float)
    random = Ranks(np.zeros(len(count)), np.full(len(count), float(len(pool.time))), count)
    if not len(count):
        return random, random
    square = (features**2).sum(axis=1)[:, None] + (pool.features**2).sum(axis=1) - 2 * features @ pool.features.T
    best = np.where(right, square, np.inf).min(axis=1, keepdims=True)
    rounding = _TIE * square.max()
    tied = np.abs(square - best) <= rounding
    before = (square < best - rounding).sum(axis=1).astype(float)
    return Ranks(before, tied.sum(axis=1).astype(float), (tied & right).sum(axis=1).astype(float)), random


def _joined(parts: Sequence[Ranks]) -> Ranks:
    columns = ("before", "tied", "right")
    return Ranks(*(np.concatenate([getattr(part, name) for part in parts]) for name in columns))

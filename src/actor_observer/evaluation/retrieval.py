"""Cross-view retrieval: with one view's take as the query, at which rank does its own partner come?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from actor_observer.evaluation.statistics.bootstrap import Interval, bootstrap
from actor_observer.features.embeddings import Embeddings
from actor_observer.pairs.manifest import Pair, View

__all__ = ["Retrieval", "retrieve_moments"]


@dataclass(frozen=True)
class Retrieval:
    """Moments of all videos in one pool; a hit is a moment of the right pair within `near` seconds."""

    recall: dict[int, Interval]  # at 1, 5, 10
    median_rank: float  # 1 is best
    pool: int  # how many moments are searched


@dataclass(frozen=True)
class _Moments:
    features: NDArray[np.float64]  # (N, D)
    time: NDArray[np.float64]  # (N,) third-person seconds
    pair: NDArray[np.int64]  # (N,)


def retrieve_moments(
    embeddings: Embeddings, pairs: Sequence[Pair], near: float = 1.0, step: float = 1.0, at: Sequence[int] = (1, 5, 10)
) -> Retrieval:
    """Search the third-person moments of all pairs with each first-person moment, one moment a `step`."""
    pool, queries = _moments(embeddings, pairs, "third", step), _moments(embeddings, pairs, "first", step)
    rank = _ranks(queries, pool, near)
    video, rank = queries.pair[~np.isnan(rank)], rank[~np.isnan(rank)]

    def share(limit: int) -> Interval:
        hit = (rank <= limit).astype(float)
        return bootstrap(lambda counts: _mean(hit, counts[video]), len(pairs), replicates=300)

    return Retrieval({limit: share(limit) for limit in at}, float(np.median(rank)), len(pool.time))


def _moments(embeddings: Embeddings, pairs: Sequence[Pair], view: View, step: float) -> _Moments:
    features, times, owner = [], [], []
    for number, pair in enumerate(pairs):
        take = embeddings[pair.third if view == "third" else pair.first]
        when = np.arange(take.times[0], take.times[-1] + 1e-6, step)
        features.append(np.asarray(take.features[take.at(when)], dtype=float))
        times.append(when if view == "third" else pair.clock.to_third(when))
        owner.append(np.full(len(when), number))
    return _Moments(np.concatenate(features), np.concatenate(times), np.concatenate(owner))


def _ranks(queries: _Moments, pool: _Moments, near: float) -> NDArray[np.float64]:
    """The rank of the first right moment for each query; NaN where the pool has none."""
    ranks = np.full(len(queries.time), np.nan)
    square = (pool.features**2).sum(axis=1)
    for start in range(0, len(ranks), 512):  # bounds the memory of the distance matrix
        rows = slice(start, start + 512)
        distance = square[None] - 2 * queries.features[rows] @ pool.features.T  # (≤512, P) up to the query's own length
        same = queries.pair[rows, None] == pool.pair
        right = same & (np.abs(queries.time[rows, None] - pool.time) <= near)
        best = np.where(right, distance, np.inf).min(axis=1)
        before = (distance < best[:, None]).sum(axis=1) + 1.0
        ranks[rows] = np.where(right.any(axis=1), before, np.nan)
    return ranks


def _mean(values: NDArray[np.float64], weight: NDArray[np.float64]) -> float:
    return float((values * weight).sum() / weight.sum()) if weight.sum() else float("nan")

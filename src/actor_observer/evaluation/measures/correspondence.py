"""Fair correspondence on balanced quads: is the right first-person frame nearer than the other?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from actor_observer.evaluation.statistics.bootstrap import Interval
from actor_observer.evaluation.statistics.over_videos import top_share
from actor_observer.evaluation.statistics.resampling import Resampling
from actor_observer.evaluation.statistics.shares import share_over
from actor_observer.features.embeddings import Embeddings, Floats
from actor_observer.pairs.manifest import Pair
from actor_observer.sampling.quads import Quads

__all__ = ["QuadDistances", "accuracy", "distance", "quad_distances", "score_quads", "won"]


@dataclass(frozen=True)
class QuadDistances:
    """The four distances of each quad, from which the score and the margin follow."""

    pair: NDArray[np.int64]  # (Q,)
    own_i: NDArray[np.float64]  # d(x_i, z_i)
    other_i: NDArray[np.float64]  # d(x_i, z_j)
    own_j: NDArray[np.float64]  # d(x_j, z_j)
    other_j: NDArray[np.float64]  # d(x_j, z_i)

    def right(self) -> NDArray[np.float64]:
        """Share of the two directions that are right (Q,); a tie counts half."""
        return (won(self.own_i, self.other_i) + won(self.own_j, self.other_j)) / 2

    def margin(self) -> NDArray[np.float64]:
        """How clear the answer is (Q,); the same when i and j are swapped."""
        return np.abs(self.own_i + self.own_j - self.other_i - self.other_j)


def quad_distances(embeddings: Embeddings, quads: Quads, pairs: Sequence[Pair]) -> QuadDistances:
    """Euclidean distances of all quads, from the embedded frames nearest to their times.

    >>> from actor_observer.features.embeddings import TakeEmbedding
    >>> from actor_observer.pairs import Clock
    >>> line = np.arange(20.0)
    >>> both = {"t": TakeEmbedding("third", line, line[:, None]), "f": TakeEmbedding("first", line, line[:, None])}
    >>> one = Quads(np.array([0]), *(np.array([time]) for time in (2.0, 2.0, 15.0, 15.0)))
    >>> quad_distances(Embeddings(both), one, [Pair("p", "t", "f", Clock.scaled(20, 20))]).right().tolist()
    [1.0]
    """
    count = len(quads.pair)
    d = {name: np.empty(count) for name in ("own_i", "other_i", "own_j", "other_j")}
    for number in np.unique(quads.pair):
        rows = np.flatnonzero(quads.pair == number)
        third, first = embeddings[pairs[number].third], embeddings[pairs[number].first]
        x_i, x_j = (third.features[third.at(column[rows])] for column in (quads.x_i, quads.x_j))
        z_i, z_j = (first.features[first.at(column[rows])] for column in (quads.z_i, quads.z_j))
        d["own_i"][rows], d["other_i"][rows] = distance(x_i, z_i), distance(x_i, z_j)
        d["own_j"][rows], d["other_j"][rows] = distance(x_j, z_j), distance(x_j, z_i)
    return QuadDistances(quads.pair, **d)


def accuracy(
    right: NDArray[np.float64],
    video: NDArray[np.int64],
    choice: NDArray[np.float64] | None = None,
    share: float = 1.0,
    over: Resampling | None = None,
) -> Interval:
    """Mean of `right` over the `share` of quads with the highest `choice`, with its interval.

    `video` numbers the pair (or video) of each quad; `over` is how those are resampled, independently if not given.
    The choice is made again inside every replicate; ties in it are broken by a fixed shuffle.

    >>> accuracy(np.array([1.0, 0.0, 1.0, 0.0]), np.arange(4), choice=np.array([4.0, 1, 3, 2]), share=0.5).value
    1.0
    """
    if not len(right):
        return Interval(float("nan"))
    names, video = np.unique(video, return_inverse=True)
    return share_over(top_share(right, video, choice, share), over.among(names) if over else len(names))


def score_quads(embeddings: Embeddings, quads: Quads, pairs: Sequence[Pair], share: float = 1.0) -> Interval:
    """Fair correspondence of embeddings: over all quads, or over the share with the clearest margin."""
    found = quad_distances(embeddings, quads, pairs)
    return accuracy(found.right(), found.pair, found.margin() if share < 1 else None, share, Resampling.of(pairs))


def won(own: Floats, other: Floats) -> NDArray[np.float64]:
    """1 where the own distance is smaller, 0 where it is larger, ½ for a tie.

    >>> won(np.array([1.0, 2.0, 3.0]), np.array([2.0, 2.0, 2.0])).tolist()
    [1.0, 0.5, 0.0]
    """
    return np.where(own < other, 1.0, np.where(own > other, 0.0, 0.5))


def distance(a: Floats, b: Floats) -> NDArray[np.float64]:
    """Euclidean distance of each row of `a` to the same row of `b`.

    >>> distance(np.array([[0.0, 3.0]]), np.array([[4.0, 0.0]])).tolist()
    [5.0]
    """
    apart: NDArray[np.float64] = np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64)
    return np.asarray(np.linalg.norm(apart, axis=-1), dtype=np.float64)

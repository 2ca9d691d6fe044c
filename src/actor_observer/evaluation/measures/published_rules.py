"""Correspondence as published, and measures of its two leaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from actor_observer.evaluation.measures.correspondence import accuracy, distance, won
from actor_observer.evaluation.statistics.bootstrap import Interval
from actor_observer.evaluation.statistics.resampling import Resampling
from actor_observer.features.embeddings import Embeddings
from actor_observer.pairs.manifest import Manifest, Pair

__all__ = ["PublishedTriplets", "published_triplets"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PublishedTriplets:
    """Distances and weights of the published test: every third-person frame, its partner, and a frame far from it."""

    pair: NDArray[np.int64]  # (N,)
    positive: Array  # (N,) d(x, z)
    negative: Array  # (N,) d(x, z')
    blind_positive: Array  # (N,) the same with x replaced by the mean third-person frame
    blind_negative: Array
    room_z: Array  # (N,) seconds that lie far enough from z to hold a z'
    room_negative: Array  # (N,) and from z'
    weight: Array | None  # (N,) the selector's w, or None
    over: Resampling | None = None  # how the pairs are resampled

    def right(self) -> Array:
        return won(self.positive, self.negative)

    def blind_right(self) -> Array:
        """As `right`, with x replaced by the mean third-person frame."""
        return won(self.blind_positive, self.blind_negative)

    def choice(self) -> Array:
        """What a share is chosen by: the selector's weight, or else the difference of the two distances."""
        return self.weight if self.weight is not None else np.abs(self.positive - self.negative)

    def score(self, share: float = 1.0) -> Interval:
        """Accuracy over the share of highest weight."""
        return accuracy(self.right(), self.pair, self.choice(), share, self.over)

    def blind_score(self, share: float = 1.0) -> Interval:
        """The first leak: accuracy without x, on the same chosen triplets. Above 50 %, the choice knows the roles."""
        return accuracy(self.blind_right(), self.pair, self.choice(), share, self.over)

    def position_score(self) -> Interval:
        """The second leak: the best rule that sees only where z and z' are in their video.

        An ordered pair (z, z') is as likely as 1/(room for a z' given z) is large, so the better guess for z is the
        one with less room: the one nearer the middle.
        """
        return accuracy(won(self.room_z, self.room_negative), self.pair, over=self.over)


def published_triplets(
    embeddings: Embeddings,
    manifest: Manifest,
    pairs: Sequence[Pair],
    far: float = 10.0,
    seed: int = 0,
    far_share: float = 1.0,
) -> PublishedTriplets:
    """Every embedded third-person frame with its partner by the pair's clock, and one frame more than `far` away.

    `far` is at most `far_share` of the time that both takes show.
    """
    rng = np.random.default_rng(seed)
    middle = _mean_third(embeddings, pairs)
    columns: list[list[Array]] = []
    weighted = True
    for number, one in enumerate(pairs):
        third, first = embeddings[one.third], embeddings[one.first]
        when = one.clock.to_third(first.times)  # (M,) first-person frames in third-person seconds
        start, end = one.clock.overlap(*manifest.lengths(one))
        own_far = min(far, far_share * (end - start))
        apart = np.abs(third.times[:, None] - when[None, :]) > own_far + 1e-9  # (N, M)
        shown = (third.times >= start) & (third.times <= end) & one.clock.in_both(third.times)
        x = np.flatnonzero(apart.any(axis=1) & shown)
        if not len(x):
            continue
        z = first.at(one.clock.to_first(third.times[x]))
        chance = np.where(apart[x], rng.random((len(x), len(when))), -1.0)
        z_negative = chance.argmax(axis=1)
        seen, own, other = third.features[x], first.features[z], first.features[z_negative]
        row = [np.full(len(x), float(number)), distance(seen, own), distance(seen, other)]
        row += [distance(middle[None], own), distance(middle[None], other)]
        row += [_room(when[chosen], start, end, own_far) for chosen in (z, z_negative)]
        if third.weight is None or first.weight is None:
            weighted = False
            row.append(np.zeros(len(x)))
        else:
            as_negative = first.weight if first.weight_negative is None else first.weight_negative
            row.append(np.asarray(third.weight[x] * first.weight[z] * as_negative[z_negative], dtype=float))
        columns.append(row)
    together = [np.concatenate(column) for column in zip(*columns, strict=True)] if columns else [np.empty(0)] * 8
    pair, positive, negative, blind_positive, blind_negative, room_z, room_negative, weight = together
    return PublishedTriplets(
        pair=pair.astype(np.int64),
        positive=positive,
        negative=negative,
        blind_positive=blind_positive,
        blind_negative=blind_negative,
        room_z=room_z,
        room_negative=room_negative,
        weight=weight if weighted else None,
        over=Resampling.of(pairs),
    )


def _mean_third(embeddings: Embeddings, pairs: Sequence[Pair]) -> Array:
    frames = [embeddings[id].features for id in dict.fromkeys(pair.third for pair in pairs)]
    return np.asarray(np.concatenate(frames).mean(axis=0), dtype=float)


def _room(times: Array, start: float, end: float, far: float) -> Array:
    """Seconds of the window [start, end] that lie more than `far` from each time."""
    return np.maximum(0, times - far - start) + np.maximum(0, end - times - far)

"""Embeddings of takes, from any source: every table is computed from these."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from actor_observer.console import counted
from actor_observer.errors import UserError
from actor_observer.pairs.manifest import View

__all__ = ["Embeddings", "TakeEmbedding"]

Floats = NDArray[np.floating]


@dataclass(frozen=True)
class TakeEmbedding:
    """What a network made of the frames of one take, in order of time.

    `features` are φ (the backbone's, from the cache or `extract`; the rest is then None) or embeddings (after the
    heads, from `embed_features`, or somebody else's). Both are rows to compare by Euclidean distance, and the tables
    take either: frozen features are judged as a method like any other.
    """

    view: View
    times: NDArray[np.float64]  # (T,) seconds, increasing
    features: Floats  # (T, D)
    weight: Floats | None = None  # (T,) the selector's, with a mean of 1 over the take
    scores: Floats | None = None  # (T, C) class probabilities
    weight_negative: Floats | None = None  # (T,) the weight by the head for negatives, where there is one of its own
    chance: Floats | None = None  # (T,) of being placed right in the other take, by a network that tells it

    def __repr__(self) -> str:
        many, size = self.features.shape
        return f"<TakeEmbedding: {many} frames of a {self.view}-person take, {size} numbers each>"

    @property
    def length(self) -> float:
        """Seconds of the take: its frames lie in the middles of their shares."""
        return float(self.times[-1] + self.times[0])

    def at(self, times: NDArray[np.float64]) -> NDArray[np.intp]:
        """The embedded frame nearest to each time.

        >>> TakeEmbedding("third", np.array([0.5, 1.5, 2.5]), np.zeros((3, 8))).at(np.array([0.0, 1.9, 9.0])).tolist()
        [0, 1, 2]
        """
        right = np.clip(np.searchsorted(self.times, times), 1, max(1, len(self.times) - 1))
        left = right - 1
        if len(self.times) == 1:
            return np.zeros(len(times), dtype=np.intp)
        return np.where(times - self.times[left] <= self.times[right] - times, left, right)


class Embeddings(Mapping[str, TakeEmbedding]):
    """Take id -> its embedded frames.

    >>> one = TakeEmbedding("third", np.arange(3.0), np.ones((3, 2)))
    >>> Embeddings({"a": one}).mapped(lambda view, features: features * 2)["a"].features[0].tolist()
    [2.0, 2.0]
    """

    def __init__(self, takes: Mapping[str, TakeEmbedding]) -> None:
        self._takes = dict(takes)
        for id, take in self._takes.items():
            if take.features.ndim != 2 or take.times.shape != take.features.shape[:1] or not len(take.times):
                raise UserError(f"embeddings of {id}: {take.times.shape} times, {take.features.shape} features")

    def __getitem__(self, id: str) -> TakeEmbedding:
        if id not in self._takes:
            raise UserError(f"take {id} is needed but not among the embeddings")
        return self._takes[id]

    def __repr__(self) -> str:
        return f"<Embeddings of {counted(len(self), 'take')}>"

    def __iter__(self):  # type: ignore[no-untyped-def]
        return iter(self._takes)

    def __len__(self) -> int:
        return len(self._takes)

    def __contains__(self, id: object) -> bool:
        return id in self._takes

    def mapped(self, change: Callable[[View, Floats], Floats]) -> Embeddings:
        """The embeddings with `change(view, features)` applied to every take."""
        changed = {id: replace(take, features=change(take.view, take.features)) for id, take in self._takes.items()}
        return Embeddings(changed)

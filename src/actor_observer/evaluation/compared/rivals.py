"""Simple rivals for every table: a method that does not beat them has not earned its complexity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from actor_observer.evaluation.compared.ridge import Ridge, fit_ridge
from actor_observer.features.embeddings import Embeddings, Floats
from actor_observer.pairs.manifest import VIEWS, Pair, View

__all__ = ["ClockRival", "Raw", "RidgeMap", "Rival", "Standardised", "fit_components", "paired_frames"]


class Rival(Protocol):
    """Learns from the training takes, then embeds frames of either view into one space."""

    def fit(self, train: Embeddings, pairs: Sequence[Pair]) -> Self: ...

    def embed(self, view: View, features: Floats) -> Floats: ...


class Raw:
    """The features as they are.

    >>> Raw().fit(Embeddings({}), []).embed("third", np.ones((1, 2))).tolist()
    [[1.0, 1.0]]
    """

    def fit(self, train: Embeddings, pairs: Sequence[Pair]) -> Self:
        return self

    def embed(self, view: View, features: Floats) -> Floats:
        return features


class Standardised:
    """Each view's features with mean 0 and deviation 1, which removes what all frames of a view have in common.

    >>> from actor_observer.features.embeddings import TakeEmbedding
    >>> train = Embeddings({"a": TakeEmbedding("third", np.arange(2.0), np.array([[1.0], [3.0]]))})
    >>> Standardised().fit(train, []).embed("third", np.array([[3.0]])).tolist()
    [[1.0]]
    """

    def fit(self, train: Embeddings, pairs: Sequence[Pair]) -> Self:
        self._moments: dict[View, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}
        for view in VIEWS:
            frames = [take.features for take in train.values() if take.view == view]
            if frames:
                together = np.concatenate(frames).astype(float)
                deviation = together.std(axis=0)
                self._moments[view] = together.mean(axis=0), np.where(deviation > 1e-8, deviation, 1.0)
        return self

    def embed(self, view: View, features: Floats) -> NDArray[np.float64]:
        mean, deviation = self._moments[view]
        return np.asarray((features - mean) / deviation, dtype=np.float64)


@dataclass
class ClockRival:
    """Ridge regression from a frame to its relative time in the take, separately for each view; no pairs are used.

    It knows nothing about the activity, only what beginnings and ends look like, so tables mark it as using time.
    """

    strengths: tuple[float, ...] = (10.0, 100.0, 1e3, 1e4, 1e5)

    def fit(self, train: Embeddings, pairs: Sequence[Pair]) -> Self:
        self._scale = Standardised().fit(train, pairs)
        self._models: dict[View, Ridge] = {}
        for view in VIEWS:
            takes = [take for take in train.values() if take.view == view]
            frames = np.concatenate([self._scale.embed(view, take.features) for take in takes])
            times = np.concatenate([take.times / take.times[-1] for take in takes])
            whose = np.concatenate([np.full(len(take.times), number) for number, take in enumerate(takes)])
            self._models[view] = fit_ridge(frames, times[:, None], whose, self.strengths)
        return self

    def embed(self, view: View, features: Floats) -> Floats:
        return self._models[view](self._scale.embed(view, features))


@dataclass
class RidgeMap:
    """Ridge regression from the third person's principal components to the first person's, on paired frames."""

    components: int = 64
    strengths: tuple[float, ...] = (1.0, 10.0, 100.0, 1e3, 1e4)

    def fit(self, train: Embeddings, pairs: Sequence[Pair]) -> Self:
        self._scale = Standardised().fit(train, pairs)
        self._reduce = {}
        for view in VIEWS:
            frames = np.concatenate([take.features for take in train.values() if take.view == view])
            self._reduce[view] = fit_components(self._scale.embed(view, frames), self.components)
        third, first, whose = paired_frames(train, pairs)
        self._map = fit_ridge(self._reduced("third", third), self._reduced("first", first), whose, self.strengths)
        return self

    def embed(self, view: View, features: Floats) -> Floats:
        reduced = self._reduced(view, features)
        return self._map(reduced) if view == "third" else reduced

    def _reduced(self, view: View, features: Floats) -> NDArray[np.float64]:
        mean, axes = self._reduce[view]
        return np.asarray((self._scale.embed(view, features) - mean) @ axes)


def fit_components(frames: Floats, count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The mean (D,) of frames (N, D), and the directions (D, count) in which they vary most: principal components.

    >>> mean, axes = fit_components(np.array([[0.0, 1.0], [2.0, 1.0], [4.0, 1.0]], np.float32), count=1)
    >>> mean.tolist(), np.abs(axes).round(3).tolist()
    ([2.0, 1.0], [[1.0], [0.0]])
    """
    values = frames.astype(np.float64)
    mean = values.mean(axis=0)
    if len(values) > values.shape[1]:
        axes = np.linalg.eigh((values - mean).T @ (values - mean))[1][:, ::-1]  # the largest last, turned round
    else:
        axes = np.linalg.svd(values - mean, full_matrices=False)[2].T
    return mean, axes[:, : min(count, *values.shape)]


def paired_frames(train: Embeddings, pairs: Sequence[Pair]) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Features of every third-person frame with a partner, of that first-person frame, and the number of their pair.

    >>> from actor_observer.features.embeddings import TakeEmbedding
    >>> from actor_observer.pairs import Clock
    >>> times = np.array([1.0, 2.0])
    >>> both = {"t": TakeEmbedding("third", times, times[:, None]), "f": TakeEmbedding("first", times, times[:, None])}
    >>> paired_frames(Embeddings(both), [Pair("p", "t", "f", Clock(((0.0, -1.0),)))])[0].tolist()
    [[1.0], [2.0]]
    """
    third_rows, first_rows, whose = [], [], []
    for number, pair in enumerate(pairs):
        third, first = train[pair.third], train[pair.first]
        times = pair.clock.to_first(third.times)
        shown = (times >= 0) & (times <= first.times[-1] + 0.5) & pair.clock.in_both(third.times)
        third_rows.append(third.features[shown])
        first_rows.append(first.features[first.at(times[shown])])
        whose.append(np.full(int(shown.sum()), number))
    return np.concatenate(third_rows), np.concatenate(first_rows), np.concatenate(whose)

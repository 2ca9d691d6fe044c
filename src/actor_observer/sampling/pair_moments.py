"""Moments of pairs for the contrastive loss: the same moments from both views, spread over the whole pair."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from actor_observer.pairs.clock import ClockTable
from actor_observer.pairs.manifest import Manifest, Pair
from actor_observer.sampling.rows import Rows

__all__ = ["MomentSource", "PairMoments"]


@dataclass(frozen=True)
class PairMoments(Rows):
    """Some pairs, and the times of m frames of each view of each, in that take's own seconds."""

    pair: NDArray[np.int64]  # (P,) number of the pair in the source's `pairs`
    third: NDArray[np.float64]  # (P, m)
    first: NDArray[np.float64]  # (P, m)


class MomentSource:
    """An item is a visit to a pair: the time both takes show, in `moments` equal stretches, a moment in each.

    A first-person frame is drawn within `near` of its third-person partner. If there are few pairs, each is visited
    several times in an epoch, to fill a batch.

    >>> from pathlib import Path
    >>> from actor_observer.pairs import Clock, Take
    >>> takes = {id: Take(id, view, Path(id), 12.0) for id, view in (("t", "third"), ("f", "first"))}
    >>> manifest = Manifest(takes, (Pair("p", "t", "f", Clock.scaled(12.0, 12.0)),))
    >>> source = MomentSource(manifest, manifest.pairs, moments=4, batch=3)
    >>> len(source), source.draw(np.arange(3), np.random.default_rng(0)).first.shape
    (3, (3, 4))
    """

    def __init__(
        self, manifest: Manifest, pairs: Sequence[Pair], moments: int, near: float = 0.5, batch: int = 1
    ) -> None:
        self.moments, self.near = moments, near
        windows = [pair.clock.shared_window(*manifest.lengths(pair)) for pair in pairs]
        shown = [end > start for start, end in windows]
        self.pairs = list(itertools.compress(pairs, shown))
        apart = itertools.compress(pairs, (not one for one in shown))
        self.skipped = {pair.id: "its takes have no time in common" for pair in apart}
        self.visits = math.ceil(batch / max(1, len(self.pairs)))
        self._windows = np.array(list(itertools.compress(windows, shown))).reshape(-1, 2)
        self._clocks = ClockTable([pair.clock for pair in self.pairs], shared=True)

    def __len__(self) -> int:
        return len(self.pairs) * self.visits

    def draw(self, items: NDArray[np.int64], rng: np.random.Generator) -> PairMoments:
        """Moments for these items; the same generator state gives the same moments."""
        pair = items % len(self.pairs)  # (P,)
        chance = rng.random((2, len(items), self.moments))
        start, end = self._windows[pair].T[..., None]  # (P, 1) each
        share = (np.arange(self.moments) + chance[0]) / self.moments
        third = start + share * (end - start)  # (P, m)
        near = np.clip(third + self.near * (2 * chance[1] - 1), start, end)
        each = np.repeat(pair, self.moments)
        first = self._clocks.to_first(each, self._clocks.beside(each, third.ravel(), near.ravel())).reshape(third.shape)
        return PairMoments(pair, self._clocks.to_third(each, third.ravel()).reshape(third.shape), first)

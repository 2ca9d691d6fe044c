"""Moments of pairs for the contrastive loss: the same moments from both views, spread over the whole pair."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from actor_observer.pairs.clock import Clock, ClockTable
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
    several times in an epoch, to fill a batch. Of the moments, the last `alone` are drawn from what only one of the two
    takes shows, where a clock in pieces tells that: they have no partner.

    >>> from pathlib import Path
    >>> from actor_observer.pairs import Clock, Take
    >>> takes = {id: Take(id, view, Path(id), 12.0) for id, view in (("t", "third"), ("f", "first"))}
    >>> manifest = Manifest(takes, (Pair("p", "t", "f", Clock.scaled(12.0, 12.0)),))
    >>> source = MomentSource(manifest, manifest.pairs, moments=4, batch=3)
    >>> len(source), source.draw(np.arange(3), np.random.default_rng(0)).first.shape
    (3, (3, 4))
    """

    def __init__(
        self,
        manifest: Manifest,
        pairs: Sequence[Pair],
        moments: int,
        near: float = 0.5,
        batch: int = 1,
        alone: int = 0,
    ) -> None:
        self.moments, self.near, self.alone = moments, near, alone
        windows = [pair.clock.shared_window(*manifest.lengths(pair)) for pair in pairs]
        shown = [end > start for start, end in windows]
        self.pairs = list(itertools.compress(pairs, shown))
        apart = itertools.compress(pairs, (not one for one in shown))
        self.skipped = {pair.id: "its takes have no time in common" for pair in apart}
        self.visits = math.ceil(batch / max(1, len(self.pairs)))
        self._windows = np.array(list(itertools.compress(windows, shown))).reshape(-1, 2)
        self._clocks = ClockTable([pair.clock for pair in self.pairs], shared=True)
        self._gaps = [_gaps(pair.clock, manifest.lengths(pair)) if alone else None for pair in self.pairs]

    def __len__(self) -> int:
        return len(self.pairs) * self.visits

    def draw(self, items: NDArray[np.int64], rng: np.random.Generator) -> PairMoments:
        """Moments for these items; the same generator state gives the same moments."""
        pair = items % len(self.pairs)  # (P,)
        chance = rng.random((2, len(items), self.moments))
        start, end = self._windows[pair].T[..., None]  # (P, 1) each
        together = np.array([self.moments - self.alone * (self._gaps[number] is not None) for number in pair])[:, None]
        share = np.minimum(np.arange(self.moments) + chance[0], together) / together
        third = start + share * (end - start)  # (P, m)
        near = np.clip(third + self.near * (2 * chance[1] - 1), start, end)
        each = np.repeat(pair, self.moments)
        first = self._clocks.to_first(each, self._clocks.beside(each, third.ravel(), near.ravel())).reshape(third.shape)
        drawn = PairMoments(pair, self._clocks.to_third(each, third.ravel()).reshape(third.shape), first)
        for row, number in enumerate(pair):
            if gaps := self._gaps[number]:
                for times, where, own in zip((drawn.third, drawn.first), gaps, chance, strict=True):
                    times[row, -self.alone :] = _spread(own[row, -self.alone :], where)
        return drawn


Gaps = NDArray[np.float64]  # (G, 2) from when to when a take shows what the other does not


def _gaps(clock: Clock, lengths: tuple[float, float]) -> tuple[Gaps, Gaps] | None:
    """What only the third-person take shows, and only the first-person one; None where a clock does not tell, or either
    shows nothing of its own.
    """
    if not clock.starts:
        return None
    found = []
    for one, length in zip((clock, clock.inverse()), lengths, strict=True):
        edges = [0.0, *(at for piece in one.pieces for at in (piece[0][0], piece[-1][0])), length]
        found.append(np.array([gap for gap in np.reshape(edges, (-1, 2)) if gap[1] > gap[0]]).reshape(-1, 2))
    return (found[0], found[1]) if all(map(len, found)) else None


def _spread(chance: NDArray[np.float64], gaps: Gaps) -> NDArray[np.float64]:
    """Times in these gaps (K,), from numbers between 0 and 1.

    >>> _spread(np.array([0.25, 0.5, 0.75]), np.array([[0.0, 2.0], [10.0, 12.0]])).tolist()
    [1.0, 10.0, 11.0]
    """
    before = np.cumsum([0.0, *np.diff(gaps).ravel()])
    at = chance * before[-1]
    gap = np.minimum(np.searchsorted(before, at, side="right") - 1, len(gaps) - 1)
    return np.asarray(gaps[gap, 0] + at - before[gap], dtype=np.float64)

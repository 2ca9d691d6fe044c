"""Triplets (x, z, z'): a third-person frame, the first-person frame it corresponds to, and one it does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from actor_observer.pairs.clock import Clock, ClockTable
from actor_observer.pairs.manifest import Manifest, Pair, Take
from actor_observer.sampling.rows import Rows

__all__ = ["Jitter", "TripletSource", "Triplets"]

Jitter = Literal["uniform", "none"]
_INSIDE = 1e-6  # seconds kept from the borders of Q, so that rounding never crosses them
_SHORTEST = 1e-3  # seconds of usable anchors: far more than what is kept from the borders


@dataclass(frozen=True)
class Triplets(Rows):
    """A batch of triplets: which pair, and three times in each take's own seconds."""

    pair: NDArray[np.int64]  # (B,) number of the pair in the source's `pairs`
    x: NDArray[np.float64]  # (B,) third person
    z: NDArray[np.float64]  # (B,) first person, corresponds to x
    z_negative: NDArray[np.float64]  # (B,) first person, does not


class TripletSource:
    """All triplets of Q = {|t_x - t_z| < near, |t_x - t_z'| > far} of some pairs, in third-person seconds.

    An epoch holds `anchor_rate` anchors x for every second of third-person time that has a partner z' at all; each is
    drawn uniformly in its own stretch, then z and z' uniformly among those that Q allows for that x. Negatives are
    drawn anew in every epoch. `jitter="none"` takes z at exactly x's time, as the paper's supplement does. For takes of
    a few seconds, `far` is at most `far_share` of the time that both show.

    `skipped` says which pairs have no triplet, and why.

    >>> source = TripletSource.of_lengths([(30.0, 24.0), (8.0, 8.0)])
    >>> len(source), source.skipped
    (30, {'1': 'its 8.0 s in common are not longer than 10.0 s'})
    >>> batch = source.draw(np.arange(30), np.random.default_rng(0))
    >>> bool((abs(batch.x - batch.z_negative * 30 / 24) > 10).all())
    True
    """

    def __init__(
        self,
        manifest: Manifest,
        pairs: Sequence[Pair] | None = None,
        near: float = 1.0,
        far: float = 10.0,
        anchor_rate: float = 1.0,
        jitter: Jitter = "uniform",
        far_share: float = 1.0,
    ) -> None:
        if not 0 < near < far or not anchor_rate > 0 or not far_share > 0:
            given = f"near {near}, far {far}, anchor_rate {anchor_rate}, far_share {far_share}"
            raise ValueError(f"need 0 < near < far, anchor_rate > 0 and far_share > 0, not {given}")
        self.near, self.far, self.anchor_rate, self.jitter = near, far, anchor_rate, jitter
        self.pairs: list[Pair] = []
        self.skipped: dict[str, str] = {}
        windows, counts, fars = [], [], []
        for pair in manifest.pairs if pairs is None else pairs:
            start, end = pair.clock.shared_window(*manifest.lengths(pair))
            own_far = min(far, far_share * (end - start))
            useful = _useful(end - start, own_far)
            if useful <= _SHORTEST:
                self.skipped[pair.id] = f"its {end - start:.1f} s in common are not longer than {far:.1f} s"
                continue
            if own_far <= near:
                self.skipped[pair.id] = (
                    f"{far_share:g} of its {end - start:.1f} s in common is not longer than {near:g} s"
                )
                continue
            self.pairs.append(pair)
            windows.append((start, end))
            fars.append(own_far)
            counts.append(max(1, int(useful * anchor_rate + 1e-9)))
        self._windows = np.array(windows, dtype=float).reshape(-1, 2)
        self._far = np.array(fars, dtype=float)  # (pairs,) seconds
        self._clocks = ClockTable([pair.clock for pair in self.pairs], shared=True)
        self._counts = np.array(counts, dtype=np.int64)
        self._ends = np.cumsum(self._counts)  # item numbers: all anchors of pair 0, then of pair 1, …

    @classmethod
    def of_lengths(cls, lengths: Sequence[tuple[float, float]], near: float = 1.0, far: float = 10.0) -> Self:
        """A source for takes of these (third, first) lengths with scaled clocks: for tests and planning."""
        takes, pairs = {}, []
        for number, (third, first) in enumerate(lengths):
            ids = f"{number}.third", f"{number}.first"
            takes[ids[0]] = Take(ids[0], "third", Path(ids[0]), third)
            takes[ids[1]] = Take(ids[1], "first", Path(ids[1]), first)
            pairs.append(Pair(str(number), *ids, clock=Clock.scaled(third, first)))
        return cls(Manifest(takes, tuple(pairs)), near=near, far=far)

    def __len__(self) -> int:
        return int(self._counts.sum())

    def draw(self, items: NDArray[np.int64], rng: np.random.Generator) -> Triplets:
        """Triplets for these items (0 … len - 1); the same generator state gives the same triplets."""
        chance = rng.random((len(items), 3))
        pair = np.searchsorted(self._ends, items, side="right")  # (B,)
        count = self._counts[pair]
        number = items - (self._ends[pair] - count)  # which anchor of its pair
        start, end = self._windows[pair].T + np.array([[_INSIDE], [-_INSIDE]])  # (B,) each
        far = self._far[pair] + _INSIDE  # (B,)

        # x: the n-th of `count` equal parts of the time that has a z'. In a short window that time is in two pieces,
        # before end - far and after start + far; in a long one they meet.
        useful = np.minimum(end - start, 2 * np.maximum(end - start - far, 0))
        along = (number + chance[:, 0]) / count * useful
        gap = np.maximum(0.0, (end - start) - useful)
        x = start + along + np.where(along > useful / 2, gap, 0.0)

        z = x
        if self.jitter == "uniform":
            low, high = np.maximum(start, x - self.near + _INSIDE), np.minimum(end, x + self.near - _INSIDE)
            z = self._clocks.beside(pair, x, low + chance[:, 1] * (high - low))

        before = np.maximum(0.0, x - far - start)
        after = np.maximum(0.0, end - x - far)
        along = chance[:, 2] * (before + after)
        negative = np.where((along < before) | (after <= 0), start + along, x + far + (along - before))

        first = self._clocks.to_first
        return Triplets(pair, self._clocks.to_third(pair, x), first(pair, z), first(pair, negative))


def _useful(length: float, far: float) -> float:
    """Seconds of a window of this length whose frames have another frame more than `far` away."""
    return min(length, 2 * max(0.0, length - far))

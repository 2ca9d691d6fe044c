"""Glances: quick turns of the head that hold still in between, as people look about."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from actor_observer.playhouse.acting.motion import Array, min_jerk

__all__ = ["Glances"]


@dataclass(frozen=True)
class Glances:
    """A head that jumps from one direction to the next: (T,) -> yaw, pitch and roll (T, 3) in radians.

    >>> glances = Glances.random(np.random.default_rng(0), length=10.0, every=1.0, size=1.0)
    >>> glances(np.array([0.0, 5.0])).shape
    (2, 3)
    """

    starts: Array  # (K,) seconds
    seconds: Array  # (K,) that each turn takes
    turns: Array  # (K + 1, 3): before the first turn, and after each

    @classmethod
    def random(cls, rng: np.random.Generator, length: float, every: float, size: float) -> Glances:
        """Turns `every` so many seconds on average; `size` is a factor on how far they go."""
        count = int(np.ceil(length / every)) + 2
        starts = np.cumsum(0.3 + rng.exponential(max(every - 0.3, 0.1), count))
        turns = size * rng.normal(0, [0.35, 0.16, 0.05], (count + 1, 3))
        turns[rng.random(count + 1) < 0.4] *= 0.1  # back to what the hands do
        far = np.abs(np.diff(turns, axis=0)).max(axis=1)
        return cls(starts, np.minimum(0.14 + 0.35 * far, 0.6), turns)

    def __call__(self, times: Array) -> Array:
        i = np.searchsorted(self.starts, times, side="right") - 1  # -1: before the first turn
        turn = np.maximum(i, 0)
        share = min_jerk((times - self.starts[turn]) / self.seconds[turn])[:, None]
        return np.asarray(self.turns[turn] + (self.turns[turn + 1] - self.turns[turn]) * share)

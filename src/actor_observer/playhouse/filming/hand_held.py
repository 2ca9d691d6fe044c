"""How a room camera is held: on a stand, in a hand that is never still, or panned slowly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from actor_observer.playhouse.acting.motion import Array, Drift, unit

__all__ = ["Holding"]


@dataclass(frozen=True)
class Holding:
    """The movement of a camera that points at an aim. All drifts have about unit variance.

    >>> still = Holding.random("fixed", 10.0, np.random.default_rng(0))
    >>> places, frames = still.place(np.array([0.0, -2.0, 1.0]), np.zeros((3, 3)), np.arange(3.0))
    >>> bool((frames[0] == frames[2]).all()), frames[0, :, 1].round(2).tolist()  # y points at the aim
    (True, [0.0, 0.89, -0.45])
    """

    turn: Drift  # yaw, pitch, roll: the arms
    tremor: Drift  # the same, faster and smaller
    shift: Drift  # of the place, metres
    pan: Drift  # slow yaw and pitch
    sizes: tuple[float, float, float, float]  # of these four

    @classmethod
    def random(cls, hold: str, length: float, rng: np.random.Generator) -> Holding:
        """A holding of one kind: "fixed", "hand-held" or "panning"."""
        sizes = {
            "fixed": (0.0, 0.0, 0.0, 0.0),
            "hand-held": (rng.uniform(0.008, 0.03), rng.uniform(0.0008, 0.004), rng.uniform(0.01, 0.04), 0.0),
            "panning": (0.0, 0.0, 0.0, rng.uniform(0.06, 0.2)),
        }[hold]
        turn, tremor = Drift.random(rng, length, 0.9, 3), Drift.random(rng, length, 0.13, 3)
        shift, pan = Drift.random(rng, length, 1.4, 3), Drift.random(rng, length, 6.0, 2)
        return cls(turn, tremor, shift, pan, sizes)

    def place(self, at: Array, aims: Array, times: Array) -> tuple[Array, Array]:
        """Places (T, 3) and frames (T, 3, 3) of a camera that stands `at` (3,) and points at aims (T, 3)."""
        turn, tremor, shift, pan = self.sizes
        angles = turn * self.turn(times) * np.array([1.0, 0.8, 0.5]) + tremor * self.tremor(times)
        angles[:, :2] += pan * self.pan(times) * np.array([1.0, 0.25])
        places = at + shift * self.shift(times)
        way = aims - places
        yaw = np.arctan2(way[:, 1], way[:, 0]) + angles[:, 0]
        pitch = np.arctan2(way[:, 2], np.hypot(way[:, 0], way[:, 1])) + angles[:, 1]
        forward = np.stack([np.cos(yaw) * np.cos(pitch), np.sin(yaw) * np.cos(pitch), np.sin(pitch)], axis=-1)
        level = unit(np.cross(forward, [0.0, 0.0, 1.0]))
        roll = angles[:, 2:]
        right = level * np.cos(roll) + np.cross(level, forward) * np.sin(roll)
        return places, np.stack([right, forward, np.cross(right, forward)], axis=-1)

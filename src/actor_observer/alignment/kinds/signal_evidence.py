"""Signals as evidence: when joints move or a head turns, the picture moves, and so do other signals of the event.

Each group of columns is compared by itself, and the one that agrees best speaks: nobody need say which columns matter.
Here amounts (speed, acceleration) are compared with amounts of motion; which way, in signal_directions.py.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from actor_observer.alignment.kinds.signal_curves import (
    EDGE,
    MOST_GROUPS,
    any_of,
    channels_of,
    groups_of,
    numbers_of,
)
from actor_observer.alignment.kinds.treatments import loudness, resampled, standardised, whitened
from actor_observer.alignment.recordings.evidence import LagScores, Scores, Sense
from actor_observer.alignment.recordings.lags import Array, Lags, correlate
from actor_observer.alignment.recordings.recording import Recording
from actor_observer.pairs.manifest import View
from actor_observer.signals import Group
from actor_observer.signals.amounts import amount, known_on

__all__ = ["SignalEvidence"]

# Those that earn a weight (bench/calibrate_signals.py).
CAMERA: dict[View, tuple[str, ...]] = {
    "third": ("difference", "difference_top", "residual"),
    "first": ("difference", "residual", "zoom", "camera"),
}
AMOUNTS = ("speed", "even speed", "acceleration")
CLIP = 1.5  # spreads: a sudden stop must not count for more; robots that repeat a task share a few of them


@dataclass(frozen=True)
class SignalEvidence:
    """What moves by numbers moves in the picture, and in other numbers, at once."""

    name: str = "signal"
    sense: Sense = "motion"
    likelihood: bool = False

    def lags(self, one: Recording, other: Recording, lags: Lags) -> LagScores | None:
        return channels_of(_Compared, one, other, lags)


class _Compared:
    """The channels of two recordings; each treated curve is computed once."""

    def __init__(self, lags: Lags, top: float) -> None:
        self.grid = lags
        self.white = whitened(1.0, top, EDGE)  # every frequency counts alike
        self.picture = cache(self._picture)
        self.amount = cache(self._amount)

    def camera(self, camera: Recording, signal: Recording, ahead: bool) -> list[tuple[str, Scores]]:
        """A camera's motion against a signal; `ahead`: the camera is `one`, the signal `other`."""
        return [
            (f"{camera.view} {name}/{what}/white", partial(self._pictured, camera, signal, name, what, ahead))
            for name, what in itertools.product(CAMERA[camera.view], AMOUNTS)
        ]

    def signals(self, one: Recording, other: Recording) -> list[tuple[str, Scores]]:
        """A signal against another."""
        both = [*itertools.product(groups_of(one), groups_of(other))][: MOST_GROUPS * 4]
        return [
            (f"signal {what}/white", partial(_each_of, partial(self._both_amounts, one, other, what), both))
            for what in AMOUNTS
        ]

    def _pictured(self, camera: Recording, signal: Recording, name: str, what: str, ahead: bool) -> Array:
        seen = self.picture(camera, name)
        return any_of(self._scores(seen, self.amount(signal, group, what), ahead) for group in groups_of(signal))

    def _both_amounts(self, one: Recording, other: Recording, what: str, a: Group, b: Group) -> Array:
        return self._scores(self.amount(one, a, what), self.amount(other, b, what), True)

    def _scores(self, a: Array, b: Array, ahead: bool) -> Array:
        return correlate(a, b, self.grid) if ahead else correlate(b, a, self.grid)

    def _treat(self, values: Array, known: NDArray[np.bool_] | None = None) -> Array:
        """Whitened; where nothing is known it is as usual, and says nothing."""
        if known is not None and not known.all() and known.any():
            values = np.where(known, values, values[known].mean())
        return standardised(np.clip(self.white(values, self.grid.per_second), -CLIP, CLIP))

    def _picture(self, camera: Recording, name: str) -> Array:
        moved = camera.motion
        return self._treat(loudness(resampled(moved.times, moved.of(name), moved.length, self.grid.per_second)))

    def _amount(self, signal: Recording, group: Group, what: str) -> Array:
        numbers = numbers_of(signal)
        values = amount(numbers, group, what, self.grid.per_second)
        return self._treat(loudness(values), known_on(numbers, len(values), self.grid.per_second))


def _each_of(curves: Callable[[Group, Group], Array], both: Sequence[tuple[Group, Group]]) -> Array:
    return any_of(curves(a, b) for a, b in both)

"""Signals as evidence: when joints move or a head turns, the picture moves, and so do other signals of the event.

Each group of columns is compared by itself, and the one that agrees best speaks: nobody need say which columns matter.
Amounts (speed, acceleration) are compared with amounts of motion in a picture. A gyroscope's axes are also compared
with the turning of the camera that it sits on, axis by axis with their signs, whichever way it was mounted.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from actor_observer.alignment.evidence import LagScores, Scores, Sense
from actor_observer.alignment.kinds.treatments import loudness, resampled, standardised, whitened
from actor_observer.alignment.lags import Array, Lags, chunk_middles, correlate
from actor_observer.alignment.recording import Recording
from actor_observer.frames.motion import CELLS, COLUMNS, ROWS, Motion
from actor_observer.pairs.manifest import View
from actor_observer.signals import Group, Signal
from actor_observer.signals.amounts import amount, known_on, velocity

__all__ = ["SIGNAL_RATE", "SignalEvidence", "signal_rate"]

SIGNAL_RATE, CAMERA_RATE = 60.0, 30.0  # samples a second at which two signals, a signal and a camera are compared
MOST_SAMPLES = 216_000  # of both recordings together: two hours at 30 a second
MOST_GROUPS = 64  # of columns that are compared: bounds the time
MOST_AXES = 4  # of a group whose axes are compared one by one: a gyroscope's, an accelerometer's, a quaternion's
# Those that earn a weight (bench/calibrate_signals.py).
CAMERA: dict[View, tuple[str, ...]] = {
    "third": ("difference", "difference_top", "residual"),
    "first": ("difference", "residual", "zoom", "camera"),
}
AMOUNTS = ("speed", "even speed", "acceleration")
POWERS = {"white": 1.0}  # by which a spectrum is divided: every frequency counts alike
CLIP = 1.5  # spreads: a sudden stop must not count for more; robots that repeat a task share a few of them
# Of the slower recording's samples a second: above half of them there are but echoes of its sampling, and they would
# pull two recordings to where their samples fall together. All that lies below counts: hence a steep edge.
TOP, EDGE = 0.47, 12
TOP_FREQUENCY = 12.0  # Hz, as for motion (treatments.py)


@dataclass(frozen=True)
class SignalEvidence:
    """What moves by numbers moves in the picture, and in other numbers, at once."""

    name: str = "signal"
    sense: Sense = "motion"
    likelihood: bool = False

    def lags(self, one: Recording, other: Recording, lags: Lags) -> LagScores | None:
        if one.numbers is None and other.numbers is None:
            return None
        compared = _Compared(lags, min(_own_rate(one), _own_rate(other)))
        channels: list[tuple[str, Scores]] = []
        if _speaks(one.numbers) and _speaks(other.numbers):
            channels += compared.signals(one, other)
        if _speaks(other.numbers) and _moves(one):
            channels += compared.camera(one, other, ahead=True)
        if _speaks(one.numbers) and _moves(other):
            channels += compared.camera(other, one, ahead=False)
        return LagScores(channels, chunk_middles(other.length)) if channels else None


def signal_rate(one: Recording, other: Recording) -> float | None:
    """Samples a second at which two recordings are compared if one of them is a signal; else None."""
    if one.signal is None and other.signal is None:
        return None
    rate = SIGNAL_RATE if one.signal is not None and other.signal is not None else CAMERA_RATE
    return min(rate, MOST_SAMPLES / (one.length + other.length))


def _own_rate(recording: Recording) -> float:
    """Samples a second that it truly has."""
    if recording.signal is not None:
        return recording.signal.per_second
    return recording.motion.per_second


def _speaks(numbers: Signal | None) -> bool:
    return numbers is not None and not numbers.still and len(numbers.times) > 1


def _moves(recording: Recording) -> bool:
    return recording.shows and not recording.motion.still


class _Compared:
    """The channels of two recordings; each treated curve is computed once."""

    def __init__(self, lags: Lags, slower: float) -> None:
        self.grid = lags
        top = min(TOP_FREQUENCY, TOP * slower)
        self.ways = {how: whitened(power, top, EDGE) for how, power in POWERS.items()}
        self.picture = cache(self._picture)
        self.amount = cache(self._amount)
        self.axes = cache(self._axes)
        self.turning = cache(self._turning)

    def camera(self, camera: Recording, signal: Recording, ahead: bool) -> list[tuple[str, Scores]]:
        """A camera's motion against a signal; `ahead`: the camera is `one`, the signal `other`."""
        found: list[tuple[str, Scores]] = [
            (f"{camera.view} {name}/{what}/{how}", partial(self._pictured, camera, signal, name, what, how, ahead))
            for name, what, how in itertools.product(CAMERA[camera.view], AMOUNTS, POWERS)
        ]
        if any(_has_axes(group) for group in _groups(signal)):
            found.append((f"{camera.view} turning", partial(self._turned, camera, signal, ahead)))
        return found

    def signals(self, one: Recording, other: Recording) -> list[tuple[str, Scores]]:
        """A signal against another."""
        both = [*itertools.product(_groups(one), _groups(other))][: MOST_GROUPS * 4]
        found: list[tuple[str, Scores]] = []
        for what, how in itertools.product(AMOUNTS, POWERS):
            curves = partial(self._both_amounts, one, other, what, how)
            found.append((f"signal {what}/{how}", partial(_each_of, curves, both)))
        axes = [(a, b) for a, b in both if _has_axes(a) and _has_axes(b)]
        if axes:
            found.append(("signal axes", lambda: _any_of([self._both_axes(one, other, a, b) for a, b in axes])))
        return found

    def _pictured(self, camera: Recording, signal: Recording, name: str, what: str, how: str, ahead: bool) -> Array:
        seen = self.picture(camera, name, how)
        return _any_of([
            self._scores(seen, self.amount(signal, group, what, how), ahead) for group in _groups(signal)
        ])  # fmt: skip

    def _turned(self, camera: Recording, signal: Recording, ahead: bool) -> Array:
        seen = self.turning(camera)
        return _any_of([
            self._squares(seen, self.axes(signal, group), ahead) for group in _groups(signal) if _has_axes(group)
        ])  # fmt: skip

    def _both_amounts(self, one: Recording, other: Recording, what: str, how: str, a: Group, b: Group) -> Array:
        return self._scores(self.amount(one, a, what, how), self.amount(other, b, what, how), True)

    def _both_axes(self, one: Recording, other: Recording, a: Group, b: Group) -> Array:
        return self._squares(self.axes(one, a), self.axes(other, b), True)

    def _scores(self, a: Array, b: Array, ahead: bool) -> Array:
        return correlate(a, b, self.grid) if ahead else correlate(b, a, self.grid)

    def _squares(self, a: Array, b: Array, ahead: bool) -> Array:
        """All axes (A, T) against all (B, T), whichever way either was mounted: half the sum of squares, (C, L).

        Under chance its mean is zero. Chunks add up to the square of the whole, not to the sum of their own squares.
        """
        total: Array = np.zeros(0)
        for x, y in itertools.product(a, b):
            scores = self._scores(x, y, ahead)
            part = 0.5 * scores * scores.sum(axis=0) - 0.5 / len(scores)
            total = part if not total.size else total + part
        return total

    def _treat(self, values: Array, how: str, known: NDArray[np.bool_] | None = None) -> Array:
        """Whitened; where nothing is known it is as usual, and says nothing."""
        if known is not None and not known.all() and known.any():
            values = np.where(known, values, values[known].mean())
        return standardised(np.clip(self.ways[how](values, self.grid.per_second), -CLIP, CLIP))

    def _picture(self, camera: Recording, name: str, how: str) -> Array:
        moved = camera.motion
        return self._treat(loudness(resampled(moved.times, moved.of(name), moved.length, self.grid.per_second)), how)

    def _amount(self, signal: Recording, group: Group, what: str, how: str) -> Array:
        numbers = _numbers(signal)
        values = amount(numbers, group, what, self.grid.per_second)
        return self._treat(loudness(values), how, known_on(numbers, len(values), self.grid.per_second))

    def _axes(self, signal: Recording, group: Group) -> Array:
        numbers = _numbers(signal)
        moved = velocity(numbers, group, self.grid.per_second)
        known = known_on(numbers, moved.shape[1], self.grid.per_second)
        return _apart(np.stack([self._treat(_soft(row), "white", known) for row in moved]))

    def _turning(self, camera: Recording) -> Array:
        flow = camera_turning(camera.motion)
        rows = [resampled(camera.motion.times, row, camera.motion.length, self.grid.per_second) for row in flow]
        return _apart(np.stack([self._treat(_soft(row), "white") for row in rows]))


def camera_turning(moved: Motion) -> Array:
    """How the whole picture moves right, down and round, (3, T): a camera's pan, tilt and roll.

    >>> still = Motion(np.arange(9) / 15, np.zeros((9, 9), np.float32), np.zeros((9, 6, 48), np.float16), 0.6)
    >>> camera_turning(still).shape
    (3, 9)
    """
    right, down = (moved.cells[:, CELLS.index(name)].astype(np.float64) for name in ("right", "down"))  # (T, 48)
    across = np.tile(np.arange(COLUMNS) - (COLUMNS - 1) / 2, ROWS) / COLUMNS
    below = np.repeat(np.arange(ROWS) - (ROWS - 1) / 2, COLUMNS) / COLUMNS
    middle = [np.median(part, axis=1) for part in (right, down)]
    return np.stack([*middle, (down * across - right * below).mean(axis=1)])


def _groups(recording: Recording) -> Sequence[Group]:
    return _numbers(recording).groups[:MOST_GROUPS]


def _numbers(recording: Recording) -> Signal:
    assert recording.numbers is not None
    return recording.numbers


def _has_axes(group: Group) -> bool:
    return 2 <= len(group.columns) <= MOST_AXES


def _soft(row: Array) -> Array:
    """Without the weight of a few jolts: a logarithm of what is large, with its sign."""
    usual = 3 * float(np.median(np.abs(row))) + 1e-3 * float(np.abs(row).max(initial=0.0)) + 1e-12
    return np.asarray(np.arcsinh(row / usual))


def _apart(rows: Array) -> Array:
    """Rows (K, T) turned so that they are uncorrelated, each of spread 1: how they were mounted is forgotten."""
    centred = np.stack([standardised(row) for row in rows])
    if not centred.any():
        return centred
    sizes, turns = np.linalg.eigh(centred @ centred.T / centred.shape[1])
    kept = sizes > 1e-3 * sizes.max()
    return np.asarray((turns[:, kept] / np.sqrt(sizes[kept])).T @ centred)


def _each_of(curves: Callable[[Group, Group], Array], both: Sequence[tuple[Group, Group]]) -> Array:
    return _any_of([curves(a, b) for a, b in both])


def _any_of(curves: Sequence[Array]) -> Array:
    """Curves (C, L) of several groups of which one is enough: the log of the mean likelihood of the whole.

    >>> _any_of([np.array([[0.0, 9.0]]), np.array([[0.0, 0.0]])]).round(1).tolist()
    [[0.0, 8.3]]
    """
    if len(curves) == 1:
        return curves[0]
    each = np.stack(curves)  # (G, C, L)
    whole = each.sum(axis=1)  # (G, L)
    top = whole.max(axis=0)
    likely = np.exp(whole - top)
    share = likely / likely.sum(axis=0)
    mean = np.einsum("gl,gcl->cl", share, each)
    rest = top + np.log(likely.mean(axis=0)) - mean.sum(axis=0)
    return np.asarray(mean + rest / len(mean))

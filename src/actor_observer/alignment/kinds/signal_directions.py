"""Which way things move: the joints of a robot or the axes of a gyroscope, and what is seen of them in a picture.

Robots that repeat a task, and people who walk, move about as much at the same moments as they did the last time; rarely
do they move the same way. So amounts (signal_evidence.py) are forgotten here: at each moment every recording has one
direction of length 1 among a few that are uncorrelated, of the flow in a picture or of a signal's columns. Every
direction of one is compared with every one of the other, with its sign. Nothing need be known of how a sensor is
mounted, where a camera stands, or which joint turns what.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from actor_observer.alignment.kinds.signal_curves import (
    EDGE,
    any_of,
    channels_of,
    groups_of,
    numbers_of,
)
from actor_observer.alignment.kinds.treatments import resampled, standardised, whitened
from actor_observer.alignment.recordings.evidence import LagScores, Scores, Sense
from actor_observer.alignment.recordings.lags import Array, Lags, correlate
from actor_observer.alignment.recordings.recording import Recording
from actor_observer.frames.motion import Motion
from actor_observer.frames.moving.flow import CELLS
from actor_observer.pairs.manifest import View
from actor_observer.signals import Group
from actor_observer.signals.amounts import known_on, velocity

__all__ = ["DirectionEvidence"]

MOST_WAYS = 8  # of a group's columns, those in which it moves most: an arm has six or seven joints
SEEN: dict[View, int] = {"third": 8, "first": 6}  # the same of the flow in a picture
CLIP = 3.0  # spreads of each; the length of a moment's direction is taken away afterwards
MOST_LOTS = 4  # that are compared: each two cost as many correlations as there are pairs of directions
LEAST_PART = 1e-3  # of the largest spread: less is rounding
STANDS = 0.1  # of the usual length: what moves less stands still, and has no direction
Lot = tuple[Group, ...]  # whose columns are compared as one


@dataclass(frozen=True)
class DirectionEvidence:
    """What moves one way by numbers moves one way in the picture, and in other numbers, at once."""

    name: str = "directions"
    sense: Sense = "motion"
    likelihood: bool = False

    def lags(self, one: Recording, other: Recording, lags: Lags) -> LagScores | None:
        return channels_of(_Compared, one, other, lags)


class _Compared:
    """The channels of two recordings; the directions of each are computed once."""

    def __init__(self, lags: Lags, top: float) -> None:
        self.grid = lags
        self.white = whitened(1.0, top, EDGE)
        self.ways = cache(self._ways)

    def camera(self, camera: Recording, signal: Recording, ahead: bool) -> list[tuple[str, Scores]]:
        """A camera's directions against those of a signal; `ahead`: the camera is `one`, the signal `other`."""
        return [(f"{camera.view} directions", partial(self._seen, camera, signal, ahead))]

    def signals(self, one: Recording, other: Recording) -> list[tuple[str, Scores]]:
        """The directions of two signals."""
        return [("signal directions", partial(self._both, one, other))]

    def _seen(self, camera: Recording, signal: Recording, ahead: bool) -> Array:
        seen = self._apart(self._read(camera.motion, flow_of(camera.motion, camera.view)))
        all_ways = (self.ways(signal, lot) for lot in _together(signal))
        return any_of(self._squares(seen, own) if ahead else self._squares(own, seen) for own in all_ways)

    def _both(self, one: Recording, other: Recording) -> Array:
        both = itertools.product(_together(one), _together(other))
        return any_of(self._squares(self.ways(one, a), self.ways(other, b)) for a, b in both)

    def _squares(self, a: Array, b: Array) -> Array:
        """All directions (A, T) against all (B, T): half the sum of squares, (C, L).

        Under chance its mean is zero. Chunks add up to the square of the whole, not to the sum of their own squares.
        """
        total: Array = np.zeros(0)
        for x, y in itertools.product(a, b):
            scores = correlate(x, y, self.grid)
            part = 0.5 * scores * scores.sum(axis=0) - 0.5 / len(scores)
            total = part if not total.size else total + part
        return total

    def _ways(self, signal: Recording, lot: Lot) -> Array:
        numbers = numbers_of(signal)
        moved = np.concatenate([velocity(numbers, group, self.grid.per_second) for group in lot])
        known = known_on(numbers, moved.shape[1], self.grid.per_second)
        moved = np.where(known, moved, moved[:, known].mean(axis=1, keepdims=True)) if known.any() else moved
        if len(moved) > MOST_WAYS:
            moved = strongest(np.stack([standardised(row) for row in moved]), MOST_WAYS)
        return self._apart(moved) * known

    def _read(self, moved: Motion, rows: Array) -> Array:
        return np.stack([resampled(moved.times, row, moved.length, self.grid.per_second) for row in rows])

    def _apart(self, rows: Array) -> Array:
        """Rows (K, T), every frequency alike, turned so that they are uncorrelated; of each moment its direction."""
        treated = np.stack([np.clip(self.white(softened(row), self.grid.per_second), -CLIP, CLIP) for row in rows])
        return directions(treated)


def flow_of(moved: Motion, view: View) -> Array:
    """The flow in a picture in the ways in which it moves most, (K, T).

    A head camera's whole picture moves: every cell counts alike. What a room camera sees moves in few of its cells:
    those count more.

    >>> still = Motion(np.arange(9) / 15, np.zeros((9, 9), np.float32), np.zeros((9, 6, 48), np.float16), 0.6)
    >>> flow_of(still, "third").shape
    (1, 9)
    """
    cells = moved.cells[:, [CELLS.index("right"), CELLS.index("down")]].astype(np.float64)  # (T, 2, 48)
    rows = cells.reshape(len(cells), -1).T
    rows = rows - rows.mean(axis=1, keepdims=True)
    if view == "first":
        return strongest(np.stack([standardised(softened(row)) for row in rows]), SEEN[view])
    spread = rows.std(axis=1, keepdims=True)
    return strongest(rows / np.sqrt(spread + 0.01 * spread.max() + 1e-12), SEEN[view])


def strongest(rows: Array, most: int) -> Array:
    """The sums of rows (K, T) in which they move most, each of spread 1; at least one.

    >>> strongest(np.array([[3.0, -3.0], [3.0, -3.0]]), 5).round(2).tolist() in ([[1.0, -1.0]], [[-1.0, 1.0]])
    True
    """
    sizes, turns = np.linalg.eigh(rows @ rows.T / max(rows.shape[1], 1))
    best = [place for place in np.argsort(-sizes)[:most] if sizes[place] > LEAST_PART * sizes.max()] or [-1]
    return np.asarray((turns[:, best] / np.sqrt(np.maximum(sizes[best], 1e-12))).T @ rows)


def directions(rows: Array) -> Array:
    """Rows (K, T) turned so that they are uncorrelated; at each moment they have one length, whatever it was.

    How a sensor was mounted is forgotten, and how fast it moved.

    >>> turned = directions(np.array([[1.0, 2.0, -1.0, -2.0], [1.0, -2.0, -1.0, 2.0]]))
    >>> bool(abs(turned[0] @ turned[1]) < 1e-9), turned.std(axis=1).round(6).tolist()
    (True, [1.0, 1.0])
    """
    centred = np.stack([standardised(row) for row in rows])
    if not centred.any():
        return centred
    turned = strongest(centred, len(centred))
    lengths = np.linalg.norm(turned, axis=0)
    return np.stack([standardised(row) for row in turned / np.maximum(lengths, STANDS * lengths.mean())])


def softened(row: Array) -> Array:
    """Without the weight of a few jolts: a logarithm of what is large, with its sign."""
    usual = 3 * float(np.median(np.abs(row))) + 1e-3 * float(np.abs(row).max(initial=0.0)) + 1e-12
    return np.asarray(np.arcsinh(row / usual))


def _together(recording: Recording) -> list[Lot]:
    """Columns that are compared as one: those of a name, and all that stand alone, such as an arm's named joints."""
    groups = groups_of(recording)
    alone = tuple(group for group in groups if len(group.columns) == 1)
    lots: list[Lot] = [(group,) for group in groups if len(group.columns) > 1]
    return [*([alone] if alone else []), *lots][:MOST_LOTS]

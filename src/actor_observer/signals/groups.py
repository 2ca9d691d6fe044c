"""Columns that belong together by their names, such as gyro_x, gyro_y, gyro_z, and what their numbers are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["Nature", "gather", "stem_of"]

Array = NDArray[np.float64]
Nature = Literal["place", "rate", "acceleration"]
_UNIT = re.compile(r"\s*[\[(][^\])\d]*[\])]\s*$")  # gyro_x [rad/s]
_AXIS = re.compile(r"[\s_.\-/\[(]*(?:x|y|z|w|roll|pitch|yaw|\d+)[\])]*$", re.IGNORECASE)
_RATES = re.compile(r"gyr|ang(?:ular)?[_. ]?(?:vel|rate)|omega|rotation[_. ]?rate|velocit|(?:^|[_. ])vel|speed|^[wgv]$")
_ACCELERATIONS = re.compile(r"acc|^a$")
STILL = 1e-6  # of the size of its numbers: less is rounding
FEW = 10  # numbers in a column, at least
GRAVITY = 9.81  # metres a second, a second: by it an accelerometer is known whose name says nothing
Gathered = tuple[str, Nature, tuple[str, ...], NDArray[np.float32]]


def stem_of(name: str) -> str:
    """A column's name without its axis, number and unit.

    >>> [stem_of(name) for name in ("gyro_x [rad/s]", "accZ", "observation.state[3]", "joint_1", "wx")]
    ['gyro', 'acc', 'observation.state', 'joint', 'w']
    """
    return _AXIS.sub("", _UNIT.sub("", name))


def gather(
    times: Array, values: NDArray[np.floating], names: Sequence[str], natures: Mapping[str, Nature]
) -> tuple[list[Gathered], list[str]]:
    """Groups of the columns (T, K) that move, and what was left out, one line each.

    >>> at = np.arange(50.0)
    >>> groups, said = gather(at, np.stack([at, np.sin(at), np.sin(at)], 1), ["row", "a_x", "b_x"], {})
    >>> [name for name, *_ in groups], said
    (['a_x'], ['b_x is the same as a_x: counted once'])
    """
    moving = [place for place in range(len(names)) if _moves(times, values[:, place])]
    stems: dict[str, list[int]] = {}
    for place in moving:
        stems.setdefault(stem_of(names[place]), []).append(place)
    groups: list[Gathered] = []
    said: list[str] = []
    for stem, places in stems.items():
        columns = tuple(names[place] for place in places)
        name = (stem or "place") if len(places) > 1 else columns[0]
        table = np.stack([_filled(times, values[:, place]) for place in places]).astype(np.float32)  # (K, T)
        same = next((one for one in groups if one[3].shape == table.shape and np.array_equal(one[3], table)), None)
        if same:
            said.append(f"{name} is the same as {same[0]}: counted once")
            continue
        table = _one_sided(table)
        groups.append((name, natures.get(name) or _nature(stem.lower(), table), columns, table))
    return groups, said


def _moves(times: Array, column: NDArray[np.floating]) -> bool:
    """Whether a column says anything: it is neither fixed nor a mere count of its rows."""
    known = np.isfinite(column)
    if known.sum() < FEW:
        return False
    some = column[known].astype(np.float64)
    size = max(float(np.abs(some).max()), 1e-12)
    if float(np.ptp(some)) <= STILL * size:
        return False
    steps = np.diff(some)
    counts = bool((steps >= 0).all()) and float(np.ptp(steps)) <= 1e-9 * size
    return not counts


def _filled(times: Array, column: NDArray[np.floating]) -> Array:
    """A column whose missing numbers are read between their neighbours."""
    known = np.isfinite(column)
    return np.interp(times, times[known], column[known].astype(np.float64))


def _one_sided(table: NDArray[np.float32]) -> NDArray[np.float32]:
    """Quaternions (4, T) without changes of sign: q and −q are the same turn."""
    if len(table) != 4 or np.abs(np.linalg.norm(table, axis=0) - 1).max() > 0.02:
        return table
    flips = np.sign(np.einsum("kt,kt->t", table[:, 1:], table[:, :-1]))
    return np.concatenate([table[:, :1], table[:, 1:] * np.cumprod(np.where(flips < 0, -1, 1))], axis=1)


def _nature(stem: str, table: NDArray[np.float32]) -> Nature:
    if _RATES.search(stem):
        return "rate"
    if _ACCELERATIONS.search(stem):
        return "acceleration"
    if len(table) == 3:
        size = np.linalg.norm(table, axis=0)
        middle = float(np.median(size))
        if abs(middle - GRAVITY) < 0.05 * GRAVITY and float(np.median(np.abs(size - middle))) < 0.1 * GRAVITY:
            return "acceleration"
    return "place"

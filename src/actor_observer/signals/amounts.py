"""How fast a signal moves, and how suddenly, at equal steps: what is compared with the motion in a picture."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter1d

from actor_observer.signals.signal import Group, Signal

__all__ = ["amount", "grid_means", "known_on", "velocity"]

Array = NDArray[np.float64]
SLOW = 2.0  # seconds: what changes more slowly than this is gravity, or a sensor's bias


def velocity(signal: Signal, group: Group, per_second: float) -> Array:
    """How fast each column changes, (K, N): sample n holds from n to n + 1 steps.

    Places are differentiated, rates taken as they are, less their bias; accelerations lose gravity and are summed up.

    >>> from actor_observer.signals.signal import make_signal
    >>> at = np.arange(101) / 10
    >>> found = make_signal(at, {"x": 3 * at + 0.01 * np.sin(at)})
    >>> velocity(found, found.groups[0], 5.0).round(1)[0, 2:6].tolist()
    [3.0, 3.0, 3.0, 3.0]
    """
    count = max(1, int(signal.length * per_second))
    if group.nature == "place":
        at: Array = np.arange(count + 1, dtype=np.float64) / per_second
        edges = grid_means(signal.times, group.values, at, 1 / per_second)
        return np.diff(edges, axis=1) * per_second
    middles: Array = (np.arange(count, dtype=np.float64) + 0.5) / per_second
    means = grid_means(signal.times, group.values, middles, 1 / per_second)
    if group.nature == "rate":
        return means - np.median(means, axis=1, keepdims=True)
    return _fast(np.cumsum(_fast(means, per_second), axis=1) / per_second, per_second)


def amount(signal: Signal, group: Group, what: str, per_second: float) -> Array:
    """Its `speed` or `acceleration` as one number at each step, (N,); `even speed`: every column counts alike.

    A joint near the hand turns far and fast and moves little; in even speed it counts as much as the shoulder.
    """
    if what == "acceleration" and group.nature == "acceleration":
        count = max(1, int(signal.length * per_second))
        middles: Array = (np.arange(count, dtype=np.float64) + 0.5) / per_second
        means = grid_means(signal.times, group.values, middles, 1 / per_second)
        return np.asarray(np.linalg.norm(_fast(means, per_second), axis=0))
    moved = velocity(signal, group, per_second)  # (K, N)
    if what == "even speed":
        moved = moved / np.maximum(moved.std(axis=1, keepdims=True), 1e-9 * max(float(np.abs(moved).max()), 1e-12))
    if what == "acceleration" and moved.shape[1] > 1:
        moved = np.gradient(moved, axis=1) * per_second
    return np.asarray(np.linalg.norm(moved, axis=0))


def grid_means(times: Array, values: NDArray[np.floating], at: Array, width: float) -> Array:
    """Values (K, T) at other times (N,): means over `width` seconds where rows are that dense, else straight lines.

    >>> grid_means(np.array([0.0, 1.0, 2.0]), np.array([[0.0, 2.0, 4.0]]), np.array([0.5, 9.0]), 0.1).tolist()
    [[1.0, 4.0]]
    """
    if len(times) < 2 or float(np.median(np.diff(times))) > 0.75 * width:
        return np.stack([np.interp(at, times, row.astype(np.float64)) for row in values])
    low, high = np.clip(at - width / 2, times[0], times[-1]), np.clip(at + width / 2, times[0], times[-1])
    wide = np.maximum(high - low, 1e-9)
    found = []
    for row in values.astype(np.float64):
        passed = np.concatenate([[0.0], np.cumsum((row[1:] + row[:-1]) / 2 * np.diff(times))])
        mean = (_integral(times, row, passed, high) - _integral(times, row, passed, low)) / wide
        found.append(np.where(high - low > 0.25 * width, mean, np.interp(at, times, row)))
    return np.stack(found)


def known_on(signal: Signal, count: int, per_second: float) -> NDArray[np.bool_]:
    """At which steps (N,) there are rows: within gaps nothing is known."""
    middles = (np.arange(count) + 0.5) / per_second
    known = np.ones(count, bool)
    for start, end in signal.gaps:
        known &= (middles < start) | (middles > end)
    return known


def _integral(times: Array, row: Array, passed: Array, at: Array) -> Array:
    """The integral of straight lines from the first time to others."""
    before = np.clip(np.searchsorted(times, at, side="right") - 1, 0, len(times) - 2)
    step = np.maximum(times[before + 1] - times[before], 1e-12)
    into = at - times[before]
    slope = (row[before + 1] - row[before]) / step
    return np.asarray(passed[before] + into * row[before] + slope * into**2 / 2)


def _fast(values: Array, per_second: float) -> Array:
    """Without what changes slowly."""
    return values - uniform_filter1d(values, max(3, 2 * round(SLOW * per_second / 2) + 1), axis=1, mode="nearest")

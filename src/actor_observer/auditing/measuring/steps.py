"""Does the offset between two cameras change within a take? It does where a recorder lost frames and closed the gap.

Products of the two cameras' motion at every lag near their offset, summed up to every moment: the best two offsets, one
before and one after some moment, against the best single one. The gain is in the log likelihoods of `alignment/`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from actor_observer.alignment.calibration import load_calibration
from actor_observer.alignment.kinds.learned_motion import load_coarse_heads, watch_coarsely
from actor_observer.alignment.kinds.motion import motion_rate
from actor_observer.alignment.kinds.treatments import TREATMENTS, loudness, resampled
from actor_observer.alignment.recordings.lags import Array, spread_under_chance
from actor_observer.alignment.recordings.recording import Recording
from actor_observer.model.motion_heads import HEAD_RATE, CoarseHeads

__all__ = ["Step", "find_step"]

REACH = 1.0  # seconds to either side of the offset of the whole take
LEAST = 4.0  # seconds before and after the step


@dataclass(frozen=True)
class Step:
    """Where the offset changes most clearly, whether or not it does."""

    time: float  # seconds of the other recording
    change: float  # seconds: the offset after it, less that before
    gain: float  # in log likelihood, over one offset for the whole take


def find_step(one: Recording, other: Recording, offset: float) -> Step | None:
    """The clearest step of the offset (one's time less the other's); None where the takes are too short."""
    rate = motion_rate(one.motion, other.motion)
    summed = _summed(one, other, offset, rate)  # (L, T)
    if summed is None:
        return None
    least = round(LEAST * rate)
    if summed.shape[1] < 2 * least + 1:
        return None
    before = summed[:, least:-least]
    after = summed[:, -1:] - before
    both = before.max(axis=0) + after.max(axis=0)
    at = int(both.argmax())
    lags = (np.arange(len(summed)) - len(summed) // 2) / rate
    change = float(lags[after[:, at].argmax()] - lags[before[:, at].argmax()])
    return Step((least + at) / rate, change, float(both[at] - summed[:, -1].max()))


def _summed(one: Recording, other: Recording, offset: float, rate: float) -> Array | None:
    """What speaks for each lag near the offset, up to each moment of the other recording: (L, T)."""
    reach, by = round(REACH * rate), round(offset * rate)
    count = int(other.length * rate)
    total = np.zeros((2 * reach + 1, count))
    for weight, a, b in _channels(one, other, rate):  # (D, T′), (D, T)
        b = b[:, :count]
        unit = np.sqrt(max(b.shape[1], 1)) * spread_under_chance(a, b)
        for row, lag in enumerate(range(by - reach, by + reach + 1)):
            low, high = max(0, -lag), min(b.shape[1], a.shape[1] - lag)
            if low < high:
                total[row, low:high] += weight / unit * (a[:, low + lag : high + lag] * b[:, low:high]).sum(axis=0)
    return np.cumsum(total, axis=1) if total.any() else None


def _channels(one: Recording, other: Recording, rate: float) -> Iterator[tuple[float, Array, Array]]:
    """Each channel's weight, and what it compares of both, (D, T) at this rate."""
    weights = load_calibration().of(one.source, other.source).weights
    heads = load_coarse_heads()
    for name, weight in weights.items():
        parts = name.split("/")
        if weight <= 0:
            continue
        if len(parts) == 3:
            yield weight, _treated(one, parts[0], parts[2], rate), _treated(other, parts[1], parts[2], rate)
        elif name == "one person" and heads is not None:
            yield weight, _vectors(heads, one, rate), _vectors(heads, other, rate)


def _treated(recording: Recording, signal: str, how: str, rate: float) -> Array:
    moved = recording.motion
    return TREATMENTS[how](loudness(resampled(moved.times, moved.of(signal), moved.length, rate)), rate)[None]


def _vectors(heads: CoarseHeads, recording: Recording, rate: float) -> Array:
    """What the coarse heads make of a recording, (D, T)."""
    found = watch_coarsely(heads, recording).double().numpy()
    own = (np.arange(found.shape[1]) + 0.5) / HEAD_RATE
    grid = (np.arange(max(1, int(recording.length * rate))) + 0.5) / rate
    return np.stack([np.interp(grid, own, row) for row in found])

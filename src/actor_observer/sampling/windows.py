"""Moments: one-second windows of a take, as grids of frame times."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Moments", "frame_times", "moments"]


@dataclass(frozen=True)
class Moments:
    """Whole windows only: `frames[m]` are the places in `times` of the frames of moment m, `centre[m]` its middle."""

    times: NDArray[np.float64]  # (T,) seconds
    frames: NDArray[np.int64]  # (M, W) places in `times`
    centre: NDArray[np.float64]  # (M,) seconds

    def __len__(self) -> int:
        return len(self.centre)


def frame_times(length: float, look_rate: float = 6.0) -> NDArray[np.float64]:
    """Times at a constant frame rate within a take, each in the middle of its interval; at least one.

    >>> frame_times(1.0, look_rate=4).tolist()
    [0.125, 0.375, 0.625, 0.875]
    """
    count = int(length * look_rate + 1e-9)
    return (np.arange(count, dtype=np.float64) + 0.5) / look_rate if count else np.array([length / 2])


def moments(length: float, look_rate: float = 6.0, seconds: float = 1.0) -> Moments:
    """All moments of a take of this length: a window of `seconds` starting at every frame that leaves it whole.

    A take shorter than the window is one moment.

    >>> found = moments(3.0, look_rate=2.0)
    >>> len(found), found.centre.tolist(), found.frames[0].tolist()
    (5, [0.5, 1.0, 1.5, 2.0, 2.5], [0, 1])
    """
    times = frame_times(length, look_rate)
    width = min(len(times), max(1, round(seconds * look_rate)))
    frames = np.arange(len(times) - width + 1)[:, None] + np.arange(width)  # (M, W)
    return Moments(times, frames, times[frames].mean(axis=1))

"""Which frames of a video are looked at for an index or a query, and which of them are kept."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from actor_observer.features.look import Look
from actor_observer.model.config import NetworkConfig
from actor_observer.sampling.windows import frame_times

__all__ = ["kept", "look_for", "times_around"]

CONTEXT_RATE = 3.0  # frames a second for a network that sees the context of a frame
WINDOW = 64.0  # seconds of video around a query that are looked at


def look_for(config: NetworkConfig, moment_rate: float) -> tuple[Look, int]:
    """How videos are looked at for an index of `moment_rate` moments a second, and one in how many frames is kept.

    >>> look, each = look_for(NetworkConfig(context=(2.0,), projection="shared"), moment_rate=1.0)
    >>> look.look_rate, each
    (3.0, 3)
    """
    each = math.ceil(CONTEXT_RATE / moment_rate) if config.context else 1
    each += 1 - each % 2  # an odd number: the frame in the middle is at the moment's own time
    return Look.of_network(config, moment_rate * each), each


def kept(frames: int, each: int) -> NDArray[np.int64]:
    """Places of the frames that an index keeps, of all `frames` that were looked at.

    >>> kept(9, 3).tolist(), kept(4, 1).tolist(), kept(1, 3).tolist()
    ([1, 4, 7], [0, 1, 2, 3], [0])
    """
    places = np.arange(each // 2, frames, each)
    return places if len(places) else np.array([frames // 2])


def times_around(length: float, look_rate: float, time: float) -> tuple[NDArray[np.float64], int]:
    """The times at which a video is looked at around a moment, and the place of the moment's own time among them.

    >>> times, place = times_around(4.0, 1.0, time=1.7)
    >>> times.tolist(), place
    ([0.5, 1.7, 2.5, 3.5], 1)
    """
    times = frame_times(length, look_rate)
    start = min(max(0.0, time - WINDOW / 2), max(0.0, length - WINDOW))
    times = times[(times >= start) & (times <= start + WINDOW)]
    place = int(np.abs(times - time).argmin())
    times[place] = time
    return times, place

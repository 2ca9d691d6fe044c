"""How long do many long recordings take to be put on one clock, once their motion is measured?

    python bench/align_many_speed.py MOTION [--cameras 12] [--minutes 10]

MOTION is a folder that bench/motion_set.py or bench/real_motion_set.py made. Its first event's recordings are played
over and over, each from another moment on, until there are so many of so many minutes: the work is that of real ones,
the clocks mean nothing.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from tyro.conf import Positional

from actor_observer.alignment.calibration import load_calibration
from actor_observer.alignment.cameras.join import join_cameras
from actor_observer.alignment.cameras.many import compare_all
from actor_observer.alignment.compare import Comparer
from actor_observer.alignment.recordings.recording import Recording
from actor_observer.errors import UserError
from actor_observer.frames.motion import Motion
from motion_set import read_event_motion

# What is measured at which times.
SAMPLED = {"times": ("whole", "cells"), "seen": ("looks",), "fine_times": ("fine",)}


def main(motion: Positional[Path], cameras: int = 12, minutes: float = 10.0) -> None:
    """Lengthen, compare every two, join, print."""
    events, rng, recordings = read_event_motion(motion), np.random.default_rng(0), []
    if not events or cameras < 2 or not minutes > 0:
        raise UserError(f"{motion}: needs an event; and at least two cameras, of some length")
    takes = events[0].takes
    for number in range(cameras):
        take = takes[number % len(takes)]
        recording = Recording(np.zeros(0, np.uint8), "third" if take.view == "third" else "first", 60 * minutes)
        recording.__dict__["motion"] = lengthened(take.motion, 60 * minutes, rng)  # as if asked for
        recordings.append(recording)
    begun, worked = time.perf_counter(), time.process_time()
    links = compare_all(recordings, Comparer())
    compared = time.perf_counter()
    join_cameras(recordings, links, load_calibration())
    joined = time.perf_counter()
    rooms = sum(recording.view == "third" for recording in recordings)
    print(
        f"{cameras} recordings of {minutes:g} min, {rooms} of room cameras: {joined - begun:.0f} s "
        f"({joined - compared:.0f} of them to join), {time.process_time() - worked:.0f} CPU s"
    )


def lengthened(motion: Motion, seconds: float, rng: np.random.Generator) -> Motion:
    """The same motion over and over, from any moment on.

    >>> kinds = {name: np.arange(8.0) for name in ("times", "whole", "cells", "seen", "looks", "fine_times", "fine")}
    >>> long = lengthened(Motion(**kinds, length=2.0), 5.0, np.random.default_rng(0))
    >>> len(long.times), float(long.times[-1])
    (20, 4.75)
    """
    start, repeated = rng.random(), dict[str, Any](length=seconds)
    for times, kinds in SAMPLED.items():
        samples = len(getattr(motion, times))
        count = round(samples * seconds / motion.length)
        played = (int(start * samples) + np.arange(count)) % max(1, samples)
        repeated |= {kind: getattr(motion, kind)[played] for kind in kinds}
        repeated[times] = np.arange(count) * (seconds / max(1, count))
    return Motion(**repeated)


if __name__ == "__main__":
    try:
        tyro.cli(main)
    except (UserError, OSError) as error:
        sys.exit(str(error))

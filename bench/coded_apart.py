"""Write recordings anew before they are measured, each with a start and keyframes of its own.

Files of one event that one command has made have their keyframes at the same moments, and every codec makes its
pictures jump a little there: cut out of such files, two clips tell when they fit even if nothing moves in them.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from actor_observer.features.see import open_take
from actor_observer.frames.frame_index import index_video
from actor_observer.frames.in_order import decoded
from actor_observer.frames.writing.write_mp4 import VideoWriter
from actor_observer.pairs.manifest import Take

LEAST, MOST = 0.2, 3.0  # seconds that are left out at the start
KEYFRAMES = (23, 250)  # frames from one to the next
CRF = 18  # hardly worse than what is read


def coded_apart(take: Take, folder: Path, rng: np.random.Generator) -> tuple[Take, float]:
    """The take, written anew into a folder without its first seconds; and how many seconds those are."""
    index, path = index_video(take.path), folder / f"{take.id}.mp4"
    usual = float(np.median(np.diff(index.times)))
    first = int(np.searchsorted(index.times, float(rng.uniform(LEAST, MOST))))
    fps = Fraction(1 / usual).limit_denominator(1001)
    with VideoWriter(path, fps, crf=CRF, gop=int(rng.integers(*KEYFRAMES)), threads=1) as writer:
        for number, frame in decoded(take.path, index, start=first, threads=1):
            if number >= first:  # it begins at a keyframe
                writer.add(frame.to_ndarray(format="rgb24").astype(np.uint8, copy=False))
    return replace(open_take(path, take.view, None), id=take.id), float(index.times[first])

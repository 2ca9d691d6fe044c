"""Cut two clips out of a synchronous pair, as two people would who pressed the button at different times.

What was measured once on the whole recording (motion, φ) is cut; the videos stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from actor_observer.alignment.recordings.recording import Recording
from actor_observer.features import TakeEmbedding
from actor_observer.frames.motion import Motion
from actor_observer.pairs.manifest import View

__all__ = ["Cut", "clip", "cut_motion", "draw_cuts", "part", "retimed"]


@dataclass(frozen=True)
class Cut:
    """Where the two clips begin and end, in third-person seconds."""

    third: tuple[float, float]
    first: tuple[float, float]

    @property
    def offset(self) -> float:
        """The truth: third-person time of the clip at which the first-person clip begins."""
        return self.first[0] - self.third[0]


def draw_cuts(start: float, end: float, count: int, rng: np.random.Generator) -> list[Cut]:
    """Cuts out of what both cameras recorded, from `start` to `end`.

    The first-person clip is 50 to 70 % of it, the third-person one 55 to 80 %, both begin anywhere, and at least 60 %
    of the shorter is shared.

    >>> cut = draw_cuts(0.0, 30.0, 1, np.random.default_rng(0))[0]
    >>> 15 <= cut.first[1] - cut.first[0] <= 21
    True
    """
    whole = end - start
    found: list[Cut] = []
    while len(found) < count:
        lengths = rng.uniform(0.55, 0.8) * whole, rng.uniform(0.5, 0.7) * whole
        starts = [start + rng.uniform(0, whole - length) for length in lengths]
        spans = [(begin, begin + length) for begin, length in zip(starts, lengths, strict=True)]
        shared = min(span[1] for span in spans) - max(span[0] for span in spans)
        if shared >= 0.6 * min(lengths):
            found.append(Cut((float(spans[0][0]), float(spans[0][1])), (float(spans[1][0]), float(spans[1][1]))))
    return found


def clip(moved: Motion, start: float, end: float, view: View) -> Recording:
    """A stretch of a recording, as evidence sees it: its motion, no pictures."""
    recording = Recording(np.zeros(0, np.uint8), view, end - start)
    recording.__dict__["motion"] = cut_motion(moved, start, end)  # as if it had been asked for
    return recording


def cut_motion(moved: Motion, start: float, end: float) -> Motion:
    """What moves in a stretch of a recording, in seconds of its own."""
    inside, fine = ((some >= start) & (some < end) for some in (moved.times, moved.fine_times))
    return Motion(
        moved.times[inside] - start,
        moved.whole[inside],
        moved.cells[inside],
        end - start,
        fine_times=moved.fine_times[fine] - start,
        fine=moved.fine[fine],
    )


def retimed(moved: Motion, to: Callable[[NDArray[np.float64]], NDArray[np.float64]], length: float) -> Motion:
    """The same motion on another clock."""
    return replace(moved, times=to(moved.times), fine_times=to(moved.fine_times), length=length)


def part(take: TakeEmbedding, start: float, end: float) -> TakeEmbedding:
    """The same stretch of what a network saw."""
    inside = (take.times >= start) & (take.times < end)
    return TakeEmbedding(take.view, take.times[inside] - start, take.features[inside])

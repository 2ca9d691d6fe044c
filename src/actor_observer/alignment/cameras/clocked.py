"""Recordings on one clock: which of them can be believed, the stretch that all of them show, and its frames' times.

What is cut and what is shown side by side both come from here, so that they are the same stretch.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from actor_observer.alignment.cameras.result import Cameras
from actor_observer.alignment.recordings.recording import open_any
from actor_observer.alignment.result import Alignment
from actor_observer.errors import UserError
from actor_observer.features.see import Video, length_of, open_take
from actor_observer.frames.frame_index import index_video
from actor_observer.frames.frame_rate import frame_rate_of, meant_rate
from actor_observer.pairs.clock import Clock
from actor_observer.pairs.frame_files import holds_frames
from actor_observer.pairs.manifest import Take, View

__all__ = ["Clocked", "Stretch", "believed", "everything", "given_clock", "recordings_of", "shared_stretch"]

MOST_RATE = 60  # frames a second, where nobody says how many
ROUNDING = 1e-6  # of a frame: 299.9999999 frames are 300


@dataclass(frozen=True, eq=False)
class Clocked:
    """A recording and its clock: from common time (its `third`) to its own (its `first`)."""

    video: Video
    view: View
    length: float  # seconds
    clock: Clock
    recorder: bool = False  # a sound recorder's file, without pictures
    fps: float | None = None  # of pixels
    time: str = ""  # of a signal: the column that says when

    @property
    def shows(self) -> bool:
        """Whether it has pictures."""
        return not self.recorder and not self.time

    @property
    def path(self) -> Path | None:
        """Where it lies; None for pixels."""
        if isinstance(self.video, Take):
            return self.video.path
        return Path(self.video) if isinstance(self.video, (str, Path)) and str(self.video) else None

    @property
    def name(self) -> str:
        """The file's, without its folder."""
        return self.path.name if self.path else "pixels"

    @property
    def role(self) -> str:
        """In one word, for people."""
        if self.time:
            return "signal"
        return "recorder" if self.recorder else "head" if self.view == "first" else "room"

    @property
    def frame_rate(self) -> Fraction:
        """Its own frames a second; zero without pictures."""
        if not self.shows:
            return Fraction(0)
        if self.path is None:
            return meant_rate(self.fps or 1.0)
        if holds_frames(self.path):
            return meant_rate(open_take(self.path, self.view).frame_rate or 1.0)
        return frame_rate_of(index_video(self.path).times)


@dataclass(frozen=True, eq=False)
class Stretch:
    """From when to when, in common time, recordings are cut or shown; frame n is shown in the middle of its time."""

    start: float  # seconds
    end: float
    fps: Fraction
    times: NDArray[np.float64]  # (T,)


def believed(found: Alignment | Cameras) -> list[Clocked]:
    """The recordings whose clock can be believed: all that are in step."""
    if isinstance(found, Alignment):
        return everything(found) if found.verdict == "in step" else []
    return [one for one, camera in zip(everything(found), found.cameras, strict=True) if camera.verdict == "in step"]


def everything(found: Alignment | Cameras) -> list[Clocked]:
    """All recordings, by the best guess where nothing better is known."""
    if isinstance(found, Alignment):
        third = Clocked(found.third, "third", found.lengths[0], Clock(((0.0, 0.0),)))
        return [third, Clocked(found.first, "first", found.lengths[1], found.clock)]
    return [
        Clocked(one.path, one.view, one.length, _straight(one.offset, one.rate), one.recorder, time=one.time)
        for one in found.cameras
    ]


def recordings_of(found: Alignment | Cameras | Sequence[Clocked], anyway: bool = False) -> list[Clocked]:
    """What is to be cut: recordings as they are, or those of an answer that are in step; `anyway`, all of an answer's.

    >>> recordings_of([Clocked("a.mp4", "third", 10.0, Clock(((0.0, 0.0),)))])[0].name
    'a.mp4'
    """
    if not isinstance(found, (Alignment, Cameras)):
        return list(found)
    some = everything(found) if anyway else believed(found)
    if len(some) < 2:
        raise UserError("no two recordings are in step: nothing was cut (anyway=True goes by the best guess)")
    return some


def given_clock(videos: Sequence[Path], heads: Sequence[int], offsets: Sequence[float]) -> list[Clocked]:
    """Recordings on a clock that somebody knows: that of the first camera that is on nobody's head, if there is one.

    The others have an offset each, in the order named: common time = offset + own time. Of a room camera and a head
    camera: observer = offset + actor.
    """
    reference = next((number for number in range(len(videos)) if number not in heads), 0)
    if len(offsets) != len(videos) - 1:
        raise UserError(
            f"--offset: {len(videos)} recordings need {len(videos) - 1}, one for each but {videos[reference].name}, "
            f"whose clock it is; there {'is' if len(offsets) == 1 else 'are'} {len(offsets)}"
        )
    if not all(math.isfinite(offset) for offset in offsets):
        raise UserError("--offset: give seconds")
    others = iter(offsets)
    placed = []
    for number, path in enumerate(videos):
        view: View = "first" if number in heads else "third"
        offset = 0.0 if number == reference else next(others)
        one = open_any(path, view)
        length = length_of(path, view) if one.shows else one.length
        time = one.signal.time if one.signal else ""
        placed.append(Clocked(path, view, length, _straight(offset, 1.0), one.recorder is not None, time=time))
    return placed


def shared_stretch(recordings: Sequence[Clocked], rate: float | None = None) -> Stretch:
    """The stretch that all of them show, at `rate` frames a second, or the fastest one's (up to 60).

    >>> one = Clocked("a.mp4", "third", 10.0, Clock(((0.0, 0.0),)))
    >>> both = shared_stretch([one, Clocked("b.mp4", "first", 10.0, Clock(((4.0, 0.0),)))], rate=5)
    >>> both.start, both.end, both.times[:2].tolist(), len(both.times)
    (4.0, 10.0, [4.1, 4.3], 30)
    """
    if rate is not None and not 0 < rate <= 1000:
        raise UserError(f"--rate {rate:g}: give frames a second, above zero, up to 1000")
    start = max(one.clock.to_third(0.0) for one in recordings)
    end = min(one.clock.to_third(one.length) for one in recordings)
    if not end > start:
        raise UserError("by this clock the recordings never meet: there is no stretch that all of them show")
    own = max(one.frame_rate for one in recordings) if rate is None else Fraction(0)
    fps = meant_rate(rate) if rate else min(own, Fraction(MOST_RATE)) or Fraction(1)
    count = max(1, math.floor((end - start) * fps + ROUNDING))
    times = start + (np.arange(count, dtype=np.float64) + 0.5) / float(fps)
    return Stretch(start, start + float(count / fps), fps, times)


def _straight(offset: float, rate: float) -> Clock:
    """Common time = offset + rate · own time."""
    return Clock(((offset, 0.0), (offset + rate, 1.0)))

"""Recordings in step as tracks of a timeline, counted in frames: what is the same in every format."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from urllib.parse import quote

import numpy as np

from actor_observer.alignment.cameras.clocked import ROUNDING, Clocked, shared_stretch
from actor_observer.console import printable
from actor_observer.errors import TakeError, UserError
from actor_observer.frames.audio.sound_clip import sound_channels
from actor_observer.frames.frame_index import index_video
from actor_observer.frames.frame_rate import frame_rate_of
from actor_observer.pairs.frame_files import holds_frames
from actor_observer.pairs.probe import probe, stated_timecode
from actor_observer.pairs.window import file_of, is_window, window_of
from actor_observer.signals import is_signal

__all__ = ["Tracks", "Trimmed", "stated_rates", "tracks_of"]


@dataclass(frozen=True)
class Trimmed:
    """One recording on the timeline: which of its frames, at its own rate."""

    name: str
    url: str  # of the file, as seen from the timeline's folder
    fps: Fraction  # its own frames a second
    begin: int  # the number of its first frame, by the timecode in the file; 0 without one
    frames: int  # in the file
    start: int  # the first frame that is used, counted from the file's first
    count: int  # frames used, at the timeline's speed
    speed: float  # seconds of its own in a second of the timeline: 1 without drift
    size: tuple[int, int] | None  # width and height; None for a sound recorder's file
    channels: int  # of its sound; 0 without


@dataclass(frozen=True)
class Tracks:
    """A timeline: all tracks begin and end together."""

    name: str
    fps: Fraction
    count: int  # frames
    tracks: tuple[Trimmed, ...]
    markers: tuple[tuple[int, str], ...]  # frame, what is there
    notes: tuple[str, ...]  # what an editor should know


def tracks_of(
    recordings: Sequence[Clocked],
    folder: Path,  # of the timeline's file
    name: str,
    rate: float | None = None,  # frames a second of the timeline; None: the fastest recording's
    marks: Sequence[tuple[float, str]] = (),  # seconds of the common clock, what is there
    notes: Sequence[str] = (),
) -> Tracks:
    """The stretch that all recordings show, as `trim` cuts it."""
    stretch = shared_stretch(recordings, rate)
    tracks, said = [], list(notes)
    for one in recordings:
        if one.time:
            said.append(f"{printable(one.name)}: numbers, which no editor shows; left out of the timeline")
            continue
        if one.path is None or holds_frames(one.path):
            raise UserError(f"{one.path or 'pixels'}: a timeline names video files; --trim makes one of it")
        own = one.clock.to_first(stretch.start), one.clock.to_first(stretch.end)
        fps = one.frame_rate or stretch.fps
        seconds, speed = stretch.end - stretch.start, (own[1] - own[0]) / (stretch.end - stretch.start)
        file, begun = file_of(one.path), window_of(one.path)[0]
        frames = _nearest((index_video(file).end if is_window(one.path) and not one.recorder else one.length) * fps)
        start = max(0, _nearest((begun + own[0]) * fps))
        count = max(1, min(_nearest(seconds * fps), frames - start))
        tracks.append(
            Trimmed(
                name=printable(one.name),
                url=quote(os.fsencode(os.path.relpath(file.absolute(), folder.absolute()))),
                fps=fps,
                begin=_timecode(one.path, fps),
                frames=frames,
                start=start,
                count=count,
                speed=speed if abs(own[1] - own[0] - seconds) * fps > 0.5 else 1.0,
                size=None if one.recorder else _size(one.path),
                channels=sound_channels(one.path),
            )
        )
        said += _said(one, fps, tracks[-1], seconds)
    markers = [(math.floor((time - stretch.start) * stretch.fps + ROUNDING), text) for time, text in marks]
    inside = tuple((frame, text) for frame, text in markers if 0 <= frame < len(stretch.times))
    return Tracks(printable(name), stretch.fps, len(stretch.times), tuple(tracks), inside, tuple(said))


def stated_rates(files: Sequence[Path]) -> dict[str, Fraction]:
    """Frames a second of those that are video files, by name; what cannot be opened is for others to say."""
    found = {}
    for path in files:
        if not is_signal(path) and not holds_frames(path):
            try:
                found[path.name] = frame_rate_of(index_video(path).times)
            except (TakeError, UserError, OSError):
                continue
    return found


def _said(one: Clocked, fps: Fraction, track: Trimmed, seconds: float) -> list[str]:
    """What is not exact in a track."""
    said = []
    if track.speed != 1.0:
        drift = (track.speed - 1) * seconds
        said.append(f"{track.name}: its clock drifts by {drift:+.3f} s over the stretch")
    if not one.recorder and one.path is not None:
        times = index_video(one.path).times
        if np.abs(times - np.arange(len(times)) / float(fps)).max() * float(fps) > 0.75:
            rate = f"{float(fps):.5g}"
            said.append(f"{track.name}: its frame rate varies; frames are counted as if {rate} a second were shown")
    return said


def _timecode(path: Path, fps: Fraction) -> int:
    """The number of the first frame by the timecode that cameras write; 0 without one."""
    text = stated_timecode(path)
    try:
        hours, minutes, seconds, frames = (int(part) for part in text.replace(";", ":").split(":"))
    except ValueError:
        return 0
    base = round(fps)
    count = ((hours * 60 + minutes) * 60 + seconds) * base + frames
    if ";" in text:  # drop-frame: two numbers (four at 60) are left out each minute, but not each tenth
        whole = hours * 60 + minutes
        count -= round(base / 15) * (whole - whole // 10)
    return max(0, count)


def _size(path: Path) -> tuple[int, int]:
    found = probe(path)
    return found.width, found.height


def _nearest(frames: float | Fraction) -> int:
    return math.floor(frames + Fraction(1, 2))

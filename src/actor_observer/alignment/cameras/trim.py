"""Cut recordings to the stretch that all of them show: the same length, the same frame rate, in step, with sound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from actor_observer.alignment.cameras.many import Cameras
from actor_observer.alignment.cameras.side_by_side import check_target
from actor_observer.alignment.result import Alignment
from actor_observer.errors import UserError
from actor_observer.features.see import open_take
from actor_observer.frames.audio.sound_clip import sound_channels, sound_clip
from actor_observer.frames.frame_index import index_video
from actor_observer.frames.in_order import frames_in_order
from actor_observer.frames.write_mp4 import writing_mp4
from actor_observer.pairs.clock import Clock
from actor_observer.pairs.frame_files import holds_frames
from actor_observer.pairs.manifest import View

__all__ = ["Part", "parts_in_step", "shared_stretch", "trim", "trim_targets"]

MOST_RATE = 60  # frames a second


@dataclass(frozen=True)
class Part:
    """A recording and its clock: from common time (its `third`) to its own (its `first`)."""

    path: Path
    view: View
    length: float  # seconds
    clock: Clock


def parts_in_step(found: Alignment | Cameras) -> list[Part]:
    """The recordings whose clock can be believed; fewer than two: there is nothing to cut."""
    if isinstance(found, Cameras):
        return [
            Part(Path(one.path), one.view, one.length, Clock(((one.offset, 0.0), (one.offset + one.rate, 1.0))))
            for one in found.in_step
        ]
    if found.verdict != "in step":
        return []
    third = Part(Path(found.third), "third", found.lengths[0], Clock(((0.0, 0.0),)))
    return [third, Part(Path(found.first), "first", found.lengths[1], found.clock)]


def shared_stretch(parts: Sequence[Part]) -> tuple[float, float]:
    """From when to when, in common time, all of them show something.

    >>> one = Part(Path("a.mp4"), "third", 10.0, Clock(((0.0, 0.0),)))
    >>> shared_stretch([one, Part(Path("b.mp4"), "first", 10.0, Clock(((4.0, 0.0),)))])
    (4.0, 10.0)
    """
    start = max(part.clock.to_third(0.0) for part in parts)
    end = min(part.clock.to_third(part.length) for part in parts)
    if not end > start:
        raise UserError("in step, the videos never meet: there is no shared stretch to cut to")
    return start, end


def trim_targets(paths: Sequence[Path], folder: Path) -> list[Path]:
    """Where each recording's cut goes: its own name in this folder, with a number where two have the same.

    >>> trim_targets([Path("a/cam.mov"), Path("b/cam.mp4")], Path("cut"))
    [PosixPath('cut/cam.mp4'), PosixPath('cut/cam-2.mp4')]
    """
    targets: list[Path] = []
    for path in paths:
        number = sum(other.stem == path.stem for other in paths[: len(targets)]) + 1
        targets.append(folder / f"{path.stem}{f'-{number}' if number > 1 else ''}.mp4")
    for target in targets:
        check_target(target, *paths)
    return targets


def trim(parts: Sequence[Part], folder: str | Path, each: Callable[[], object] = lambda: None) -> list[Path]:
    """Write every recording, cut to the shared stretch; frame n shows the same moment in all of them.

    The frame rate is the fastest recording's, up to 60. Gives the files written.
    """
    start, end = shared_stretch(parts)
    fps = Fraction(min(MOST_RATE, max(_frame_rate(part) for part in parts))).limit_denominator(1001)
    times = start + (np.arange(max(1, int((end - start) * fps))) + 0.5) / float(fps)
    targets = trim_targets([part.path for part in parts], Path(folder))
    for part, target in zip(parts, targets, strict=True):
        own = part.clock.to_first(start), part.clock.to_first(end)
        channels = sound_channels(part.path)
        sound = sound_clip(part.path, *own, (end - start) / (own[1] - own[0])) if channels else None
        with writing_mp4(target, fps, sound, channels, crf=18) as add:
            for picture in frames_in_order(part.path, part.clock.to_first(times)):
                add(picture[: len(picture) // 2 * 2, : picture.shape[1] // 2 * 2])  # H.264 halves its colour planes
        each()
    return targets


def _frame_rate(part: Part) -> float:
    if holds_frames(part.path):
        return open_take(part.path, part.view).frame_rate or 1.0
    gaps = np.diff(index_video(part.path).times)
    return 1 / float(np.median(gaps)) if len(gaps) else 1.0

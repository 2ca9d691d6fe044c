"""Recordings beside each other, playing in step, with names, times and sound: one mp4."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from actor_observer.alignment.cameras.clocked import Clocked, Stretch, recordings_of, shared_stretch
from actor_observer.alignment.cameras.result import Cameras
from actor_observer.alignment.cameras.trim import refuse_overwriting
from actor_observer.alignment.result import Alignment
from actor_observer.errors import UserError
from actor_observer.features.see import channels_first
from actor_observer.frames.at import frames_at
from actor_observer.frames.audio.sound_clip import Block, sound_channels, sound_clip
from actor_observer.frames.augmenting.resample import centre_view
from actor_observer.frames.in_order import frames_in_order
from actor_observer.frames.writing.write_mp4 import VideoWriter
from actor_observer.pictures.captions import caption

__all__ = ["check_target", "side_by_side", "title_of", "title_of_given"]

HEIGHT = 360  # pixels, of each picture; smaller videos stay as they are
MOST_HEIGHT = 1080  # of all rows of pictures together
FEW = 4  # videos whose decoders may each use every core
GAP = 4  # black pixels between two pictures


def check_target(path: Path, videos: Sequence[Path] = ()) -> None:
    """Refuse a place that no video can be written to, or that one of these videos lies at.

    >>> check_target(Path("both.gif"))
    Traceback (most recent call last):
    actor_observer.errors.UserError: both.gif: the video is written as .mp4
    """
    if path.suffix.lower() != ".mp4":
        raise UserError(f"{path}: the video is written as .mp4")
    refuse_overwriting(path, videos)


def side_by_side(
    found: Alignment | Cameras | Sequence[Clocked],
    path: str | Path,
    title: str = "",
    rate: float | None = None,
    part: Callable[[float], object] = lambda share: None,
) -> Stretch:
    """Write the stretch that all show, as `trim` cuts it: two beside each other, more of them in rows.

    Above each stand its name, its role and its running time. The sound is a recorder's, if there is one, else that of
    the first recording that has any. Memory does not grow with the length.

    Args:
        found: what `align` or `align_many` gave, of which all recordings are shown, also those that are not in step (by
            the best guess, and the title says so); or recordings with their clocks.
        path: the .mp4 file to write.
        title: a line below all; "": the verdict and the clock, where an answer is given.
        rate: frames a second; None: the fastest recording's, up to 60.
        part: called now and then with how much is done, 0 to 1.

    >>> import tempfile
    >>> from actor_observer.pairs.clock import Clock
    >>> dark, bright = (np.full((12, 32, 48, 3), level, dtype=np.uint8) for level in (0, 255))
    >>> both = [Clocked(dark, "third", 2.0, Clock(((0.0, 0.0),)), fps=6.0)]
    >>> both.append(Clocked(bright, "first", 2.0, Clock(((0.0, 1.0),)), fps=6.0))
    >>> path = Path(tempfile.mkdtemp()) / "both.mp4"
    >>> side_by_side(both, path).end
    1.0
    >>> frames_at(path, [0.5]).shape
    torch.Size([1, 3, 54, 100])
    """
    path = Path(path)
    if isinstance(found, (Alignment, Cameras)):
        title = title or title_of(found)
    recordings = recordings_of(found, anyway=True)
    check_target(path, [one.path for one in recordings if one.path is not None])
    stretch = shared_stretch(recordings, rate)
    shown = [_Cell(one) for one in recordings if one.shows]
    if not shown:
        raise UserError("none of these recordings has pictures: there is nothing to show side by side")
    columns = math.ceil(math.sqrt(len(shown)))
    rows = math.ceil(len(shown) / columns)
    height = _even(min(HEIGHT, MOST_HEIGHT / rows, *(cell.shape[0] for cell in shown)))
    wide = [max(cell.width(height) for cell in shown[column::columns]) for column in range(columns)]
    sound, channels = _sound(recordings, stretch)
    with VideoWriter(path, stretch.fps, sound, channels) as writer:
        threads = 0 if len(shown) <= FEW else 1  # of each decoder
        films = [cell.captioned(stretch, height, wide[n % columns], threads) for n, cell in enumerate(shown)]
        for number, pictures in enumerate(zip(*films, strict=True)):
            writer.add(_composed(pictures, columns, title))
            part((number + 1) / len(stretch.times))
    return stretch


def title_of(found: Alignment | Cameras) -> str:
    """The verdict and the clock on one line."""
    if isinstance(found, Alignment):
        return found.title
    names = [Path(camera.path).name for camera in found.cameras]
    if len(names) == 2:
        other = found.cameras[1 - found.reference]
        clock = f"{names[found.reference]} = {other.offset:z.2f} s + {other.rate:.6g} · {names[1 - found.reference]}"
        error = "" if other.offset_error is None else f", ± {other.offset_error:.2f} s"
        return f"{found.verdict}: {clock}{error}"
    sure = sum(camera.verdict == "in step" for camera in found.cameras)
    return f"{sure} of {len(names)} recordings in step, on the clock of {names[found.reference]}"


def title_of_given(recordings: Sequence[Clocked]) -> str:
    """A clock that somebody knows, on one line.

    >>> from actor_observer.pairs.clock import Clock
    >>> room = Clocked("room.mp4", "third", 9.0, Clock(((0.0, 0.0),)))
    >>> title_of_given([room, Clocked("head.mp4", "first", 9.0, Clock(((2.0, 0.0),)))])
    'given clock, of room.mp4: head.mp4 starts at 2.00 s'
    """
    reference = next(one for one in recordings if one.view == "third")
    starts = (f"{one.name} starts at {one.clock.to_third(0.0):z.2f} s" for one in recordings if one is not reference)
    return f"given clock, of {reference.name}: {', '.join(starts)}"


class _Cell:
    """One of the recordings: its pictures in order, at any height."""

    def __init__(self, one: Clocked) -> None:
        self._one, self._pixels = one, None
        if isinstance(one.video, (np.ndarray, Tensor)):
            self._pixels = channels_first(one.video)  # (T, 3, H, W)
            self.shape = tuple(self._pixels.shape[2:])  # (H, W)
        else:
            self.shape = tuple(frames_at(one.video, [0.0]).shape[2:])

    def width(self, height: int) -> int:
        """Of its pictures, at this height."""
        return _even(height * self.shape[1] / self.shape[0])

    def captioned(self, stretch: Stretch, height: int, width: int, threads: int) -> Iterator[NDArray[np.uint8]]:
        """Pictures (H, width, 3) with a caption above; black beside them where there is room."""
        name = f"{self._one.name} · {self._one.role}"
        times = self._one.clock.to_first(stretch.times)
        spare = width - self.width(height)
        for time, picture in zip(times, self._pictures(times, height, threads), strict=True):
            beside = ((0, 0), (spare // 2, spare - spare // 2), (0, 0))
            whole = np.pad(picture, beside) if spare else picture
            yield np.concatenate([caption(name, f"{time:.1f} s", width), whole])

    def _pictures(self, times: NDArray[np.float64], height: int, threads: int) -> Iterator[NDArray[np.uint8]]:
        size = height, self.width(height)
        if self._pixels is None:
            assert not isinstance(self._one.video, (np.ndarray, Tensor))
            video = Path(self._one.video) if isinstance(self._one.video, str) else self._one.video
            yield from frames_in_order(video, times, size, threads)
            return
        for number in (times * (self._one.fps or 1.0) + 1e-6).astype(np.int64).clip(0, len(self._pixels) - 1):
            frame = self._pixels[int(number)][None]  # (1, 3, H, W)
            small = frame if self.shape == size else centre_view(frame, size).mul(255).round().to(torch.uint8)
            yield small[0].permute(1, 2, 0).numpy()


def _composed(pictures: Sequence[NDArray[np.uint8]], columns: int, title: str) -> NDArray[np.uint8]:
    """All pictures in rows, the title below."""
    lines = []
    for start in range(0, len(pictures), columns):
        some = pictures[start : start + columns]
        gap = np.zeros((len(some[0]), GAP, 3), dtype=np.uint8)
        lines.append(np.concatenate([part for one in some for part in (gap, one)][1:], axis=1))  # (H, W, 3)
    width = lines[0].shape[1]
    whole = np.concatenate([np.pad(line, ((0, 0), (0, width - line.shape[1]), (0, 0))) for line in lines])
    return np.concatenate([whole, caption(title, "", width)]) if title else whole


def _sound(recordings: Sequence[Clocked], stretch: Stretch) -> tuple[Iterator[Block] | None, int]:
    """A recorder's sound, or that of the first recording that has any; and its channels."""
    for one in sorted((one for one in recordings if not one.time), key=lambda one: not one.recorder):
        channels = sound_channels(one.path) if one.path else 0
        if one.path and channels:
            own = one.clock.to_first(stretch.start), one.clock.to_first(stretch.end)
            return sound_clip(one.path, *own, (stretch.end - stretch.start) / (own[1] - own[0])), channels
    return None, 0


def _even(length: float) -> int:
    """H.264 halves its colour planes."""
    return max(2, 2 * round(length / 2))

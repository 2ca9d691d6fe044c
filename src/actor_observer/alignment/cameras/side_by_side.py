"""Two videos beside each other, playing in step, with names, times and the observer's sound: one mp4."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from actor_observer.alignment.cameras.captions import BAR, caption
from actor_observer.errors import UserError
from actor_observer.features.see import Video, channels_first, length_of
from actor_observer.frames.at import frames_at
from actor_observer.frames.audio.sound_clip import sound_channels, sound_clip
from actor_observer.frames.resample import centre_view
from actor_observer.frames.write_mp4 import writing_mp4
from actor_observer.pairs.clock import Clock
from actor_observer.pairs.manifest import Take, View

__all__ = ["write_side_by_side"]

HEIGHT = 360  # pixels, of both; smaller videos stay as they are
PLAYED_RATE = 24  # frames a second
CHUNK = 48  # frames in memory at once
GAP = 4  # black pixels between the two


def check_target(path: Path, *videos: Video) -> None:
    """Refuse a place that no video can be written to, or that one of these videos lies at.

    >>> check_target(Path("both.gif"))
    Traceback (most recent call last):
    actor_observer.errors.UserError: both.gif: the video is written as .mp4
    """
    if path.suffix.lower() != ".mp4":
        raise UserError(f"{path}: the video is written as .mp4")
    for video in videos:
        place = _place(video)
        if place is not None and place.exists() and path.exists() and path.samefile(place):
            raise UserError(f"{path}: would overwrite the recording itself; choose another name")


def write_side_by_side(
    third: Video,
    first: Video,
    clock: Clock,
    path: str | Path,
    fps: tuple[float | None, float | None] = (None, None),  # frames a second of pixels
    title: str = "",  # a line below both, such as the verdict
) -> float:
    """Write the stretch that both show: the third-person video at its own speed, the first-person one in step with it.

    Above each stand its name and its running time; the sound is the third-person video's. Gives the length in seconds.
    Memory does not grow with it.

    >>> import tempfile
    >>> dark, bright = (np.full((12, 32, 48, 3), level, dtype=np.uint8) for level in (0, 255))
    >>> path = Path(tempfile.mkdtemp()) / "both.mp4"
    >>> write_side_by_side(dark, bright, Clock(((0.0, 1.0),)), path, fps=(6.0, 6.0))
    1.0
    >>> frames_at(path, [0.5]).shape
    torch.Size([1, 3, 54, 100])
    """
    path = Path(path)
    check_target(path, third, first)
    start, end = clock.overlap(length_of(third, "third", fps[0]), length_of(first, "first", fps[1]))
    if not end > start:
        raise UserError("in step, the two videos never meet: there is nothing to show side by side")
    times = start + (np.arange(max(1, round((end - start) * PLAYED_RATE))) + 0.5) / PLAYED_RATE
    sides = [_Side(third, "third", fps[0]), _Side(first, "first", fps[1])]
    height = _even(min(HEIGHT, *(side.shape[0] for side in sides)))
    place = _place(third)
    channels = sound_channels(place) if place else 0
    sound = sound_clip(place, start, end) if place and channels else None
    with writing_mp4(path, Fraction(PLAYED_RATE), sound, channels) as add:
        for some in np.split(times, range(CHUNK, len(times), CHUNK)):
            both = (some, clock.to_first(some))
            frames = [side.at(own, height) for side, own in zip(sides, both, strict=True)]
            for number in range(len(some)):
                add(_composed([one[number] for one in frames], sides, [float(own[number]) for own in both], title))
    return float(end - start)


class _Side:
    """One of the two videos: its frames at any times, at any height."""

    def __init__(self, video: Video, view: View, fps: float | None) -> None:
        self.video, self.fps = video, fps
        place = _place(video)
        self.name = place.name if place else f"{view} person"
        self.pixels: Tensor | None = None
        if isinstance(video, (np.ndarray, Tensor)):
            self.pixels = channels_first(video)
        self.shape = tuple(self.at(np.zeros(1), None).shape[1:3])  # (H, W)

    def at(self, times: NDArray[np.float64], height: int | None) -> NDArray[np.uint8]:
        """Frames (T, H, W, 3) on screen at these times."""
        size = None if height is None else (height, _even(height * self.shape[1] / self.shape[0]))
        if self.pixels is None:
            assert not isinstance(self.video, (np.ndarray, Tensor))
            return frames_at(self.video, times, size).permute(0, 2, 3, 1).numpy()
        chosen = torch.from_numpy((times * (self.fps or 1.0) + 1e-6).astype(np.int64)).clamp(0, len(self.pixels) - 1)
        frames = self.pixels[chosen]
        if size is not None and tuple(frames.shape[2:]) != size:
            frames = centre_view(frames, size).mul(255).round().to(torch.uint8)
        return frames.permute(0, 2, 3, 1).numpy()


def _composed(
    pictures: list[NDArray[np.uint8]], sides: list[_Side], times: list[float], title: str
) -> NDArray[np.uint8]:
    """Both pictures beside each other, names and times above, the title below."""
    gap = np.zeros((pictures[0].shape[0] + BAR, GAP, 3), dtype=np.uint8)
    columns = [
        np.concatenate([caption(side.name, f"{time:.1f} s", picture.shape[1]), picture])
        for side, time, picture in zip(sides, times, pictures, strict=True)
    ]
    whole = np.concatenate([columns[0], gap, columns[1]], axis=1)  # (H, W, 3)
    return np.concatenate([whole, caption(title, "", whole.shape[1])]) if title else whole


def _place(video: Video) -> Path | None:
    """Where a video lies; None for pixels."""
    if isinstance(video, Take):
        return video.path
    return Path(video) if isinstance(video, (str, Path)) else None


def _even(length: float) -> int:
    """H.264 halves its colour planes."""
    return max(2, 2 * round(length / 2))

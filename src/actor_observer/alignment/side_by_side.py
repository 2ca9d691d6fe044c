"""Two videos beside each other, playing in step: one mp4 that any browser shows."""

from __future__ import annotations

import contextlib
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from actor_observer.errors import UserError
from actor_observer.features.see import Video, channels_first, length_of
from actor_observer.frames.at import frames_at
from actor_observer.frames.resample import centre_view
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
        place = video.path if isinstance(video, Take) else video
        if isinstance(place, (str, Path)) and path.exists() and path.samefile(place):
            raise UserError(f"{path}: would overwrite the recording itself; choose another name")


def write_side_by_side(
    third: Video,
    first: Video,
    clock: Clock,
    path: str | Path,
    fps: tuple[float | None, float | None] = (None, None),  # frames a second of pixels
) -> float:
    """Write the stretch that both show: the third-person video at its own speed, the first-person one in step with it.

    Gives its length in seconds. Memory does not grow with it.

    >>> import tempfile
    >>> dark, bright = (np.full((12, 32, 48, 3), level, dtype=np.uint8) for level in (0, 255))
    >>> path = Path(tempfile.mkdtemp()) / "both.mp4"
    >>> write_side_by_side(dark, bright, Clock(((0.0, 1.0),)), path, fps=(6.0, 6.0))
    1.0
    >>> frames_at(path, [0.5]).shape
    torch.Size([1, 3, 32, 100])
    """
    path = Path(path)
    check_target(path, third, first)
    start, end = clock.overlap(length_of(third, "third", fps[0]), length_of(first, "first", fps[1]))
    if not end > start:
        raise UserError("in step, the two videos never meet: there is nothing to show side by side")
    times = start + (np.arange(max(1, round((end - start) * PLAYED_RATE))) + 0.5) / PLAYED_RATE
    sides = [_Side(third, "third", fps[0]), _Side(first, "first", fps[1])]
    height = _even(min(HEIGHT, *(side.shape[0] for side in sides)))
    part = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _encode(part, sides, times, clock, height)
        part.replace(path)
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror or error})") from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink()
    return float(end - start)


class _Side:
    """One of the two videos: its frames at any times, at any height."""

    def __init__(self, video: Video, view: View, fps: float | None) -> None:
        self.video, self.fps = video, fps
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


def _encode(path: Path, sides: list[_Side], times: NDArray[np.float64], clock: Clock, height: int) -> None:
    """H.264 in the form that browsers play, its index at the front."""
    with av.open(str(path), "w", format="mp4", options={"movflags": "+faststart"}) as file:
        stream: Any = None
        for some in np.split(times, range(CHUNK, len(times), CHUNK)):
            left, right = sides[0].at(some, height), sides[1].at(clock.to_first(some), height)
            gap = np.zeros((len(some), height, GAP, 3), dtype=np.uint8)
            both = np.concatenate([left, gap, right], axis=2)  # (T, H, W, 3)
            if stream is None:
                stream = file.add_stream(
                    "libx264", rate=Fraction(PLAYED_RATE), options={"crf": "20", "preset": "veryfast"}
                )
                stream.height, stream.width, stream.pix_fmt = both.shape[1], both.shape[2], "yuv420p"
            for picture in both:
                file.mux(stream.encode(av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24")))
        file.mux(stream.encode(None))


def _even(length: float) -> int:
    """H.264 halves its colour planes."""
    return max(2, 2 * round(length / 2))

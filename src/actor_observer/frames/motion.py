"""What moves in a video, frame by frame: differences and optical flow, over the whole picture and over a grid.

Two cameras on one event see different pictures, but what moves, moves in both at once. Everything `align` knows about
motion comes from here. Frames are read once, in order, at 192 pixels; an hour of video takes 190 to 270 MB.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from av.video.reformatter import VideoReformatter
from numpy.typing import NDArray

from actor_observer.errors import TakeError
from actor_observer.frames.at import frames_at
from actor_observer.frames.frame_index import index_video
from actor_observer.frames.glimpses import Glimpses
from actor_observer.frames.in_order import decoded
from actor_observer.frames.moving.fine import Thinning, mend
from actor_observer.frames.moving.flow import (
    CELLS,
    FINE,
    GRID,
    LONG_SIDE,
    WHOLE,
    Floats,
    Gray,
    measure,
    pooled,
)
from actor_observer.frames.moving.looks import LOOKS, Looking, Looks
from actor_observer.frames.video import ROTATIONS
from actor_observer.pairs.frame_files import CHARADES_FRAME_RATE, frame_files, holds_frames
from actor_observer.pairs.manifest import Take

__all__ = [
    "Motion",
    "Picture",
    "motion_of_frames",
    "motion_of_take",
    "small_gray",
    "still_motion",
]

MOST_RATE = 31.0  # frames a second; of faster videos every second or third frame is used
STILL = 1.5  # grey levels: noise of cameras and codecs changes a picture by less, the smallest movement by more


@dataclass(frozen=True)
class Motion:
    """The motion of one take between successive frames.

    `difference` is the mean change of brightness; flow is in picture widths per second. `residual` is flow less its
    median, `textured` the same where the picture has edges (flow is a guess where it has none), `affine` flow less the
    affine motion that fits the picture best (what a turning or moving camera does). `camera` is the size of the median,
    `zoom` how fast the picture grows or shrinks, `light` the mean brightness.
    """

    times: NDArray[np.float64]  # (T,) seconds, halfway between the two frames
    whole: Floats  # (T, 9) in the order of `WHOLE`
    cells: NDArray[np.float16]  # (T, 6, 48) in the order of `CELLS`; rows of the grid one after the other
    length: float  # seconds of the take
    seen: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))  # (N,) seconds of each frame
    looks: Floats = field(default_factory=lambda: np.zeros((0, len(LOOKS)), np.float32))  # (N, 5) of each frame
    fine_times: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))  # (F,) seconds, about 15 a second
    # (F, 6, 192) as `cells`, of the fine grid
    fine: NDArray[np.float16] = field(default_factory=lambda: np.zeros((0, len(CELLS), FINE), np.float16))

    @property
    def frames(self) -> Looks:
        """What a look at every frame gave."""
        return Looks(self.seen, self.looks)

    def of(self, name: str) -> Floats:
        """One signal over the whole picture, (T,)."""
        return self.whole[:, WHOLE.index(name)]

    @property
    def per_second(self) -> float:
        """Samples a second."""
        return 1 / float(np.median(np.diff(self.times))) if len(self.times) > 1 else 1.0

    @property
    def camera(self) -> float:
        """How fast the whole picture moves on average, in picture widths a second: a head camera's does."""
        return float(np.mean(self.of("camera"))) if len(self.times) else 0.0

    @property
    def still(self) -> bool:
        """Whether nothing ever moves: all that changes is noise, and codecs make the same noise in every file."""
        return float(self.of("difference_peak").max(initial=0.0)) < STILL


def still_motion(length: float) -> Motion:
    """The motion of a recording without pictures: it says nothing.

    >>> still_motion(60.0).still
    True
    """
    return Motion(
        np.array([0.0, 1 / 30]),
        np.zeros((2, len(WHOLE)), np.float32),
        np.zeros((2, len(CELLS), GRID), np.float16),
        length,
    )


@dataclass(frozen=True)
class Picture:
    """One frame as `motion_of_frames` takes it."""

    time: float  # seconds
    gray: Gray  # (H, W)
    key: bool = False  # a keyframe is coded anew: its difference to the frame before is not all motion
    glance: bool = False  # of a fast video: looked at, and passed over by motion


def motion_of_take(
    take: Take, part: Callable[[float], object] = lambda share: None, glimpses: Glimpses | None = None
) -> Motion:
    """The motion of a video file or a folder of frames; `part` is called now and then with how much of it is done.

    Of a file, `glimpses` are kept on the way.

    >>> motion_of_take(Take("a", "third", Path("no-such.mp4"), 3.0))
    Traceback (most recent call last):
    actor_observer.errors.TakeError: no-such.mp4: no such file
    """
    pictures = _from_folder(take) if holds_frames(take.path) else _from_file(take.path, glimpses)
    found = motion_of_frames(_told(pictures, take.length, part), take.length)
    if not len(found.times):
        raise TakeError(take.path, "fewer than two frames: nothing moves in it")
    return found


def _told(pictures: Iterable[Picture], length: float, part: Callable[[float], object]) -> Iterator[Picture]:
    """The same pictures; `part` is told about every second of video."""
    due = 0.0
    for picture in pictures:
        if picture.time >= due:
            part(picture.time / length)
            due = picture.time + 1.0
        yield picture


def motion_of_frames(pictures: Iterable[Picture], length: float) -> Motion:
    """The motion between successive frames.

    >>> noise = np.random.default_rng(0).integers(0, 255, (48, 64), dtype=np.uint8)
    >>> frames = [Picture(n / 10, np.roll(noise, n, axis=1)) for n in range(5)]
    >>> moved = motion_of_frames(frames, 0.5)
    >>> moved.times.round(2).tolist(), moved.whole.shape, moved.cells.shape
    ([0.05, 0.15, 0.25, 0.35], (4, 9), (4, 6, 48))
    """
    flow = cv2.DISOpticalFlow_create(cv2.DISOPTICAL_FLOW_PRESET_ULTRAFAST)
    times: list[float] = []
    whole: list[list[float]] = []
    cells: list[Floats] = []
    keys: list[bool] = []
    before: Picture | None = None
    looking, thinning = Looking(), Thinning()
    for picture in pictures:
        edges = looking.at(picture.time, picture.gray)
        if picture.glance:
            continue
        if before is not None and picture.gray.shape == before.gray.shape and picture.time > before.time:
            per_second = 1 / (picture.time - before.time)
            moved = flow.calc(before.gray, picture.gray, None)  # (H, W, 2)
            overall, each = measure(before.gray, picture.gray, moved, edges, per_second)
            times.append((picture.time + before.time) / 2)
            whole.append(overall)
            cells.append(pooled(each))
            keys.append(picture.key)
            thinning.add(before.time, picture.time, each, picture.key)
        before = picture
    signals = np.array(whole, np.float32).reshape(len(times), len(WHOLE))
    grid = np.array(cells, np.float32).reshape(len(times), len(CELLS), GRID)
    for values in (signals, grid):
        mend(values, np.array(keys, bool))
    return Motion(np.array(times), signals, grid.astype(np.float16), length, *looking.done(), *thinning.done())


def _from_file(path: Path, glimpses: Glimpses | None = None) -> Iterator[Picture]:
    index = index_video(path)
    if glimpses is not None:
        glimpses.begin(index)
    usual = 1 / float(np.median(np.diff(index.times))) if len(index.times) > 1 else 1.0
    each = max(1, round(usual / MOST_RATE + 0.49)) if usual > MOST_RATE else 1
    scaler, size, turns = VideoReformatter(), (0, 0), 0
    for shown, (number, frame) in enumerate(decoded(path, index, start=0, threads=0)):
        if frame.is_corrupt:
            continue
        if glimpses is not None:
            glimpses.offer(number, frame)
        if not size[0]:
            size, turns = _small(frame.height, frame.width), ROTATIONS.get(round(frame.rotation) % 360, 0)
        gray = scaler.reformat(frame, size[1], size[0], "gray", threads=1).to_ndarray()
        upright: Gray = np.ascontiguousarray(np.rot90(gray, turns))
        yield Picture(float(index.times[number]), upright, frame.key_frame, bool(shown % each))


def _from_folder(take: Take) -> Iterator[Picture]:
    per_second, count = take.frame_rate or CHARADES_FRAME_RATE, len(frame_files(take.path))
    times = (np.arange(count) + 0.5) / per_second
    for start in range(0, count, 64):
        frames = frames_at(take, times[start : start + 64], size=LONG_SIDE * 3 // 4, threads=1)  # (T, 3, H, W)
        for time, frame in zip(times[start : start + 64], frames, strict=True):
            small = small_gray(np.ascontiguousarray(frame.permute(1, 2, 0).numpy()))
            yield Picture(float(time) - 0.5 / per_second, small)


def small_gray(picture: NDArray[np.uint8]) -> Gray:
    """A picture (H, W, 3) at the size at which motion is measured, without its colours.

    >>> small_gray(np.zeros((480, 640, 3), np.uint8)).shape
    (144, 192)
    """
    height, width = _small(*picture.shape[:2])
    return cv2.resize(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), (width, height), interpolation=cv2.INTER_AREA)


def _small(height: int, width: int) -> tuple[int, int]:
    """The size at which motion is measured: the long side is 192 pixels, the short one at least 32."""
    scale = LONG_SIDE / max(height, width)
    return max(32, round(height * scale)), max(32, round(width * scale))

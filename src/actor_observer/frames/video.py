"""Decode chosen frames of a video file: each keyframe group once, only the packets needed, groups in parallel."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import av
import numpy as np
from av.container import InputContainer
from av.video.reformatter import VideoReformatter
from av.video.stream import VideoStream
from numpy.typing import NDArray

from actor_observer.errors import TakeError
from actor_observer.frames.frame_index import VideoIndex
from actor_observer.frames.skipping import may_skip, set_skip
from actor_observer.pairs.probe import open_video

__all__ = ["Size", "decode", "fit"]

Size = int | tuple[int, int] | None  # short side, (height, width), or as recorded

LONGEST_SHAPE = 4.0  # longer frames than 4:1 are shrunk

# Frames of which RGB in planes takes half the time of packed RGB, with the same numbers where `_as_planes` says so.
_PLANES = frozenset(("yuv420p", "yuvj420p", "yuv422p", "yuvj422p", "yuv444p", "yuv420p10le", "p010le", "nv12"))
ROTATIONS = {0: 0, 90: 1, 180: 2, 270: 3}  # degrees counter-clockwise -> quarter turns of np.rot90

Put = Callable[[int, NDArray[np.uint8]], None]  # (frame in display order, (H, W, 3) pixels)


def fit(height: int, width: int, size: Size) -> tuple[int, int]:
    """The size asked for, in pixels; an int is the short side, the shape is kept.

    A frame more than four times as long as wide gets a shorter short side, so that no frame has more than 4·size²
    pixels: a video of 10000x16 would otherwise take 48 MB for each frame.

    >>> fit(480, 640, 240), fit(480, 640, (224, 224)), fit(480, 640, None)
    ((240, 320), (224, 224), (480, 640))
    >>> fit(16, 10000, 160)
    (13, 8000)
    """
    if size is None:
        return height, width
    if isinstance(size, tuple):
        return size
    short, long = sorted((height, width))
    scale = size / short if long <= LONGEST_SHAPE * short else size * (LONGEST_SHAPE / (long * short)) ** 0.5
    return max(1, round(height * scale)), max(1, round(width * scale))


def decode(path: Path, index: VideoIndex, frames: NDArray[np.int64], size: Size, threads: int, put: Put) -> None:
    """Hand every frame in `frames` (display order, increasing, unique) to `put`, upright and resized, in any order."""
    if not len(frames):
        return
    if not index.stamped:
        _decode_counting(path, index, frames, size, put)
        return
    groups = np.split(frames, np.flatnonzero(np.diff(index.keyframe_of(frames))) + 1)
    shares = _shares(groups, index, min(threads, len(groups)))
    cores = max(1, threads // len(shares))  # for each decoder, so that no more threads run than there are cores
    if len(shares) == 1:
        _decode_groups(path, index, shares[0], size, cores, put)
        return
    with ThreadPoolExecutor(len(shares)) as pool:
        for done in [pool.submit(_decode_groups, path, index, share, size, cores, put) for share in shares]:
            done.result()


def _shares(groups: list[NDArray[np.int64]], index: VideoIndex, parts: int) -> list[list[NDArray[np.int64]]]:
    """Cut the groups into runs of about equal work (packets to feed), one for each thread."""
    costs = np.array([index.place[group].max() - _start(index, group) + 1 for group in groups], dtype=float)
    part = ((np.cumsum(costs) - costs / 2) / costs.sum() * parts).astype(int)
    return [[groups[i] for i in np.flatnonzero(part == p)] for p in range(parts) if (part == p).any()]


def _start(index: VideoIndex, group: NDArray[np.int64]) -> int:
    return int(index.keyframes[index.keyframe_of(group[:1])[0]])


def _decode_groups(
    path: Path, index: VideoIndex, groups: list[NDArray[np.int64]], size: Size, cores: int, put: Put
) -> None:
    at = 0.0
    try:
        with open_video(path) as (container, stream):
            stream.codec_context.thread_count = cores
            picture = Upright(size)
            for group in groups:
                at = index.times[group[0]]
                missing = _decode_group(container, stream, index, group, picture, put)
                if missing:
                    _decode_all_before(path, index, missing, picture, put)
    except av.FFmpegError as error:
        raise TakeError(path, f"damaged: decoding fails after {at:.2f} s ({error.strerror})") from None


def _decode_group(
    container: InputContainer,
    stream: VideoStream,
    index: VideoIndex,
    group: NDArray[np.int64],
    picture: Upright,
    put: Put,
) -> list[int]:
    """Decode one keyframe group from its keyframe to the last wanted frame; returns the frames that did not appear."""
    wanted = {int(index.pts[frame]): int(frame) for frame in group}
    key = int(index.keyframe_of(group[:1])[0])
    place, last = int(index.keyframes[key]), int(index.place[group].max())
    container.seek(int(index.key_dts[key]), stream=stream)  # also empties the decoder
    context = stream.codec_context
    skip = may_skip(context)
    for packet in container.demux(stream):
        if place == index.keyframes[key] and packet.dts is not None and packet.dts > index.key_dts[key]:
            return sorted(wanted.values())  # the container cannot seek to this keyframe
        if packet.size and packet.dts is not None and packet.dts < index.key_dts[key]:
            continue  # it could only seek to somewhere before
        if skip:
            set_skip(context, packet.pts in wanted)
        for frame in packet.decode():
            _offer(frame, wanted, picture, put)
        if place == last or not packet.size or not wanted:
            break
        place += 1
    for frame in context.decode(None) if wanted else ():
        _offer(frame, wanted, picture, put)
    return sorted(wanted.values())


def _decode_all_before(path: Path, index: VideoIndex, frames: list[int], picture: Upright, put: Put) -> None:
    """For containers that cannot seek: decode everything from the start."""
    wanted = {int(index.pts[frame]): frame for frame in frames}
    with open_video(path) as (container, stream):
        for frame in container.decode(stream):
            _offer(frame, wanted, picture, put)
            if not wanted:
                return
    at = index.times[min(wanted.values())]
    raise TakeError(path, f"damaged: the frame at {at:.2f} s cannot be decoded")


def _decode_counting(path: Path, index: VideoIndex, frames: NDArray[np.int64], size: Size, put: Put) -> None:
    """For files without presentation stamps (old AVIs): the n-th frame out of the decoder is the n-th on screen."""
    wanted = set((frames + index.before).tolist())
    picture = Upright(size)
    try:
        with open_video(path) as (container, stream):
            for number, frame in enumerate(container.decode(stream)):
                if number in wanted:
                    put(number - index.before, picture.of(frame))
                    wanted.discard(number)
                if not wanted:
                    return
    except av.FFmpegError as error:
        raise TakeError(path, f"damaged: {error.strerror}") from None
    raise TakeError(path, f"damaged: the frame at {index.times[min(wanted) - index.before]:.2f} s cannot be decoded")


def _offer(frame: av.VideoFrame, wanted: dict[int, int], picture: Upright, put: Put) -> None:
    number = wanted.get(frame.pts) if frame.pts is not None else None
    if number is not None and not frame.is_corrupt:
        put(number, picture.of(frame))
        del wanted[int(frame.pts or 0)]


class Upright:
    """Turns decoded frames into upright RGB of one size, with one scaler for all of them.

    All frames get the size of the first, so that a video that changes its resolution still gives one tensor.
    """

    def __init__(self, size: Size) -> None:
        self._size = size
        self._upright: tuple[int, int] | None = None
        self._scaler = VideoReformatter()

    def twin(self) -> Upright:
        """The same size with a scaler of its own, for another thread."""
        twin = Upright(self._size)
        twin._upright = self._upright
        return twin

    def of(self, frame: av.VideoFrame) -> NDArray[np.uint8]:
        turns = ROTATIONS.get(round(frame.rotation) % 360, 0)
        shape = (frame.width, frame.height) if turns % 2 else (frame.height, frame.width)
        if self._upright is None:
            self._upright = fit(*shape, self._size)
        height, width = self._upright[::-1] if turns % 2 else self._upright
        form = "gbrp" if _as_planes(frame, width, height) else "rgb24"
        scaled = self._scaler.reformat(frame, width, height, form, threads=1)  # (H, W, 3)
        return np.rot90(scaled.to_ndarray(), turns)


def _as_planes(frame: av.VideoFrame, width: int, height: int) -> bool:
    """Whether RGB in three planes is made faster, with the same numbers.

    An odd width makes swscale count colours for every pixel, which is slow in packed form. Where rows are hardly fewer
    than before, the two forms round differently.
    """
    return width % 2 == 1 and height < 0.9 * frame.height and frame.format.name in _PLANES

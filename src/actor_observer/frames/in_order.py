"""Frames of a video, one after the other: to write it anew, or to measure it, without holding it in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

from actor_observer.errors import TakeError
from actor_observer.frames.at import frames_at
from actor_observer.frames.frame_index import VideoIndex, index_video
from actor_observer.frames.skipping import frames_with
from actor_observer.frames.video import Size, Upright
from actor_observer.pairs.frame_files import holds_frames
from actor_observer.pairs.manifest import Take
from actor_observer.pairs.probe import open_video

__all__ = ["decoded", "frames_in_order"]

FEW = 8  # pictures of a folder in memory at once


def frames_in_order(
    take: Take | Path,
    times: NDArray[np.float64],
    size: Size = None,
    threads: int = 0,  # of the decoder; 0: as it likes
) -> Iterator[NDArray[np.uint8]]:
    """The frame on screen at each time (seconds, none before the one before), upright, (H, W, 3).

    >>> next(frames_in_order(Path("no-such.mp4"), np.zeros(1)))
    Traceback (most recent call last):
    actor_observer.errors.TakeError: no-such.mp4: no such file
    """
    path = take.path if isinstance(take, Take) else take
    if holds_frames(path):
        for start in range(0, len(times), FEW):
            yield from frames_at(take, times[start : start + FEW], size, threads).permute(0, 2, 3, 1).numpy()
        return
    index = index_video(path)
    wanted = index.on_screen(times)
    if not len(wanted):
        return
    upright, place, shown = Upright(size), 0, None
    for number, frame in decoded(path, index, int(wanted[0]), threads, only=np.unique(wanted)):
        if shown is not None:
            upto = int(np.searchsorted(wanted, number))  # these still show the frame before
            if upto > place:
                picture = upright.of(shown)
                for _ in range(place, upto):
                    yield picture
                place = upto
        if place == len(wanted):
            return
        shown = frame
    if shown is None:
        raise TakeError(path, "no frame could be decoded")
    picture = upright.of(shown)
    for _ in range(place, len(wanted)):
        yield picture


def decoded(
    path: Path, index: VideoIndex, start: int, threads: int, only: NDArray[np.int64] | None = None
) -> Iterator[tuple[int, av.VideoFrame]]:
    """Frames with their numbers in display order, from the keyframe before `start` on, as far as the index goes.

    With `only`, some of the frames that are not among these may be missing.
    """
    try:
        with open_video(path) as (container, stream):
            stream.thread_type, stream.codec_context.thread_count = "AUTO", threads
            if index.stamped:
                key = int(index.keyframe_of(np.array([start]))[0])
                if key:
                    container.seek(int(index.key_dts[key]), stream=stream)
            if only is None or not index.stamped:
                frames = container.decode(stream)
            else:
                frames = frames_with(container, stream, frozenset(index.pts[only].tolist()))
            for count, frame in enumerate(frames):
                if not index.stamped:
                    number = count - index.before
                elif frame.pts is None or frame.pts < index.pts[0]:  # an edit list hides it, or it is of no interest
                    continue
                else:
                    number = int(np.searchsorted(index.pts, frame.pts))
                if number >= len(index.pts):
                    return
                if number >= 0:
                    yield number, frame
    except av.FFmpegError as error:
        raise TakeError(path, f"damaged: {error.strerror}") from None

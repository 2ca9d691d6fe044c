"""The frames on screen at given times: how everything but motion (`motion.py`) looks at a video.

Whole videos that are written anew are read in order (`in_order.py`).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from threading import Lock

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from actor_observer.errors import TakeError
from actor_observer.frames.folder import read_pictures
from actor_observer.frames.frame_index import VideoIndex, index_video
from actor_observer.frames.video import Put, Size, decode
from actor_observer.pairs.frame_files import CHARADES_FRAME_RATE, frame_files, holds_frames, stated_rate
from actor_observer.pairs.manifest import Take

__all__ = ["frames_at"]

Read = Callable[[NDArray[np.int64], Put], None]  # hands each of these frames to `put`


def frames_at(
    take: Take | str | Path, times: ArrayLike, size: Size = None, threads: int = 0, index: VideoIndex | None = None
) -> Tensor:
    """The frame on screen at each time, upright, as uint8 (T, 3, H, W), channels last in memory.

    `times` are seconds since the first frame, in any order; a time before the start gives the first frame, one past
    the end the last. `size` is the short side, or (height, width), or None for the size as recorded. `threads`: how
    many keyframe groups to decode at once; 0 for one per core, use 1 inside a worker process. `index`: of the file,
    where somebody has it.

    >>> frames_at("no-such.mp4", [0.0, 0.5])
    Traceback (most recent call last):
    actor_observer.errors.TakeError: no-such.mp4: no such file
    """
    path, frame_rate = (take.path, take.frame_rate) if isinstance(take, Take) else (Path(take), None)
    wanted = np.atleast_1d(np.asarray(times, dtype=float))
    if wanted.ndim != 1 or not np.isfinite(wanted).all():
        raise ValueError("times must be a list of finite numbers, in seconds")
    threads = threads or os.cpu_count() or 1
    if holds_frames(path):
        files = frame_files(path)
        on_screen = np.floor(wanted * (frame_rate or stated_rate(path) or CHARADES_FRAME_RATE) + 1e-6).astype(np.int64)
        on_screen = np.clip(on_screen, 0, len(files) - 1)
        return _collect(path, on_screen, lambda frames, put: read_pictures(files, frames, size, threads, put))
    known = index or index_video(path)
    on_screen = known.on_screen(wanted)
    try:
        return _collect(path, on_screen, lambda frames, put: decode(path, known, frames, size, threads, put))
    except _OtherSize:  # the video changes its shape and threads chose different sizes; a single thread uses the first
        return _collect(path, on_screen, lambda frames, put: decode(path, known, frames, size, 1, put))


class _OtherSize(Exception):
    """Frames of one video have two sizes."""


class _Collector:
    """Collects frames, which arrive in any order from several threads, in one array with a row for each time."""

    def __init__(self, rows: dict[int, NDArray[np.intp]], count: int) -> None:
        self._rows, self._count, self._lock = rows, count, Lock()
        self.pixels: NDArray[np.uint8] | None = None  # (T, H, W, 3)

    def put(self, frame: int, pixels: NDArray[np.uint8]) -> None:
        if self.pixels is None:
            with self._lock:
                if self.pixels is None:
                    self.pixels = np.empty((self._count, *pixels.shape), dtype=np.uint8)
        if pixels.shape != self.pixels.shape[1:]:
            raise _OtherSize
        self.pixels[self._rows[frame]] = pixels


def _collect(path: Path, on_screen: NDArray[np.int64], read: Read) -> Tensor:
    frames, place = np.unique(on_screen, return_inverse=True)
    rows = {int(frame): np.flatnonzero(place == number) for number, frame in enumerate(frames)}
    collector = _Collector(rows, len(on_screen))
    read(frames, collector.put)
    if collector.pixels is None:
        if len(on_screen):
            raise TakeError(path, "no frame could be decoded")
        return torch.empty((0, 3, 0, 0), dtype=torch.uint8)
    return torch.from_numpy(collector.pixels).permute(0, 3, 1, 2)

"""Read chosen frames of a folder or a tar of pictures, through the same decoder and scaler as videos."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import av
import numpy as np
from av.video.codeccontext import VideoCodecContext
from numpy.typing import NDArray

from actor_observer.errors import TakeError
from actor_observer.frames.video import Put, Size, Upright
from actor_observer.pairs.frame_files import FrameFile
from actor_observer.pairs.probe import MOST_PIXELS

__all__ = ["read_pictures"]

_CODECS = {".jpg": "mjpeg", ".jpeg": "mjpeg", ".png": "png"}


def read_pictures(files: Sequence[FrameFile], frames: NDArray[np.int64], size: Size, threads: int, put: Put) -> None:
    """Hand the pictures at these places of `files` to `put`, resized to the size of the first."""
    picture = Upright(size)
    if len(frames):
        put(int(frames[0]), picture.of(_decoded(files[frames[0]])))

    def read(share: NDArray[np.int64]) -> None:
        own = picture.twin()  # a scaler must not be shared between threads
        for frame in share:
            put(int(frame), own.of(_decoded(files[frame])))

    shares = [share for share in np.array_split(frames[1:], max(1, threads)) if len(share)]
    if len(shares) <= 1:
        for share in shares:
            read(share)
        return
    with ThreadPoolExecutor(len(shares)) as pool:
        list(pool.map(read, shares))


def _decoded(path: FrameFile) -> av.VideoFrame:
    try:
        content = path.read_bytes()
        if not content:
            raise TakeError(path, "the frame is empty")
        context = av.CodecContext.create(_CODECS[path.suffix.lower()], "r")
        assert isinstance(context, VideoCodecContext)
        context.options = {"max_pixels": str(MOST_PIXELS)}  # refused before anything is allocated
        decoded = [*context.decode(av.Packet(content)), *context.decode(None)]
    except OSError as error:
        raise TakeError(path, f"cannot be read ({error.strerror})") from None
    except av.FFmpegError as error:
        raise TakeError(path, f"not a readable picture, or larger than 8K ({error.strerror})") from None
    if not decoded or decoded[0].is_corrupt:
        raise TakeError(path, "not a readable picture, or cut short")
    return decoded[0]

"""The frames of a take as JPEG files, evenly spaced: the n-th shows what is on screen around (n + ½) / rate seconds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO

import numpy as np
from PIL import Image

from actor_observer.errors import TakeError
from actor_observer.frames.frame_index import index_video
from actor_observer.frames.in_order import frames_in_order
from actor_observer.pairs.frame_files import CHARADES_FRAME_RATE, frame_files, holds_frames
from actor_observer.pairs.manifest import Take
from actor_observer.pairs.probe import probe

__all__ = ["FrameForm", "jpegs_of", "rate_and_count"]


@dataclass(frozen=True)
class FrameForm:
    """What kept frames are like.

    >>> FrameForm(size=168).quality
    90
    """

    size: int = 256  # pixels of the short side, at most: what the paper's recipes decode to
    frame_rate: float | None = None  # frames a second; None: as many as the recording has
    quality: int = 90  # of the JPEGs


def rate_and_count(take: Take, form: FrameForm) -> tuple[float, int]:
    """Frames a second, and how many: together they last as long as the recording.

    >>> from pathlib import Path
    >>> rate_and_count(Take("a", "third", Path("no-such.mp4"), 3.0), FrameForm())
    Traceback (most recent call last):
    actor_observer.errors.TakeError: no-such.mp4: no such file
    """
    if holds_frames(take.path):
        own = take.frame_rate or CHARADES_FRAME_RATE
        length = len(frame_files(take.path)) / own
    else:
        index = index_video(take.path)
        length, count = index.end, len(index.times)
        even = count > 1 and float(np.diff(index.times).max()) < 1.5 * length / count
        own = count / length if even else _finest(index.times)
    rate = min(own, form.frame_rate or own)  # a recording is not given frames that it does not have
    return rate, max(1, round(length * rate))


def _finest(times: np.ndarray) -> float:
    """The usual frames a second of a recording that leaves some out."""
    return 1 / float(np.median(np.diff(times))) if len(times) > 1 else 1.0


def jpegs_of(take: Take, form: FrameForm, rate: float, count: int) -> Iterator[bytes]:
    """Each frame as the bytes of a JPEG file, one at a time: a long take needs no more memory than a short one."""
    times = np.asarray((np.arange(count) + 0.5) / rate, dtype=np.float64)
    size, made = form.size, 0
    if not holds_frames(take.path):
        recorded = probe(take.path)
        size = min(size, recorded.width, recorded.height)  # enlarged pictures show no more
    for pixels in frames_in_order(take, times, size, threads=1):  # (H, W, 3)
        file = BytesIO()
        Image.fromarray(np.ascontiguousarray(pixels)).save(file, "JPEG", quality=form.quality)
        yield file.getvalue()
        made += 1
    if made < count:
        raise TakeError(take.path, f"damaged: {made} of {count} frames can be decoded")

"""A stretch of a file's sound at full quality, in step with its frames: for writing a video anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.audio.frame import AudioFrame
from numpy.typing import NDArray

from actor_observer.frames.audio.resampled import Resampled
from actor_observer.frames.frame_index import zero_of
from actor_observer.pairs.frame_files import holds_frames
from actor_observer.pairs.probe import open_media

__all__ = ["CLIP_RATE", "sound_channels", "sound_clip"]

CLIP_RATE = 48_000  # samples a second
JUMP = 0.02  # seconds: stamps this far from where counting samples leads are followed
EARLY = 1.0  # seconds: a seek goes this much further back

Block = NDArray[np.float32]  # (channels, N)


def sound_channels(path: Path) -> int:
    """1 or 2 (more become 2); 0 without a sound track, or for a folder of frames."""
    if holds_frames(path):
        return 0
    with open_media(path) as (container, _):
        if not container.streams.audio:
            return 0
        return min(2, max(1, container.streams.audio[0].codec_context.channels))


def sound_clip(path: Path, start: float, end: float, rate: float = 1.0) -> Iterator[Block]:
    """Blocks of sound from `start` to `end` (seconds after the first frame), played `rate` times as long.

    Together they last exactly `rate · (end − start)`: where the file has no sound there is silence.

    >>> sum(block.shape[1] for block in sound_clip(Path("no-such.mp4"), 0.0, 1.0))
    Traceback (most recent call last):
    actor_observer.errors.TakeError: no-such.mp4: no such file
    """
    channels, total = sound_channels(path), round((end - start) * rate * CLIP_RATE)
    cursor = 0  # samples given so far
    for at, block in _placed(path, start, end, rate, channels):
        if at > cursor:
            gap = min(at, total) - cursor
            yield np.zeros((channels, max(gap, 0)), np.float32)
            cursor += max(gap, 0)
        part = block[:, cursor - at : total - at] if cursor - at < block.shape[1] else block[:, :0]
        if part.shape[1]:
            yield part
            cursor += part.shape[1]
        if cursor >= total:
            return
    while cursor < total:
        rest = min(total - cursor, CLIP_RATE)
        yield np.zeros((channels, rest), np.float32)
        cursor += rest


def _placed(path: Path, start: float, end: float, rate: float, channels: int) -> Iterator[tuple[int, Block]]:
    """Blocks with the sample of the clip at which each begins; it may be below zero."""
    # At this rate, played at the clip's, samples last `rate` times as long.
    resampled = Resampled("fltp", "mono" if channels == 1 else "stereo", round(CLIP_RATE * rate))
    with open_media(path) as (container, video):
        stream, cursor = container.streams.audio[0], None
        zero = zero_of(path, container, video)
        if start > 2 * EARLY:
            container.seek(int((zero + start - EARLY) * av.time_base))
        for frame in _frames(container, stream):
            time = float(frame.pts * frame.time_base) - zero if frame.pts is not None and frame.time_base else None
            if time is not None:
                if time > end:
                    return
                at = round((time - start) * rate * CLIP_RATE)
                cursor = at if cursor is None or abs(at - cursor) > JUMP * CLIP_RATE else cursor
            cursor = 0 if cursor is None else cursor
            for made in resampled.add(frame):
                yield cursor, made.to_ndarray().astype(np.float32)
                cursor += made.samples


def _frames(container: Any, stream: Any) -> Iterator[AudioFrame]:
    """Decoded frames; what is damaged is left out, and the next stamp shows the gap."""
    try:
        for packet in container.demux(stream):
            try:
                yield from (frame for frame in packet.decode() if frame.samples and frame.sample_rate)
            except (av.FFmpegError, ValueError):
                continue
    except av.FFmpegError:
        return

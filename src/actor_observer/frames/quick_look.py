"""A quick look at a video: its own table of frames against the size of the file, and both ends through the decoder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import av
import numpy as np
from av.container import InputContainer
from av.video.stream import VideoStream

from actor_observer.pairs.probe import open_video, real_video_streams

__all__ = ["QuickLook", "look_quickly"]

_SAMPLED = 32  # entries of the table that are compared, evenly spread, the last always among them


@dataclass(frozen=True)
class QuickLook:
    """What a healthy file says about itself."""

    end: float  # seconds at which the last frame leaves the screen
    video_streams: int


def look_quickly(path: Path) -> QuickLook | None:
    """What a file says about itself if all is well with it; None where it takes a closer look to know.

    Mp4 and its relatives have a table of all frames, so the frames need not be read one by one: the table must hold as
    many as the header promises, inside the file, in order of time. The first frame, the last keyframe and the very last
    packet go through the decoder. A file that is missing, empty or no video is a `TakeError`.

    >>> look_quickly(Path("no-such.mp4"))
    Traceback (most recent call last):
    actor_observer.errors.TakeError: no-such.mp4: no such file
    """
    with open_video(path) as (container, stream):
        if "mov" not in container.format.name.split(","):
            return None
        table, count = stream.index_entries, len(stream.index_entries)
        if count < 2 or count != stream.frames:
            return None  # made of fragments, or edited
        sample = [table[place] for place in np.unique(np.linspace(0, count - 1, _SAMPLED).round().astype(int)).tolist()]
        times = np.array([entry.timestamp for entry in sample], dtype=np.int64)
        inside = max(entry.pos + entry.size for entry in sample) <= path.stat().st_size
        hidden = any(entry.is_discard for entry in sample)
        if hidden or not inside or not sample[0].is_keyframe or (np.diff(times) <= 0).any():
            return None
        if not _decodes(container, stream, int(times[-1])):
            return None
        end = float((times[-1] - times[0]) * count / (count - 1) * (stream.time_base or 0))
        return QuickLook(end, len(real_video_streams(container)))


def _decodes(container: InputContainer, stream: VideoStream, last: int) -> bool:
    """Whether the decoder takes the first frame, the last keyframe and the last packet."""
    try:
        stream.codec_context.thread_count = 1
        first = next(container.decode(stream), None)
        if first is None or first.is_corrupt:
            return False
        container.seek(last, stream=stream)  # to the last keyframe
        key = next(container.demux(stream))
        if not key.is_keyframe or not key.decode() + stream.codec_context.decode():
            return False
        container.seek(last, stream=stream, any_frame=True)
        end = next(container.demux(stream))
        end.decode()  # without the frames it refers to: whatever comes out, it must not be refused
        return any(bytes(end))  # a download that was broken off may end in zeros
    except (av.FFmpegError, ValueError):
        return False

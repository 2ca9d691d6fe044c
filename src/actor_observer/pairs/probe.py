"""Open a video file safely, and read what its header says."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import av
from av.container import InputContainer
from av.video.stream import VideoStream

from actor_observer.errors import TakeError
from actor_observer.pairs.table import MOST_SECONDS
from actor_observer.pairs.window import bounds_in, file_of, hint, is_window

__all__ = [
    "FRAME_SUFFIXES",
    "VIDEO_SUFFIXES",
    "Probe",
    "only_sound",
    "open_media",
    "open_video",
    "probe",
    "real_video_streams",
    "stated_timecode",
]

VIDEO_SUFFIXES = frozenset(
    (".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".ts", ".mts", ".mpg", ".mpeg", ".flv", ".wmv")
)
FRAME_SUFFIXES = frozenset((".jpg", ".jpeg", ".png"))
MOST_PIXELS = 8192 * 4352  # 8K. A few KB can claim any size, and a decoder keeps up to 17 frames of it in memory

# FFmpeg also reads playlists that name further files and addresses: only plain containers, only from disk.
_CONTAINERS = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,mpegvideo,h264,hevc,flv,live_flv,asf,ogg,nut,mxf"
_SOUND_CONTAINERS = "wav,w64,flac,mp3,aac,aiff,caf,amr"
# Real files carry metadata in any encoding: replace what is not UTF-8. From version 19 on, PyAV does so by itself.
_DECODE: dict[str, Any] = {"metadata_errors": "replace"} if int(av.__version__.split(".")[0]) < 19 else {}


@dataclass(frozen=True)
class Probe:
    """What a video's header says about it. Headers can lie: `frames.check_take` compares them with the file."""

    length: float  # seconds
    frame_rate: float  # on average
    width: int
    height: int
    video_streams: int


@contextmanager
def open_video(path: Path) -> Iterator[tuple[InputContainer, VideoStream]]:
    """The container and its first real video stream; a file that cannot be opened is a `TakeError`.

    Of a stretch of a file (`pairs/window.py`) the whole file is opened: who reads on keeps to the stretch.

    >>> with open_video(Path("no-such.mp4")) as (container, stream): pass
    Traceback (most recent call last):
    actor_observer.errors.TakeError: no-such.mp4: no such file
    """
    with _opened(path, _CONTAINERS) as container:
        stream = _pictures(path, container)
        if stream is None:
            kinds = ", ".join(sorted({stream.type or "unknown" for stream in container.streams})) or "nothing"
            raise TakeError(path, f"no video stream in it (only {kinds})")
        yield container, stream


@contextmanager
def open_media(path: Path) -> Iterator[tuple[InputContainer, VideoStream | None]]:
    """As `open_video`, also of a recorder's sound file: that one has no video stream.

    >>> with open_media(Path("no-such.wav")) as (container, stream): pass
    Traceback (most recent call last):
    actor_observer.errors.TakeError: no-such.wav: no such file
    """
    with _opened(path, f"{_CONTAINERS},{_SOUND_CONTAINERS}") as container:
        yield container, _pictures(path, container)


def only_sound(path: Path) -> bool:
    """Whether a file has sound and no pictures; what cannot be opened is not such a file.

    >>> only_sound(Path("no-such.wav"))
    False
    """
    try:
        with open_media(path) as (container, video):
            return video is None and bool(container.streams.audio)
    except TakeError:
        return False


@contextmanager
def _opened(path: Path, containers: str) -> Iterator[InputContainer]:
    file = file_of(path)
    try:
        state = file.stat()
    except FileNotFoundError:
        raise TakeError(path, f"no such file{hint(path)}") from None
    except OSError as error:
        raise TakeError(path, f"cannot be read ({error.strerror})") from None
    if stat.S_ISDIR(state.st_mode) and is_window(path):
        raise TakeError(path, "a folder: only video and sound files have stretches (#t=START,END)")
    if not stat.S_ISREG(state.st_mode):  # a named pipe would hang
        raise TakeError(path, "not a regular file")
    if not state.st_size:
        raise TakeError(path, "the file is empty")
    options = {"format_whitelist": containers, "protocol_whitelist": "file"}
    try:
        container = av.open(str(file.absolute()), container_options=options, **_DECODE)
    except (av.FFmpegError, OSError, ValueError) as error:
        raise TakeError(path, f"not a readable video, or cut short ({_reason(error)})") from None
    with container:
        yield container


def _pictures(path: Path, container: InputContainer) -> VideoStream | None:
    """The first real video stream, if there is one; a size that no video has is a `TakeError`."""
    streams = real_video_streams(container)
    if not streams:
        return None
    context = streams[0].codec_context
    if not context.width or not context.height:
        raise TakeError(path, "the video stream has no picture size: the file is damaged or cut short")
    if context.width * context.height > MOST_PIXELS:
        raise TakeError(path, f"claims {context.width}x{context.height} pixels, too many")
    context.options = {"max_pixels": str(MOST_PIXELS)}  # also for frames larger than the header says
    return streams[0]


def probe(path: Path) -> Probe:
    """Length, rate and size; all packets are read only where the last ones are not where the header says."""
    with open_video(path) as (container, stream):
        length = _header_length(container, stream)
        if not _ends_at(container, stream, length):
            length = _packet_length(path, container, stream)
        if not length > 0:
            raise TakeError(path, "the video has no length")
        if length > MOST_SECONDS:
            raise TakeError(path, f"claims to last {length / 3600:.0f} hours, too long")
        start, end = bounds_in(path, length)
        context = stream.codec_context
        rate = float(stream.average_rate or stream.guessed_rate or 0)
        return Probe(end - start, rate, context.width, context.height, len(real_video_streams(container)))


def stated_timecode(path: Path) -> str:
    """The timecode of the first frame that a camera wrote, such as "10:00:00:05"; "" without one."""
    with open_media(path) as (container, _):
        stated = [dict(stream.metadata) for stream in container.streams] + [dict(container.metadata)]
    return next((tags["timecode"] for tags in stated if "timecode" in tags), "")


def real_video_streams(container: InputContainer) -> list[VideoStream]:
    """Video streams without the cover pictures of audio files."""
    cover = av.stream.Disposition.attached_pic
    return [stream for stream in container.streams.video if not stream.disposition & cover]


def _header_length(container: InputContainer, stream: VideoStream) -> float:
    if stream.duration and stream.time_base:
        return float(stream.duration * stream.time_base)
    return float(container.duration or 0) / av.time_base


def _ends_at(container: InputContainer, stream: VideoStream, length: float) -> bool:
    """Whether the stream's last packets are about where the header's length says."""
    if not 0 < length <= MOST_SECONDS or not stream.time_base:
        return False
    begin = stream.start_time or 0
    try:
        container.seek(begin + int(length / stream.time_base), stream=stream)
        _, end = _span(container, stream)
    except (av.FFmpegError, ValueError, OverflowError):
        return False
    found = float((end - begin) * stream.time_base) if end is not None else 0.0
    return abs(found - length) <= max(1.0, 0.05 * length)


def _packet_length(path: Path, container: InputContainer, stream: VideoStream) -> float:
    """From the first start to the last end over all packets, whatever the header says."""
    try:
        with suppress(av.FFmpegError):
            container.seek(stream.start_time or 0, stream=stream)
        start, end = _span(container, stream)
    except (av.FFmpegError, ValueError) as error:
        raise TakeError(path, f"damaged or cut short ({_reason(error)})") from None
    return (
        float((end - start) * stream.time_base) if start is not None and end is not None and stream.time_base else 0.0
    )


def _span(container: InputContainer, stream: VideoStream) -> tuple[int | None, int | None]:
    """The first start and the last end of the packets from here on, in ticks."""
    start = end = None
    for packet in container.demux(stream):
        time = packet.pts if packet.pts is not None else packet.dts
        if time is not None and packet.size:
            start = time if start is None else min(start, time)
            end = max(time + (packet.duration or 0), end or time)
    return start, end


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).split(";")[0].rstrip(".")

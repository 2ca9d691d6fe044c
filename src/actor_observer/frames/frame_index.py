"""The index of a video file: when each frame is on screen, and from which keyframe to decode it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import av
import numpy as np
from av.container import InputContainer
from av.video.stream import VideoStream
from numpy.typing import NDArray

from actor_observer.errors import TakeError
from actor_observer.pairs.probe import open_video
from actor_observer.pairs.table import MOST_SECONDS
from actor_observer.pairs.window import bounds_in, file_of, hint, window_of

__all__ = ["VideoIndex", "forget_indexes", "index_video", "zero_of"]

# Seconds: a time meant as "frame 7 of 30 a second" must not fall on frame 6 by rounding, neither of floats nor of the
# container's ticks (a millisecond in mkv), which put a frame up to half a tick late.
_ROUNDING, _MOST_ROUNDING = 1e-6, 5e-4
_OFF_GRID = 2e-4  # seconds: data sets give the start of a stretch this exactly; a frame so early still belongs to it

MOST_VIDEOS, MOST_FRAMES = 4096, 1 << 22  # that are remembered: all of Charades-Ego, in 100 MB


@dataclass(frozen=True, eq=False)
class VideoIndex:
    """All frames of a video in display order, by demuxing alone (no decoding).

    `pts` are the container's own stamps; `times` are seconds since the first frame. A frame is decoded by feeding
    the packets from its keyframe's place in the file to its own.
    """

    pts: NDArray[np.int64]  # (N,) increasing
    times: NDArray[np.float64]  # (N,)
    place: NDArray[np.int64]  # (N,) which packet of the stream, in file order, holds this frame
    keyframes: NDArray[np.int64]  # (K,) places of the keyframes, increasing
    key_pts: NDArray[np.int64]  # (K,)
    key_dts: NDArray[np.int64]  # (K,) what to seek to
    tolerance: float  # seconds by which a frame may be asked for too early
    end: float  # seconds at which the last frame leaves the screen
    stamped: bool  # every packet has a pts; if not, frames are counted from the start
    before: int = 0  # frames of the file before the first of these: of a stretch, whose times run from its own start

    def on_screen(self, times: NDArray[np.float64]) -> NDArray[np.int64]:
        """Which frame is on screen at each time; before the start the first, after the end the last."""
        found = np.searchsorted(self.times, times + self.tolerance, side="right") - 1
        return np.clip(found, 0, len(self.times) - 1)

    def keyframe_of(self, frames: NDArray[np.int64]) -> NDArray[np.int64]:
        """For frames (display order), which keyframe (0…K-1) to start decoding from."""
        # By stamp, not by place: the frames before an open group's keyframe on screen come after it in the file.
        return np.maximum(np.searchsorted(self.key_pts, self.pts[frames], side="right") - 1, 0)

    def part(self, first: int, after: int) -> VideoIndex:
        """Some frames, of the same file: what is needed to decode them stays."""
        its, (key, last) = slice(first, after), self.keyframe_of(np.array([first, after - 1]))
        keys = slice(int(key), int(last) + 1)
        return replace(
            self,
            pts=self.pts[its],
            times=self.times[its],
            place=self.place[its],
            keyframes=self.keyframes[keys],
            key_pts=self.key_pts[keys],
            key_dts=self.key_dts[keys],
            before=self.before + first,
        )

    def around(self, times: NDArray[np.float64]) -> VideoIndex:
        """The frames on screen at these times and those between: short enough to hand to another process."""
        found = self.on_screen(times)
        return self.part(int(found.min()), int(found.max()) + 1)


def index_video(path: Path) -> VideoIndex:
    """The index of a file, remembered while the file stays unchanged.

    A file that cannot be trusted (cut short, a lying header, timestamps out of order) is a `TakeError`.

    >>> index_video(Path("no-such.mp4"))
    Traceback (most recent call last):
    actor_observer.errors.TakeError: no-such.mp4: no such file
    """
    file = file_of(path)
    try:
        state = file.stat()
    except OSError:
        raise TakeError(path, f"no such file{hint(path)}") from None
    key = file, state.st_mtime_ns, state.st_size
    found = _remembered.get(key)
    if found is None:
        found = _index(path)
        _remembered.add(key, found)
    return found if file == path else _within(path, found)


def _within(path: Path, index: VideoIndex) -> VideoIndex:
    """The frames that begin within a stretch of the file; what is needed to decode them stays."""
    start, end = bounds_in(path, index.end)
    early = max(index.tolerance, _OFF_GRID)
    first, after = np.searchsorted(index.times, [start - early, end - early])
    if first == after:
        raise TakeError(path, f"no frame of the file begins between {start:g} and {end:g} s")
    its = index.part(int(first), int(after))
    return replace(its, times=np.maximum(its.times - start, 0.0), end=end - start)


def zero_of(path: Path, container: InputContainer, video: VideoStream | None) -> float:
    """The stamp, in seconds of the opened file's own clock, at which a take's time is 0."""
    if video is None:  # a recorder's file: its stretch begins so long after its first sample
        stream = container.streams.audio[0]
        return float((stream.start_time or 0) * (stream.time_base or 0)) + window_of(path)[0]
    index = index_video(path)
    return float(int(index.pts[0]) * (video.time_base or 0)) - float(index.times[0])


def forget_indexes() -> None:
    """Drop every remembered index, to give back the memory or to time a first reading.

    >>> forget_indexes()
    """
    _remembered.clear()


_Key = tuple[Path, int, int]  # of a file: where it is, when it was changed (ns), bytes


class Remembered:
    """The indexes that were used last, of so many videos and frames at most; the very last one always stays.

    Without a lock, which a forked process could inherit closed: every line leaves it whole for other threads.
    """

    def __init__(self, most_videos: int = MOST_VIDEOS, most_frames: int = MOST_FRAMES) -> None:
        self._most_videos, self._most_frames = most_videos, most_frames
        self._kept: dict[_Key, VideoIndex] = {}  # the one used last is at the end

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def frames(self) -> int:
        """Of all that are kept."""
        return sum(len(index.pts) for index in [*self._kept.values()])

    def get(self, key: _Key) -> VideoIndex | None:
        found = self._kept.pop(key, None)
        if found is not None:
            self._kept[key] = found
        return found

    def add(self, key: _Key, index: VideoIndex) -> None:
        self._kept[key] = index
        videos, frames = len(self._kept), self.frames
        for oldest, its in [*self._kept.items()][:-1]:
            if videos <= self._most_videos and frames <= self._most_frames:
                break
            self._kept.pop(oldest, None)
            videos, frames = videos - 1, frames - len(its.pts)

    def clear(self) -> None:
        self._kept.clear()


_remembered = Remembered()


def _index(path: Path) -> VideoIndex:
    with open_video(path) as (container, stream):
        pts, dts, key, shown, last_duration, incomplete = _packets(path, container, stream)
        _compare_with_header(path, stream, len(pts))
        tick = float(stream.time_base or 0) or 1 / float(stream.average_rate or 25)
    stamped = all(stamp is not None for stamp in pts)
    stamps = pts if stamped else dts
    if any(stamp is None for stamp in stamps):
        raise TakeError(path, "frames without timestamps: convert it first, e.g. to mp4")
    marks = np.array(stamps, dtype=np.int64)
    _refuse_disorder(path, marks if stamped else None, [d for d in dts if d is not None], tick)
    if incomplete is not None:
        raise TakeError(path, f"damaged or cut short: packet {incomplete} of {len(pts)} is incomplete")

    visible = np.flatnonzero(shown)
    order = visible[np.argsort(marks[visible], kind="stable")]  # file order -> display order
    keys = np.flatnonzero(key)
    if not len(order) or not len(keys):
        raise TakeError(path, "no frame in it can be shown: no keyframe")
    times = (marks[order] - marks[order[0]]) * tick
    usual = float(np.median(np.diff(times))) if len(times) > 1 else 0.04
    if times[-1] > MOST_SECONDS:
        raise TakeError(path, f"claims to last {times[-1] / 3600:.0f} hours, too long")
    key_dts = np.array([dts[place] if dts[place] is not None else marks[place] for place in keys], dtype=np.int64)
    return VideoIndex(
        pts=marks[order],
        times=times,
        place=order,
        keyframes=keys,
        key_pts=marks[keys],
        key_dts=key_dts,
        tolerance=_ROUNDING + min(tick / 2, _MOST_ROUNDING),
        end=float(times[-1] + (last_duration * tick or usual)),
        stamped=stamped,
    )


def _packets(
    path: Path, container: InputContainer, stream: VideoStream
) -> tuple[list[int | None], list[int | None], list[bool], list[bool], int, int | None]:
    pts: list[int | None] = []
    dts: list[int | None] = []
    key: list[bool] = []
    shown: list[bool] = []
    duration, incomplete = 0, None
    try:
        for packet in container.demux(stream):
            if not packet.size:
                continue  # the end-of-stream mark
            if packet.is_corrupt and incomplete is None:
                incomplete = len(pts)
            pts.append(packet.pts)
            dts.append(packet.dts)
            key.append(packet.is_keyframe)
            shown.append(not packet.is_discard)  # an edit list may hide frames that others need
            duration = packet.duration or duration
    except av.FFmpegError as error:
        raise TakeError(path, f"damaged after {len(pts)} frames ({error.strerror})") from None
    if not pts:
        raise TakeError(path, "no frames in it")
    return pts, dts, key, shown, duration, incomplete


def _compare_with_header(path: Path, stream: VideoStream, found: int) -> None:
    promised = stream.frames  # 0 where the container does not say
    if promised and abs(promised - found) > max(2, 0.01 * promised):
        why = "cut short, or a header that lies" if promised > found else "the header cannot be trusted"
        raise TakeError(path, f"its header promises {promised} frames, the file holds {found}: {why}")


def _refuse_disorder(path: Path, pts: NDArray[np.int64] | None, dts: list[int], tick: float) -> None:
    """Refuse timestamps that run backwards, as in two recordings joined together: a time would name two frames."""
    steps = np.diff(np.array(dts, dtype=np.int64))
    if (steps < 0).any():
        at = int(np.argmax(steps < 0))
        raise TakeError(
            path, f"timestamps out of order: {(dts[at] - dts[0]) * tick:.2f} s is followed by an earlier one"
        )
    if pts is not None and len(np.unique(pts)) != len(pts):
        raise TakeError(path, "timestamps out of order: two frames share one time")

"""Plant faults in copies of a data set's videos: what bench/audit.py looks for afterwards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

from actor_observer.frames.frame_index import index_video
from actor_observer.frames.writing.write_mp4 import VideoWriter
from actor_observer.pairs.probe import open_video

__all__ = ["FAULTS", "Frames", "read_frames", "write_frames"]

Frames = NDArray[np.uint8]  # (N, H, W, 3)
Numbers = NDArray[np.int64]  # which frames, in which order


def read_frames(path: Path) -> tuple[Frames, Fraction]:
    """All frames of a video, and its rate."""
    with open_video(path) as (container, stream):
        frames = [frame.to_ndarray(format="rgb24") for frame in container.decode(stream)]
        rate = Fraction(stream.average_rate or 15)
    assert len(frames) == len(index_video(path).times)
    return np.stack(frames), rate


def write_frames(path: Path, frames: Frames, order: Numbers, rate: Fraction) -> None:
    """Encode these frames in this order, anew: no keyframe falls where it fell."""
    with VideoWriter(path, rate, crf=23, threads=1) as writer:
        for number in order.tolist():
            writer.add(frames[number])


def restamped(path: Path, out: Path, stamps: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> None:
    """The same pictures with other time stamps (seconds)."""
    with av.open(str(path)) as source, av.open(str(out), "w") as target:
        one = source.streams.video[0]
        copy = target.add_stream_from_template(one)
        tick = float(one.time_base or 1)
        times = index_video(path).times
        moved = dict(zip(np.round(times / tick).astype(int).tolist(), stamps(times).tolist(), strict=True))
        start = one.start_time or 0
        for packet in source.demux(one):
            if packet.pts is None:
                continue
            packet.pts = start + round(moved[packet.pts - start] / tick)
            packet.dts = min(packet.dts or packet.pts, packet.pts)
            packet.stream = copy
            target.mux(packet)


def late(by: int) -> Callable[[int, np.random.Generator], Numbers]:
    """A camera whose pictures come so many frames late: its first picture stands there for longer."""
    return lambda count, rng: np.maximum(np.arange(count) - by, 0)


def late_cut(by: int) -> Callable[[int, np.random.Generator], Numbers]:
    """The same, seen from the other end: the recording began so many frames earlier than its stamps say."""
    return lambda count, rng: np.minimum(np.arange(count) + by, count - 1)


def dropped(by: int, filled: bool) -> Callable[[int, np.random.Generator], Numbers]:
    """So many frames missing in the middle, stamps closed up; `filled`: the end is repeated to the old length."""

    def order(count: int, rng: np.random.Generator) -> Numbers:
        at = int(rng.integers(count // 4, 3 * count // 4))
        kept = np.r_[np.arange(at), np.arange(at + by, count)]
        return np.r_[kept, np.full(by, count - 1)] if filled else kept

    return order


def frozen(seconds: float, rate: float = 15.0) -> Callable[[int, np.random.Generator], Numbers]:
    """The same picture for so long."""

    def order(count: int, rng: np.random.Generator) -> Numbers:
        held = round(seconds * rate)
        at = int(rng.integers(count // 8, 7 * count // 8 - held))
        return np.r_[np.arange(at), np.full(held, at), np.arange(at + held, count)]

    return order


def repeated(times: int) -> Callable[[int, np.random.Generator], Numbers]:
    """So many single frames shown twice, each in place of the next."""

    def order(count: int, rng: np.random.Generator) -> Numbers:
        found = np.arange(count)
        at = rng.choice(np.arange(10, count - 10), times, replace=False)
        found[at] = found[at - 1]
        return found

    return order


Order = Callable[[int, np.random.Generator], Numbers]
FAULTS: dict[str, Order] = {
    **{f"late by {by}": late_cut(by) for by in (1, 2, 3, 5)},
    **{f"{by} dropped": dropped(by, filled=False) for by in (1, 3, 10)},
    **{f"{by} dropped, end filled": dropped(by, filled=True) for by in (1, 3, 10)},
    "a second frozen": frozen(1.0),
    "10 frames repeated": repeated(10),
}


def planted(frames: Frames, rate: Fraction, name: str, out: Path, seed: int) -> Path:
    """A copy with a fault of this name."""
    write_frames(out, frames, FAULTS[name](len(frames), np.random.default_rng(seed)), rate)
    return out


def paths_of(rows: Sequence[dict[str, str]], folder: Path) -> list[Path]:
    """The videos of a pairs.csv's rows."""
    return [folder / row[view] for row in rows for view in ("third", "first")]

"""Plant faults in copies of a data set's videos: what bench/audit.py looks for afterwards."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from actor_observer.frames.frame_index import index_video
from actor_observer.frames.writing.write_mp4 import VideoWriter
from actor_observer.pairs.probe import open_video

__all__ = ["CHOSEN", "FAULTS", "Frames", "plant", "read_frames", "write_frames"]

Frames = NDArray[np.uint8]  # (N, H, W, 3)
Numbers = NDArray[np.int64]  # which frames, in which order


def read_frames(path: Path, half: bool = False) -> tuple[Frames, Fraction]:
    """All frames of a video, as they are or at half their size, and its rate."""
    with open_video(path) as (container, stream):
        width, height = (side // 4 * 2 if half else side for side in (stream.width, stream.height))
        frames = [frame.to_ndarray(format="rgb24", width=width, height=height) for frame in container.decode(stream)]
        rate = Fraction(stream.average_rate or 15)
    assert len(frames) == len(index_video(path).times)
    return np.stack(frames), rate


def write_frames(path: Path, frames: Frames, order: Numbers, rate: Fraction) -> None:
    """Encode these frames in this order, anew: no keyframe falls where it fell."""
    with VideoWriter(path, rate, crf=23, threads=1) as writer:
        for number in order.tolist():
            writer.add(frames[number])


def late(by: int) -> Callable[[int, np.random.Generator], Numbers]:
    """A camera whose stamps are so many frames late: its first pictures are missing, its last one stands."""
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
    **{f"late by {by}": late(by) for by in (1, 2, 3, 5)},
    **{f"{by} dropped": dropped(by, filled=False) for by in (1, 3, 10)},
    **{f"{by} dropped, end filled": dropped(by, filled=True) for by in (1, 3, 10)},
    "a second frozen": frozen(1.0),
    "10 frames repeated": repeated(10),
}


CHOSEN = (
    "copied",
    *("late by 1", "late by 2", "late by 3", "late by 5"),
    *("1 dropped", "3 dropped", "10 dropped", "3 dropped, end filled", "10 dropped, end filled"),
    "a second frozen",
)


def plant(frames: Frames, rate: Fraction, name: str, out: Path, seed: int) -> Path:
    """A copy with a fault of this name; "copied" has none."""
    rng = np.random.default_rng(seed)
    write_frames(out, frames, np.arange(len(frames)) if name == "copied" else FAULTS[name](len(frames), rng), rate)
    return out

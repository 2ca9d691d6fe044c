"""Which optical flow should `align` go by? OpenCV's, block matching in torch, or the vectors that the codec stored.

    python bench/flow.py DATA [--every 3] [--cuts 3]

DATA is a set of synchronous pairs, such as robots'; pairs 1, 4, 7 … are left to tests. The first-person signal is the
mean size of the flow less its median, the third-person one the mean change of brightness; both are cut at random
(bench/cuts.py) and correlated at every lag (`plain` of bench/align_methods.py). Intervals are from a bootstrap over
pairs; times are for one core, decoding apart.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import av
import cv2
import numpy as np
import torch
import tyro
from av.codec.context import Flags2
from av.sidedata.motionvectors import MotionVectors
from av.sidedata.sidedata import Type
from numpy.typing import NDArray
from torch.nn.functional import avg_pool2d
from tyro.conf import Positional

from actor_observer.evaluation.statistics.shares import share_interval
from actor_observer.frames.motion import Motion
from actor_observer.frames.moving.flow import LONG_SIDE, WHOLE
from actor_observer.pairs import read_manifest
from align_methods import plain
from cuts import clip, draw_cuts

Vectors = NDArray[np.float32]  # (N, 2) in picture widths a frame
Gray = NDArray[np.uint8]
BLOCK, SEARCH = 8, 4  # pixels


@dataclass(frozen=True, eq=False)
class Frame:
    time: float  # seconds
    gray: Gray  # (H, W)
    stored: Vectors | None  # of the codec; None in frames that it coded by themselves


def main(data: Positional[Path], every: int = 3, cuts: int = 3) -> None:
    """Measure all flows on the same frames, and what each is good for."""
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    manifest = read_manifest(data)
    pairs = [pair for place, pair in enumerate(manifest.pairs) if place % every]
    near: dict[str, list[float]] = {name: [] for name in FLOWS}
    spent = dict.fromkeys(FLOWS, 0.0)
    decoding, frames = 0.0, 0
    for number, pair in enumerate(pairs):
        began = time.perf_counter()
        third, first = (list(decode(manifest.takes[id].path)) for id in (pair.third, pair.first))
        decoding += time.perf_counter() - began
        changed = [float(cv2.absdiff(a.gray, b.gray).mean()) for a, b in itertools.pairwise(third)]
        room = as_motion(third, "difference", changed)
        frames += len(first) - 1
        for name, flow in FLOWS.items():
            began = time.perf_counter()
            sizes = [residual(flow(a, b)) for a, b in itertools.pairwise(first)]
            spent[name] += time.perf_counter() - began
            moved = as_motion(first, "residual", sizes)
            in_third = Motion(np.asarray(pair.clock.to_third(moved.times)), moved.whole, moved.cells, moved.length)
            shared = max(room.times[0], in_third.times[0]), min(room.times[-1], in_third.times[-1])
            found = []
            for cut in draw_cuts(*shared, cuts, np.random.default_rng([7, number])):
                clips = clip(room, *cut.third, "third"), clip(in_third, *cut.first, "first")
                found.append(abs(plain(*clips) - clips[1].length / 2 - cut.offset) <= 1)
            near[name].append(float(np.mean(found)))
    print(f"{data}: {len(pairs)} pairs × {cuts} cuts, {frames} frames\n")
    print("| flow | ms a frame | within 1 s (%) |\n|---|---|---|")
    for name in FLOWS:
        right = np.array(near[name])
        spread = share_interval(right * cuts, np.full(len(pairs), cuts))
        print(f"| {name} | {1000 * spent[name] / frames:.2f} | {spread.percent()} |")
    print(f"\nDecoding both videos and reading the stored vectors: {1000 * decoding / frames / 2:.2f} ms a frame.")


def decode(path: Path) -> Iterator[Frame]:
    """Small grey pictures, and the vectors that the codec stored."""
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        stream.codec_context.flags2 |= Flags2.export_mvs
        for frame in container.decode(stream):
            scale = LONG_SIDE / max(frame.width, frame.height)
            size = round(frame.width * scale), round(frame.height * scale)
            gray = np.asarray(frame.reformat(*size, format="gray").to_ndarray(), np.uint8)
            stored = None
            if Type.MOTION_VECTORS in frame.side_data:
                found = frame.side_data[Type.MOTION_VECTORS]
                assert isinstance(found, MotionVectors)
                told = found.to_ndarray()
                size_of = np.maximum(told["motion_scale"], 1).astype(np.float32) * max(frame.width, frame.height)
                vectors = np.stack([told["motion_x"], told["motion_y"]], axis=1) / size_of[:, None]
                times = np.maximum(told["w"].astype(int) * told["h"] // 64, 1)  # large blocks count more
                stored = np.repeat(vectors, times, axis=0).astype(np.float32)
            yield Frame(float(frame.time or 0.0), gray, stored)


def opencv(before: Frame, now: Frame) -> Vectors:
    """Dense inverse search, as `align` uses it."""
    return (_DIS.calc(before.gray, now.gray, None)[::2, ::2] / LONG_SIDE).reshape(-1, 2)


def torch_blocks(before: Frame, now: Frame) -> Vectors:
    """The shift by which each block of 8 pixels changes least, of all up to 4 pixels."""
    a, b = (torch.from_numpy(one.gray).float()[None, None] for one in (before, now))
    shifts = [(y, x) for y in range(-SEARCH, SEARCH + 1) for x in range(-SEARCH, SEARCH + 1)]
    costs = torch.cat([avg_pool2d((torch.roll(a, shift, (2, 3)) - b).abs(), BLOCK) for shift in shifts], dim=1)
    costs[:, shifts.index((0, 0))] -= 0.5  # where nothing is to be seen, nothing moves
    best = costs.argmin(dim=1).ravel()
    return np.asarray(np.array(shifts, np.float32)[best.numpy(), ::-1] / LONG_SIDE, np.float32)


def codec(before: Frame, now: Frame) -> Vectors:
    """What the encoder found, for its own ends."""
    return now.stored if now.stored is not None and len(now.stored) else np.full((1, 2), np.nan, np.float32)


def residual(vectors: Vectors) -> float:
    apart = vectors - np.median(vectors, axis=0)
    return float(np.hypot(apart[:, 0], apart[:, 1]).mean())


def as_motion(frames: list[Frame], name: str, values: list[float]) -> Motion:
    """A take's motion with one signal, gaps filled."""
    times = np.array([frame.time for frame in frames])
    signal = np.array(values)
    known = np.isfinite(signal)
    signal = np.interp(np.arange(len(signal)), np.flatnonzero(known), signal[known]) if known.any() else 0 * times[1:]
    whole = np.zeros((len(signal), len(WHOLE)), np.float32)
    whole[:, WHOLE.index(name)] = signal
    cells = np.zeros((len(signal), 6, 24), np.float16)
    return Motion((times[1:] + times[:-1]) / 2, whole, cells, float(times[-1]))


_DIS = cv2.DISOpticalFlow_create(cv2.DISOPTICAL_FLOW_PRESET_ULTRAFAST)
FLOWS: dict[str, Callable[[Frame, Frame], Vectors]] = {
    "OpenCV, dense inverse search": opencv,
    "block matching in torch": torch_blocks,
    "the codec's own vectors": codec,
}

if __name__ == "__main__":
    tyro.cli(main)

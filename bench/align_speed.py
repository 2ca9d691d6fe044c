"""How long does `align` take, where does the time go, and how much memory does an hour need?

    python bench/align_speed.py [--minutes 1 4 15 60] [--write]

Videos are made up: a textured room with a block that moves in bursts, H.264, a keyframe every 250 frames. Every run is
a process of its own with two threads, on files in the page cache; decoding is included, loading Python is not.
Memory is the process's peak. `--write` puts the tables into docs/performance.md.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
import tyro

from page import write_section

THREADS = 2
DOCS = Path(__file__).parent.parent / "docs"
CHILD = """
import json, resource, sys, time
import torch
torch.set_num_threads(int(sys.argv[3]))
import actor_observer as ao
from actor_observer.alignment.align import align_recordings
from actor_observer.alignment.asked import bounded_look_rate
from actor_observer.alignment.looking import look_at_all
from actor_observer.alignment.recordings.recording import open_recording
from actor_observer.alignment.sight import Sight
from actor_observer.features.models import open_model
from actor_observer.features.see import LOOK_RATE
network = open_model(None)
used = resource.getrusage(resource.RUSAGE_SELF)
loaded = used.ru_utime + used.ru_stime
begun = time.perf_counter()
spent, last = {}, time.perf_counter()
def stage(name):
    global last
    spent[name], last = time.perf_counter() - last, time.perf_counter()
ways = [lambda part: open_recording(sys.argv[1], "third"), lambda part: open_recording(sys.argv[2], "first")]
both = look_at_all(ways, watched=False)
stage("motion and sound (decoding, flow)")
both = look_at_all([lambda part, one=one: one for one in both])
stage("heads of motion")
sight = Sight(network, bounded_look_rate((both[0].length, both[1].length), LOOK_RATE))
found = align_recordings(*both, sight)
stage("weighing")
total = time.perf_counter() - begun
used = resource.getrusage(resource.RUSAGE_SELF)
peak, cpu = used.ru_maxrss / 2**20, used.ru_utime + used.ru_stime - loaded
print(json.dumps({"total": total, "cpu": cpu, "stages": spent, "peak": peak, "offset": found.offset}))
"""


def main(minutes: tuple[int, ...] = (1, 4, 15, 60), write: bool = False) -> None:
    """Make videos, run `align` on them, print the tables."""
    with tempfile.TemporaryDirectory() as folder:
        lines = ["| a minute against a minute, 30/s | wall (s) | CPU (s) | " + " | ".join(STAGES) + " | offset (s) |"]
        lines.append("|---|---|---|" + "---|" * (len(STAGES) + 1))
        for size in ((640, 480), (1920, 1080)):
            ran = run(Path(folder), 60, 30, size)
            stages = " | ".join(f"{ran['stages'][name] / ran['total']:.0%}" for name in STAGES)
            lines.append(
                f"| {size[0]} x {size[1]} | {ran['total']:.1f} | {ran['cpu']:.1f} | {stages} | "
                f"{ran['offset']:.2f} (true: 5) |"
            )
            print(lines[-1], file=sys.stderr, flush=True)
        lines += [
            "",
            "| length of both, 64 x 48, 5/s | wall (s) | CPU (s) | CPU for each minute (s) | peak memory (GiB) |",
        ]
        lines.append("|---|---|---|---|---|")
        for length in minutes:
            ran = run(Path(folder), 60 * length, 5, (64, 48))
            figures = f"{ran['total']:.1f} | {ran['cpu']:.1f} | {ran['cpu'] / length:.2f} | {ran['peak']:.2f}"
            lines.append(f"| {length} min | {figures} |")
            print(lines[-1], file=sys.stderr, flush=True)
    print("\n".join(lines))
    if write:
        print(
            write_section("align-speed", "\n".join(lines), "python bench/align_speed.py --write", DOCS), file=sys.stderr
        )


STAGES = ("motion and sound (decoding, flow)", "heads of motion", "weighing")


def run(folder: Path, seconds: float, fps: int, size: tuple[int, int]) -> dict[str, Any]:
    """`align` in a process of its own; the first-person video begins 5 s later."""
    paths = [folder / f"{view}.mp4" for view in ("third", "first")]
    for path, start in zip(paths, (0.0, 5.0), strict=True):
        write_moving(path, seconds, fps, size, start)
    done = subprocess.run(
        [sys.executable, "-c", CHILD, *map(str, paths), str(THREADS)],
        check=True,
        stdout=subprocess.PIPE,
        env={**os.environ, "OMP_NUM_THREADS": str(THREADS), "ACTOR_OBSERVER_CACHE": str(folder / "cache")},
        text=True,
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def write_moving(path: Path, seconds: float, fps: int, size: tuple[int, int], start: float) -> None:
    """A room in which a block moves in bursts, at event times from `start` on; the second one's camera sways."""
    rng = np.random.default_rng(0)
    width, height = size
    noise = cv2.resize(rng.normal(size=(40, 60)), (width + 64, height + 64), interpolation=cv2.INTER_CUBIC)
    room = (128 + 40 * noise).clip(0, 255).astype(np.uint8)
    begins = np.cumsum(rng.exponential(1.0, round(seconds) + 60) + 0.4)  # of moves of 0.4 s
    places = rng.uniform(0, 0.75, (len(begins) + 1, 2))
    with av.open(str(path), "w") as file:
        stream: Any = file.add_stream("libx264", rate=Fraction(fps))
        stream.width, stream.height, stream.pix_fmt, stream.gop_size = width, height, "yuv420p", 250
        stream.options = {"crf": "26", "preset": "ultrafast"}
        for number in range(round(seconds * fps)):
            time = start + number / fps
            last = int(np.searchsorted(begins, time, "right")) - 1
            share = min((time - begins[last]) / 0.4, 1.0) if last >= 0 else 1.0
            now = places[max(last, 0)] + share * (places[last + 1] - places[max(last, 0)])
            sway = round(16 + 15 * np.sin(0.9 * time)) if start else 16
            frame = room[16 : 16 + height, sway : sway + width].copy()
            top, left = int(now[1] * height), int(now[0] * width)
            frame[top : top + height // 5, left : left + width // 5] = 255 - room[: height // 5, : width // 5]
            file.mux(stream.encode(av.VideoFrame.from_ndarray(frame, format="gray").reformat(format="yuv420p")))
        file.mux(stream.encode())


if __name__ == "__main__":
    tyro.cli(main)

"""How much less work it is to decode only what is wanted and what that refers to, and to make RGB in planes.

    python bench/skipping.py [--seconds 30] [--rounds 5]

The same 640x480 frames, 30 a second, in several codecs, looked at once and six times a second at 224 pixels. Processor
time of one thread, everything from opening the file to RGB; as it is and without, in turn. Both must give the same
pixels.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from unittest.mock import patch

import numpy as np
import tyro
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent))
from actor_observer.frames import frames_at
from actor_observer.frames.in_order import frames_in_order
from actor_observer.sampling.windows import frame_times
from decode import make_video

SIZE = 224  # pixels of the short side
LOOK_RATES = (1.0, 6.0)
SIZES = (168, 224, 256, 292)  # for RGB in planes

ENCODINGS: dict[str, tuple[str, dict[str, str]]] = {  # how it is called -> ending, how it is written
    "H.264, x264's defaults": ("mp4", {}),
    "H.264, a keyframe each second": ("mp4", {"g": "30"}),
    "H.264, no B-frames": ("mp4", {"bf": "0"}),
    "HEVC, x265's defaults": ("mp4", {"codec": "libx265", "x265-params": "log-level=none"}),
    "HEVC, no B-frames": ("mp4", {"codec": "libx265", "x265-params": "log-level=none:bframes=0"}),
    "MPEG-4 with two B-frames": ("mp4", {"codec": "mpeg4", "bf": "2", "g": "250", "q": "4"}),
    "VP9": ("webm", {"codec": "libvpx-vp9", "deadline": "realtime", "cpu-used": "6", "g": "250"}),
    "AV1": ("mp4", {"codec": "libsvtav1", "preset": "10", "g": "250"}),
}

SKIP = [f"actor_observer.frames.{module}.may_skip" for module in ("video", "skipping")]
PLANES = ["actor_observer.frames.video._as_planes"]

Read = Callable[[Path, NDArray[np.float64]], NDArray[np.uint8]]


def at_times(path: Path, times: NDArray[np.float64], size: int = SIZE) -> NDArray[np.uint8]:
    return frames_at(path, times, size=size, threads=1).permute(0, 2, 3, 1).numpy()


def in_order(path: Path, times: NDArray[np.float64]) -> NDArray[np.uint8]:
    return np.stack(list(frames_in_order(path, times, size=SIZE, threads=1)))


def processor_seconds(read: Callable[[], NDArray[np.uint8]], without: list[str]) -> tuple[float, int]:
    """Of one reading where these are never so, and a sum over what was read."""
    with ExitStack() as patched:
        for name in without:
            patched.enter_context(patch(name, lambda *_: False))
        begun = time.process_time()
        pixels = read()
        took = time.process_time() - begun
    return took, hash(pixels.tobytes())


def ratio(read: Callable[[], NDArray[np.uint8]], what: list[str], rounds: int) -> str:
    """Processor time as it is, of that without: the median of all rounds, and their range."""
    found = []
    for turn in range(rounds + 1):
        (now, same), (without, as_before) = (processor_seconds(read, never) for never in ([], what))
        if same != as_before:
            raise SystemExit("OTHER PIXELS")
        if turn:  # the first warms up
            found.append(now / without)
    return f"{statistics.median(found):.2f} ({min(found):.2f} – {max(found):.2f})"


def main(seconds: int = 30, rounds: int = 5, only: str = "") -> None:
    """Print the table; `only` is a part of an encoding's name."""
    columns = [f"{how}, {rate:g} a second" for how in ("at given times", "in order") for rate in LOOK_RATES]
    print(f"| processor time, of that without skipping | {' | '.join(columns)} |\n|---{'|---' * len(columns)}|")
    with tempfile.TemporaryDirectory() as folder:
        for name, (ending, how) in ENCODINGS.items():
            if only not in name:
                continue
            options = dict(how)
            path = Path(folder) / f"{len(options)}{name}.{ending}"
            make_video(path, seconds, options.pop("codec", "libx264"), options)
            cells = [
                ratio(partial(read, path, frame_times(seconds, rate)), SKIP, rounds)
                for read in (at_times, in_order)
                for rate in LOOK_RATES
            ]
            print(f"| {name} | {' | '.join(cells)} |", flush=True)
        print("\n| processor time, of that with packed RGB | six a second |\n|---|---|")
        path = Path(folder) / "planes.mp4"
        make_video(path, seconds, options={})
        for size in SIZES:
            cell = ratio(partial(at_times, path, frame_times(seconds, 6.0), size), PLANES, rounds)
            print(f"| {round(size * 4 / 3)} x {size} | {cell} |", flush=True)


if __name__ == "__main__":
    tyro.cli(main)

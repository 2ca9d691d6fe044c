"""How fast are chosen frames decoded, and are they the right ones?

    python bench/decode.py [--seconds 60] [--rounds 5]

One H.264 file (640x480, 30 frames a second, a keyframe every 250), asked for one frame a second (sparse) and for 300
random times. Every contender opens the file itself and gives RGB at half size; every frame shows its number, so a
wrong frame is noticed. Contenders take turns, and speed is a ratio within the run.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import av
import numpy as np
import tyro
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from actor_observer.frames import frames_at
from actor_observer.frames.frame_index import forget_indexes
from tiny import number_of, spell

WIDTH, HEIGHT, FPS, GOP = 640, 480, 30, 250
HALF = (HEIGHT // 2, WIDTH // 2)

Contender = Callable[[Path, NDArray[np.float64]], Any]  # -> frames, (T, 3, H, W) or a list of (H, W, 3)


def make_video(path: Path, seconds: int, codec: str = "libx264", options: dict[str, str] | None = None) -> None:
    """Drifting texture with a little noise: as hard to decode as a hand-held recording."""
    rng = np.random.default_rng(0)
    coarse = rng.integers(0, 256, (HEIGHT // 8, WIDTH // 8, 3), dtype=np.uint8)
    texture = coarse.repeat(8, axis=0).repeat(8, axis=1)
    noise = rng.integers(0, 12, (2 * HEIGHT, 2 * WIDTH, 3), dtype=np.uint8)
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream(codec, rate=FPS)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        keys = {"x264-params": f"keyint={GOP}:min-keyint={GOP}:scenecut=0", "crf": "23"}
        stream.options = keys if options is None else options
        for number in range(seconds * FPS):
            drift = round(40 * np.sin(number / 37)), number * 2
            y, x = rng.integers(0, HEIGHT), rng.integers(0, WIDTH)
            frame = np.roll(texture, drift, axis=(0, 1)) // 2 + noise[y : y + HEIGHT, x : x + WIDTH] + 60
            spell(number, frame)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(frame, format="rgb24")))
        container.mux(stream.encode())


def ours(path: Path, times: NDArray[np.float64]) -> Any:
    forget_indexes()
    return frames_at(path, times, size=HALF)


def naive_in_order(path: Path, times: NDArray[np.float64]) -> Any:
    """PyAV with its defaults: decode everything in order, convert only what is wanted."""
    wanted = set(_numbers(times).tolist())
    with av.open(str(path)) as container:
        frames = enumerate(container.decode(video=0))
        return [_half(frame) for number, frame in frames if number in wanted]


def naive_by_seeking(path: Path, times: NDArray[np.float64]) -> Any:
    """PyAV with its defaults and one open container: seek to the keyframe and decode forward, in the order asked."""
    result = []
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        assert stream.time_base is not None
        for number in _numbers(times):
            stamp = int(number / FPS / stream.time_base)
            container.seek(stamp, stream=stream)
            result.append(_half(next(frame for frame in container.decode(stream) if (frame.pts or 0) >= stamp)))
    return result


def with_opencv(path: Path, times: NDArray[np.float64]) -> Any:
    """Grab in order, retrieve what is wanted: seeking in OpenCV is slower and not always exact."""
    import cv2

    wanted = _numbers(times)
    needed, found = set(wanted.tolist()), {}
    video = cv2.VideoCapture(str(path))
    for number in range(int(wanted.max()) + 1):
        video.grab()
        if number in needed:
            frame = cv2.resize(video.retrieve()[1], HALF[::-1], interpolation=cv2.INTER_AREA)
            found[number] = cv2.cvtColor(frame, cv2.COLOR_BGR2RGB)
    return [found[int(number)] for number in wanted]


def with_decord(path: Path, times: NDArray[np.float64]) -> Any:
    import decord

    reader = decord.VideoReader(str(path), width=HALF[1], height=HALF[0])
    return reader.get_batch(_numbers(times).tolist()).asnumpy()


def with_torchcodec(path: Path, times: NDArray[np.float64]) -> Any:
    from torch.nn.functional import interpolate
    from torchcodec.decoders import VideoDecoder

    frames = VideoDecoder(str(path), num_ffmpeg_threads=0).get_frames_played_at(times.tolist()).data
    return interpolate(frames, HALF, mode="bilinear", antialias=True)


def _numbers(times: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.floor(times * FPS + 1e-6).astype(np.int64)


def _half(frame: av.VideoFrame) -> Any:
    return frame.reformat(HALF[1], HALF[0], "rgb24").to_ndarray()


def measure(
    path: Path, times: NDArray[np.float64], contenders: dict[str, Contender], rounds: int
) -> dict[str, list[float]]:
    """Seconds of every round; a contender that cannot run here, or gives a wrong frame, is dropped and named."""
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for turn in range(rounds + 1):
        for name in [name for name in contenders if name in seconds]:
            start = time.perf_counter()
            try:
                frames = contenders[name](path, times)
            except (ImportError, OSError, RuntimeError) as error:
                print(f"{name}: does not run here ({type(error).__name__})", file=sys.stderr)
                del seconds[name]
                continue
            took = time.perf_counter() - start
            if [number_of(frame) for frame in frames] != _numbers(times).tolist():
                print(f"{name}: WRONG FRAMES, not counted", file=sys.stderr)
                del seconds[name]
            elif turn:  # the first turn warms up
                seconds[name].append(took)
    return seconds


def main(seconds: int = 60, rounds: int = 5) -> None:
    others = {"OpenCV": with_opencv, "decord": with_decord, "torchcodec": with_torchcodec}
    rng = np.random.default_rng(1)
    asked = {
        "sparse, 1 a second": (np.arange(seconds, dtype=float), naive_in_order),
        "300 random times": (rng.uniform(0, seconds - 1 / FPS, 300), naive_by_seeking),
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.mp4"
        make_video(path, seconds)
        for title, (times, naive) in asked.items():
            taken = measure(path, times, {"actor-observer": ours, "naive PyAV": naive, **others}, rounds)
            report(title, taken)


def report(title: str, taken: dict[str, list[float]]) -> None:
    table = Table("", "median (s)", "min - max (s)", "ours is faster by", title=title, title_justify="left")
    middle = {name: statistics.median(values) for name, values in taken.items()}
    for name, values in taken.items():
        ratio = f"{middle[name] / middle['actor-observer']:.2f}x"
        table.add_row(name, f"{middle[name]:.3f}", f"{min(values):.3f} - {max(values):.3f}", ratio)
    Console(width=100).print(table)


if __name__ == "__main__":
    tyro.cli(main)

"""How time and memory grow with the number of moments and of videos; each size in a process of its own."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from rich.table import Table

from actor_observer.features.embed_videos import Unopened, embed_videos
from actor_observer.frames.writing.write_mp4 import VideoWriter
from actor_observer.model import ActorObserverNet, NetworkConfig
from actor_observer.searching.engines.engine import Filter
from search import make_index

DIMENSION = 128  # of the model in the box

Measured = tuple[float, float, int]  # seconds of the work, milliseconds of what comes after it, peak bytes


def growth_of_index(folder: Path, most: int) -> Table:
    """Writing a flat index of 10³ moments and more, and comparing a query with all of it."""
    columns = ("moments", "written in (s)", "µs a moment", "search (ms)", "peak memory (MB)", "on disk (MB)")
    table = Table(*columns, title=f"flat index, {DIMENSION} numbers a moment")
    for moments in sizes(1_000, most):
        place = folder / f"index{moments}"
        seconds, after, peak = alone(write_and_search, place, moments)
        size = sum(path.stat().st_size for path in place.iterdir())
        each = f"{1e6 * seconds / moments:.1f}"
        table.add_row(f"{moments}", f"{seconds:.2f}", each, f"{after:.2f}", f"{peak / 1e6:.0f}", f"{size / 1e6:.1f}")
    return table


def growth_of_embedding(folder: Path, most: int) -> Table:
    """Embedding 10² tiny videos and more, by a small network."""
    columns = ("videos", "seconds", "ms a video", "joining (s)", "peak memory (MB)")
    table = Table(*columns, title="embedding videos of a second, MobileNetV2 at 32 pixels, a frame of each")
    for videos in sizes(100, most):
        seconds, after, peak = alone(embed_many, folder / f"videos{videos}", videos)
        each = f"{1000 * seconds / videos:.1f}"
        table.add_row(f"{videos}", f"{seconds:.1f}", each, f"{after / 1000:.2f}", f"{peak / 1e6:.0f}")
    return table


def sizes(least: int, most: int) -> list[int]:
    """Ten times more each time."""
    return [size for power in range(10) if (size := least * 10**power) <= most]


def alone(work: Callable[[Path, int], Measured], *arguments: object) -> Measured:
    """Work in a new process, so that its peak of memory is its own."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()  # type: ignore[arg-type]


def write_and_search(place: Path, moments: int) -> Measured:
    start = time.perf_counter()
    index = make_index(place, moments, DIMENSION)
    seconds, peak = time.perf_counter() - start, peak_memory()  # before a search maps the files
    took = []
    for row in np.linspace(0, moments - 1, 8).astype(int):
        start = time.perf_counter()
        index.nearest(np.array(index.vectors[row]), Filter(), 10)
        took.append(1000 * (time.perf_counter() - start))
    return seconds, float(np.median(took[1:])), peak


def embed_many(folder: Path, videos: int) -> Measured:
    folder.mkdir()
    one = folder / "0.mp4"
    rng = np.random.default_rng(0)
    with VideoWriter(one, fps=8) as writer:
        for _ in range(8):
            writer.add(rng.integers(0, 255, size=(48, 64, 3), dtype=np.uint8))
    for number in range(1, videos):
        os.link(one, folder / f"{number}.mp4")
    network = ActorObserverNet(NetworkConfig(backbone="mobilenet_v2", size=32), pretrained=False).eval()
    takes = [Unopened(folder / f"{number}.mp4", "first") for number in range(videos)]
    last: list[float] = []
    start = time.perf_counter()
    out = folder / "all.safetensors"
    embed_videos(network, takes, out, 1.0, "cpu", each=lambda: last.append(time.perf_counter()))
    return last[-1] - start, 1000 * (time.perf_counter() - last[-1]), peak_memory()


def peak_memory() -> int:
    """The most bytes that this process had in memory."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10

"""How fast is a moment found among a million by comparing with all of them?

    python bench/search.py [--moments 1000000] [--dimension 256] [--queries 20]

Vectors of length 1 in clusters, in an index on disk, as `actor-observer index` writes them (in the page cache after the
first turn). Ours reads them from disk; faiss' flat index has its own copy in memory. Both look at every vector and
must give the same ten moments. Queries take turns, and speed is a ratio within the run.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import faiss
import numpy as np
import torch
import tyro
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from actor_observer.features.identity import Identity
from actor_observer.searching.engines.engine import Filter
from actor_observer.searching.engines.entries import Entry, IndexHead
from actor_observer.searching.engines.flat_index import FlatIndex, open_index
from actor_observer.searching.engines.index_writer import write_index

TOP = 10
HOUR = 3600  # moments of each made-up video

Rows = NDArray[np.int64]


def make_index(folder: Path, moments: int, dimension: int) -> FlatIndex:
    """An index of made-up videos, each around a few places."""
    rng = np.random.default_rng(0)
    head = IndexHead(Identity("made up", "0" * 32), dimension, 1.0)
    with write_index(folder, head) as writer:
        for number, start in enumerate(range(0, moments, HOUR)):
            rows = min(HOUR, moments - start)
            centres = rng.normal(size=(60, dimension)).astype(np.float32)
            vectors = centres[np.arange(rows) // 60] + rng.normal(size=(rows, dimension), scale=0.5).astype(np.float32)
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            writer.add(Entry(f"{number}.mp4", "first", rows), np.arange(rows, dtype=float), vectors)
    return open_index(folder)


def measure(queries: NDArray[np.float32], ways: dict[str, Callable[[Any], Rows]]) -> dict[str, list[float]]:
    """Seconds of each query with each method; all must agree."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for turn, query in enumerate(queries):
        answers = []
        for name, way in ways.items():
            start = time.perf_counter()
            answers.append(way(query))
            if turn:  # the first turn warms up
                seconds[name].append(time.perf_counter() - start)
        for other in answers[1:]:
            assert set(answers[0].tolist()) == set(other.tolist()), "the methods do not agree"
    return seconds


def main(moments: int = 1_000_000, dimension: int = 256, queries: int = 20) -> None:
    with tempfile.TemporaryDirectory() as folder:
        index = make_index(Path(folder) / "index", moments, dimension)
        rng = np.random.default_rng(1)
        chosen = np.sort(rng.choice(len(index), queries + 1, replace=False))
        asked = (index.vectors[chosen] + rng.normal(size=(queries + 1, dimension), scale=0.02)).astype(np.float32)
        start_of = dict(zip((entry.video for entry in index.entries), index.starts.tolist(), strict=False))

        def ours(query: NDArray[np.float32]) -> Rows:
            near = index.nearest(query, Filter(), TOP)
            return np.array([start_of[one.entry.video] + int(one.time) for one in near])

        start_time = time.perf_counter()
        index.squares  # noqa: B018  # reads everything once and checks it
        print(f"opened and checked in {time.perf_counter() - start_time:.1f} s")
        flat = faiss.IndexFlatL2(dimension)
        for start in range(0, len(index), HOUR):
            flat.add(np.ascontiguousarray(index.vectors[start : start + HOUR]))
        ways: dict[str, Callable[[Any], Rows]] = {
            "ours, on disk": ours,
            "faiss flat, in memory": lambda query: flat.search(query[None], TOP)[1][0],
        }
        seconds = measure(asked, ways)
    own = statistics.median(seconds["ours, on disk"])
    title = f"{moments} x {dimension}, top {TOP}, {torch.get_num_threads()} threads, {queries} queries"
    table = Table("", "p50 (ms)", "min - max (ms)", "ours is faster by", title=title, title_justify="left")
    for name, values in seconds.items():
        middle = statistics.median(values)
        spread = f"{1000 * min(values):.0f} - {1000 * max(values):.0f}"
        table.add_row(name, f"{1000 * middle:.0f}", spread, f"{middle / own:.2f}x")
    Console(width=100).print(table)


if __name__ == "__main__":
    tyro.cli(main)

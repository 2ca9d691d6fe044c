"""Every engine of an index on the same moments and queries: build, size, memory, time of a query, recall."""

from __future__ import annotations

import statistics
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from actor_observer.searching.convert import convert
from actor_observer.searching.engines import open_engine
from actor_observer.searching.engines.engine import Filter
from actor_observer.searching.engines.flat_index import FlatIndex

TOP = 10
ENGINES = ("flat", "faiss", "lance")

Queries = NDArray[np.float32]  # (Q, D)


@dataclass(frozen=True)
class Asked:
    """What one process saw that opened an index and asked it everything."""

    answers: list[set[tuple[str, float]]]
    opened: float  # seconds until the first answer
    seconds: list[float]  # of each query after it
    own: int  # bytes of memory that are the process's own, beyond those it had before
    mapped: int  # bytes of files that it looked into, which the system may take back


def compare_engines(flat: FlatIndex, folder: Path, queries: int, asked: Queries | None = None) -> Table:
    """A row for each engine; queries are moments of the index with a little noise, unless given."""
    near = queries_near(flat, queries) if asked is None else asked
    title = f"{len(flat)} moments x {flat.head.dimension}, {len(near) - 1} queries one at a time, top {TOP}"
    columns = ("engine", "build (s)", "on disk (MB)", "own memory (MB)", "mapped (MB)", "first answer (s)")
    table = Table(*columns, "p50 (ms)", "p5 - p95 (ms)", "recall", title=title)
    exact: list[set[tuple[str, float]]] = []
    for name in ENGINES:
        start = time.perf_counter()
        place = flat.folder if name == "flat" else folder / name
        if name != "flat":
            convert(flat.folder, place, name)
        built = time.perf_counter() - start
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
            seen = alone.submit(ask, place, near).result()
        exact = exact or seen.answers
        recall = np.mean([len(found & wanted) / len(wanted) for found, wanted in zip(seen.answers, exact, strict=True)])
        low, high = np.quantile(seen.seconds, [0.05, 0.95])
        size = sum(path.stat().st_size for path in place.rglob("*") if path.is_file())
        table.add_row(
            name,
            f"{built:.0f}" if name != "flat" else "",
            f"{size / 1e6:.0f}",
            f"{seen.own / 1e6:.0f}",
            f"{seen.mapped / 1e6:.0f}",
            f"{seen.opened:.1f}",
            f"{1000 * statistics.median(seen.seconds):.2f}",
            f"{1000 * low:.2f} - {1000 * high:.2f}",
            f"{recall:.3f}",
        )
    return table


def queries_near(flat: FlatIndex, count: int) -> Queries:
    """Moments of an index, each moved a little."""
    rng = np.random.default_rng(1)
    chosen = np.sort(rng.choice(len(flat), min(count + 1, len(flat)), replace=False))
    noise = rng.normal(size=(len(chosen), flat.head.dimension), scale=0.02)
    return np.asarray(flat.vectors[chosen] + noise, dtype=np.float32)


def ask(place: Path, queries: Queries) -> Asked:
    """Open an index in this process and ask it; the first query, which also opens it, is timed apart."""
    before = memory()
    answers, seconds, start = [], [], time.perf_counter()
    engine = open_engine(place)
    for query in queries:
        near = engine.nearest(query, Filter(), TOP)
        seconds.append(time.perf_counter() - start)
        answers.append({(one.entry.video, one.time) for one in near})
        start = time.perf_counter()
    after = memory()
    return Asked(answers, seconds[0], seconds[1:], after[0] - before[0], after[1] - before[1])


def memory() -> tuple[int, int]:
    """Bytes of this process's own memory, and of files mapped into it."""
    told = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(told["RssAnon"].split()[0]) << 10, int(told["RssFile"].split()[0]) << 10

"""Which form of faiss' index should propose moments? Each on the same vectors, mapped from disk in the two ways."""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from actor_observer.searching.engines.faiss_index import CANDIDATES, PROBES

TOP = 10
READERS = {
    "mapped": faiss.IO_FLAG_MMAP_IFC,
    "mapped, older way": faiss.IO_FLAG_MMAP | faiss.IO_FLAG_READ_ONLY,
    "in memory": 0,
}

Vectors = NDArray[np.float32]


def compare_cells(folder: Path, vectors: Vectors, queries: Vectors) -> Table:
    """A row for each form and way of reading; what it proposes is measured on the vectors, as we do."""
    faiss.omp_set_num_threads(1)
    number, dimension = int(2 * len(vectors) ** 0.5), vectors.shape[1]
    cells = {"half precision": "SQfp16", "bytes (ours)": "SQ8", "4 bits for two": f"PQ{dimension // 2}x4fs"}
    forms = {name: f"IVF{number},{form}" for name, form in cells.items()} | {"HNSW, half precision": "HNSW32_SQfp16"}
    wanted = exact(vectors, queries)
    title = f"{len(vectors)} x {dimension}, {PROBES} of {number} cells, one thread"
    table = Table("form", "build (s)", "MB", "read", "p50 (ms)", "p5 - p95 (ms)", "recall", title=title)
    for name, form in forms.items():
        start = time.perf_counter()
        made = faiss.index_factory(dimension, form)
        made.train(vectors)
        made.add(vectors)
        built, file = time.perf_counter() - start, folder / "some.faiss"
        faiss.write_index(made, str(file))
        for way, flag in READERS.items():
            if name.startswith("HNSW") != (way == "in memory"):
                continue  # a graph cannot be mapped the older way, and cells need not be in memory
            seconds, recall = ask(faiss.read_index(str(file), flag), vectors, queries, wanted)
            low, high = (1000 * value for value in np.quantile(seconds, [0.05, 0.95]))
            times = (f"{1000 * statistics.median(seconds):.2f}", f"{low:.2f} - {high:.2f}")
            table.add_row(name, f"{built:.0f}", f"{file.stat().st_size / 1e6:.0f}", way, *times, f"{recall:.3f}")
    return table


def exact(vectors: Vectors, queries: Vectors) -> NDArray[np.int64]:
    flat = faiss.IndexFlatL2(vectors.shape[1])
    flat.add(vectors)
    return np.asarray(flat.search(queries, TOP)[1])


def ask(index: Any, vectors: Vectors, queries: Vectors, wanted: NDArray[np.int64]) -> tuple[list[float], float]:
    """Seconds of each query, and the share of the nearest that was found."""
    if hasattr(index, "nprobe"):
        index.nprobe = PROBES
    else:
        index.hnsw.efSearch = 2 * TOP + CANDIDATES
    seconds, found = [], 0
    for query, nearest in zip(queries, wanted, strict=True):
        start = time.perf_counter()
        rows = np.sort(index.search(query[None], 2 * TOP + CANDIDATES)[1][0])
        rows = rows[rows >= 0]
        best = rows[np.argsort(((vectors[rows] - query) ** 2).sum(axis=1))[:TOP]]
        seconds.append(time.perf_counter() - start)
        found += len(set(best) & set(nearest))
    return seconds[1:], found / wanted.size

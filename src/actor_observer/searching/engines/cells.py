"""Vectors sorted into cells by faiss, so that a search looks into the likely ones only."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actor_observer.console import progress
from actor_observer.disk.sums import sum_of
from actor_observer.errors import UserError, first_line, missing_extra

__all__ = ["likely_cells", "likely_rows", "map_cells", "need_faiss", "sort_into_cells", "sums_of_cells"]

CHUNK = 1 << 14  # vectors at a time


def need_faiss() -> Any:
    """The module faiss, or one line that says how to install it.

    >>> need_faiss().__name__
    'faiss'
    """
    try:
        return import_module("faiss")
    except ImportError:
        raise missing_extra("an index of faiss", "search") from None


def sort_into_cells(vectors: NDArray[np.float32]) -> Any:
    """A faiss index (IVF) of vectors (N, D): about 2√N cells, and of each vector a byte for every number.

    The short form only proposes; distances are measured on the vectors themselves.

    >>> sort_into_cells(np.random.default_rng(0).normal(size=(400, 8)).astype(np.float32)).ntotal
    400
    """
    faiss = need_faiss()
    count, dimension = vectors.shape
    number = max(1, min(int(2 * count**0.5), count // 39))
    cells = faiss.index_factory(dimension, f"IVF{number},SQ8")
    cells.cp.niter = 10  # rounds of k-means, enough for sorting
    sample = np.sort(np.random.default_rng(0).choice(count, min(count, 64 * number), replace=False))
    with progress(f"sorting {count} moments into cells, once", 1 + count // CHUNK) as step:
        cells.train(np.ascontiguousarray(vectors[sample]))
        for start in range(0, count, CHUNK):
            cells.add(np.ascontiguousarray(vectors[start : start + CHUNK]))
            step()
    return cells


def map_cells(path: Path) -> Any:
    """Cells on disk, mapped: what is not searched is not read.

    >>> map_cells(Path("no-such.faiss"))
    Traceback (most recent call last):
    actor_observer.errors.UserError: no-such.faiss: not readable (...); convert again
    """
    faiss = need_faiss()
    # The older way of mapping (before faiss 1.11) costs five times as much a search.
    mapped = getattr(faiss, "IO_FLAG_MMAP_IFC", faiss.IO_FLAG_MMAP | faiss.IO_FLAG_READ_ONLY)
    try:
        return faiss.read_index(str(path), mapped)
    except RuntimeError as error:
        raise UserError(f"{path}: not readable ({first_line(error)[:100]}); convert again") from None


def sums_of_cells(cells: Any, which: Iterable[int]) -> list[str]:
    """The sum of what some cells hold, their short vectors and row numbers: only these are read.

    >>> cells = sort_into_cells(np.eye(8, dtype=np.float32).repeat(50, axis=0))
    >>> sums_of_cells(cells, [2, 2, 3])[1:] == sums_of_cells(cells, [2, 3])
    True
    """
    array, lists = need_faiss().rev_swig_ptr, cells.invlists
    sums = []
    for cell in map(int, which):
        size = lists.list_size(cell)
        parts = (array(lists.get_codes(cell), size * lists.code_size), array(lists.get_ids(cell), size)) if size else ()
        sums.append(" ".join(sum_of(np.ascontiguousarray(part).view(np.uint8)) for part in parts))
    return sums


def likely_cells(cells: Any, query: NDArray[np.float32], probes: int) -> list[int]:
    """The cells that `likely_rows` looks into.

    >>> cells = sort_into_cells(np.eye(8, dtype=np.float32).repeat(50, axis=0))
    >>> len(likely_cells(cells, np.zeros(8, np.float32), probes=3))
    3
    """
    _, found = cells.quantizer.search(query[None], min(probes, cells.nlist))
    return [int(cell) for cell in found[0] if cell >= 0]


def likely_rows(
    cells: Any, query: NDArray[np.float32], allowed: NDArray[np.bool_] | None, count: int, probes: int
) -> NDArray[np.int64]:
    """The `count` rows nearest to a query (D,) in the nearest cells, of those allowed (None: all).

    >>> vectors = np.eye(8, dtype=np.float32).repeat(50, axis=0)
    >>> likely_rows(sort_into_cells(vectors), vectors[120], None, count=1, probes=4) // 50
    array([2])
    """
    faiss = need_faiss()
    some = {} if allowed is None else {"sel": faiss.IDSelectorBitmap(np.packbits(allowed, bitorder="little"))}
    settings = faiss.SearchParametersIVF(nprobe=min(probes, cells.nlist), **some)
    _, rows = cells.search(query[None], min(count, cells.ntotal), params=settings)
    return np.asarray(rows[0][rows[0] >= 0], dtype=np.int64)

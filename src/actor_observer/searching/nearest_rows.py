"""The rows of a matrix nearest to a query: by comparing all of them, or beyond a million with faiss."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from actor_observer.features.on_disk.cache import default_cache
from actor_observer.searching.cells import find_faiss, likely_rows, sort_into_cells

__all__ = ["EXACT", "measured", "nearest_rows", "squares_of"]

EXACT = 1_000_000  # vectors up to which all are compared; beyond, faiss proposes some where it is installed
CHUNK = 1 << 14  # vectors at a time
PROBES = 64  # cells of the approximate index that are searched

Vectors = NDArray[np.float32]
Found = tuple[NDArray[np.int64], NDArray[np.float64]]  # rows and their distances, nearest first


def nearest_rows(
    vectors: Vectors,  # (N, D), in memory or on disk
    query: NDArray[np.float32],  # (D,)
    allowed: NDArray[np.bool_],  # (N,)
    squares: NDArray[np.float32] | None = None,  # (N,) squared lengths, if known
    exact: int = EXACT,
) -> Iterator[Found]:
    """Allowed rows in order of Euclidean distance, a batch at a time; ask for as many batches as needed.

    >>> vectors = np.array([[0.0, 3.0], [1.0, 0.0], [0.0, 1.5]], dtype=np.float32)
    >>> rows, distances = next(nearest_rows(vectors, np.zeros(2, np.float32), np.array([True, False, True])))
    >>> rows.tolist(), distances.tolist()
    ([2, 0], [1.5, 3.0])
    """
    many = int(allowed.sum())
    if many > exact and (likely := _with_faiss(vectors)) is not None:
        given = np.empty(0, dtype=np.int64)
        for count in (1024, 8192):
            rows = likely(query, allowed, count)
            new = rows[~np.isin(rows, given)]
            if len(new):
                given = np.concatenate([given, new])
                yield measured(vectors, query, new)
        allowed = allowed.copy()
        allowed[given] = False  # further batches come from comparing all the others
    rough = torch.from_numpy(_squared(vectors, query, squares))
    rough[~torch.from_numpy(allowed)] = torch.inf
    rough.nan_to_num_(nan=torch.inf, posinf=torch.inf)
    count = 512
    while True:
        count = min(count, len(rough))
        if not count:
            return
        found = torch.topk(rough, count, largest=False)
        rows = found.indices[found.values < torch.inf].numpy()
        if not len(rows):
            return
        yield measured(vectors, query, rows)
        rough[found.indices] = torch.inf
        count *= 4


def squares_of(vectors: Vectors) -> NDArray[np.float32]:
    """Squared lengths (N,), to keep for further queries.

    >>> squares_of(np.array([[3.0, 4.0]], dtype=np.float32)).tolist()
    [25.0]
    """
    out = np.empty(len(vectors), dtype=np.float32)
    for start in range(0, len(vectors), CHUNK):
        part = vectors[start : start + CHUNK]
        np.einsum("nd,nd->n", part, part, out=out[start : start + CHUNK])
    return out


def _squared(vectors: Vectors, query: NDArray[np.float32], squares: NDArray[np.float32] | None) -> NDArray[np.float32]:
    """Squared distances (N,) minus the query's own square; rounded, so only good enough to choose by."""
    wanted = torch.from_numpy(-2 * query)
    out = torch.empty(len(vectors))
    for start in range(0, len(vectors), CHUNK):
        part = torch.from_numpy(vectors[start : start + CHUNK])
        torch.mv(part, wanted, out=out[start : start + CHUNK])
        if squares is None:
            out[start : start + CHUNK] += torch.linalg.vecdot(part, part)
    if squares is not None:
        out += torch.from_numpy(squares)
    return np.asarray(out.numpy())


def measured(vectors: Vectors, query: NDArray[np.float32], rows: NDArray[np.int64]) -> Found:
    """Rows in order of their exact distance."""
    order = np.argsort(rows)
    apart = vectors[rows[order]].astype(np.float64) - query  # in order of the file
    distances = np.empty(len(rows))
    distances[order] = np.sqrt((apart * apart).sum(axis=1))
    best = np.argsort(distances, kind="stable")
    return rows[best], distances[best]


Likely = Callable[[NDArray[np.float32], NDArray[np.bool_], int], NDArray[np.int64]]


def _with_faiss(vectors: Vectors) -> Likely | None:
    """A function that proposes rows; None where faiss is not installed."""
    if find_faiss() is None:
        return None
    cells = _cells(vectors)

    def likely(query: NDArray[np.float32], allowed: NDArray[np.bool_], count: int) -> NDArray[np.int64]:
        return likely_rows(cells, query, allowed, count, PROBES)

    return likely


def _cells(vectors: Vectors) -> Any:
    """The vectors sorted into cells, kept in the user's cache folder: the index itself may be a stranger's."""
    faiss, path = find_faiss(), _kept_at(vectors)
    if path.is_file():
        return faiss.read_index(str(path))
    cells = sort_into_cells(vectors)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}")
    faiss.write_index(cells, str(part))
    for old in path.parent.glob(f"{path.name.partition('-')[0]}-*.faiss"):
        old.unlink(missing_ok=True)  # of the same index before it grew
    part.replace(path)
    return cells


def _kept_at(vectors: Vectors) -> Path:
    """A file name for these vectors that changes when they do: by their number and a sample of a thousand."""
    place = hashlib.blake2b(str(getattr(vectors, "filename", "")).encode(), digest_size=8)
    content = hashlib.blake2b(str(vectors.shape).encode(), digest_size=8)
    content.update(np.ascontiguousarray(vectors[:: max(1, len(vectors) // 1000)]).data)
    return default_cache().parent / "faiss" / f"{place.hexdigest()}-{content.hexdigest()}.faiss"

"""The rows of a matrix nearest to a query, by comparing all of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray

__all__ = ["measured", "nearest_rows", "squares_of"]

CHUNK = 1 << 14  # vectors at a time

Vectors = NDArray[np.float32]
Found = tuple[NDArray[np.int64], NDArray[np.float64]]  # rows and their distances, nearest first


def nearest_rows(
    vectors: Vectors,  # (N, D), in memory or on disk
    query: NDArray[np.float32],  # (D,)
    allowed: NDArray[np.bool_],  # (N,)
    squares: NDArray[np.float32] | None = None,  # (N,) squared lengths, if known
) -> Iterator[Found]:
    """Allowed rows in order of Euclidean distance, a batch at a time; ask for as many batches as needed.

    >>> vectors = np.array([[0.0, 3.0], [1.0, 0.0], [0.0, 1.5]], dtype=np.float32)
    >>> rows, distances = next(nearest_rows(vectors, np.zeros(2, np.float32), np.array([True, False, True])))
    >>> rows.tolist(), distances.tolist()
    ([2, 0], [1.5, 3.0])
    """
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

"""The engine for millions of moments on one machine: flat files, and beside them faiss cells mapped from disk.

The flat files stay the record: distances are measured on them, the cells only propose. Videos added after the cells
were made are compared one by one, until `index --engine faiss` sorts them in.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actor_observer.errors import UserError
from actor_observer.searching.cells import likely_rows, map_cells, need_faiss, sort_into_cells
from actor_observer.searching.engine import Filter, Near
from actor_observer.searching.entries import Entry, IndexHead
from actor_observer.searching.flat_index import FlatIndex, open_index
from actor_observer.searching.nearest_rows import measured

__all__ = ["CELLS", "FaissIndex", "add_cells", "open_faiss_index"]

CELLS = "cells.faiss"
COVERED = "cells.json"
PROBES = 24  # cells that are searched
FEW = 4_000  # moments that are all compared where a filter leaves no more
CANDIDATES = 60  # rows that are proposed besides two for each answer, and measured


@dataclass(frozen=True, eq=False)
class FaissIndex:
    """An index with cells, open to be searched."""

    flat: FlatIndex
    cells: Any
    probes: int = PROBES

    @property
    def folder(self) -> Path:
        return self.flat.folder

    @property
    def head(self) -> IndexHead:
        return self.flat.head

    @property
    def videos(self) -> list[Entry]:
        return self.flat.videos

    def __len__(self) -> int:
        return len(self.flat)

    def nearest(self, vector: NDArray[np.float32], filter: Filter, top: int) -> list[Near]:
        """The `top` moments nearest to a vector (D,) among the videos that pass the filter, nearest first."""
        allowed, many = self._allowed(filter)
        if many <= max(FEW, 2 * top):
            rows = np.flatnonzero(allowed) if allowed is not None else np.arange(many)
        else:
            probes = self.probes * len(self.flat) // many  # what passes a narrow filter lies further away
            rows = self._likely(vector, allowed, 2 * top + CANDIDATES, probes)
            if len(rows) < top:
                rows = self._likely(vector, allowed, 2 * top + CANDIDATES, self.cells.nlist)
        found, distances = measured(self.flat.vectors, vector, rows)
        return self.flat.near(found[:top], distances[:top])

    def _likely(
        self, vector: NDArray[np.float32], allowed: NDArray[np.bool_] | None, count: int, probes: int
    ) -> NDArray[np.int64]:
        sorted_in = self.cells.ntotal
        new = np.arange(sorted_in, len(self.flat))
        if allowed is None:
            return np.concatenate([likely_rows(self.cells, vector, None, count, probes), new])
        rows = likely_rows(self.cells, vector, allowed[:sorted_in], count, probes)
        return np.concatenate([rows, new[allowed[sorted_in:]]])

    def _allowed(self, filter: Filter) -> tuple[NDArray[np.bool_] | None, int]:
        return _allowed(self.flat, filter)


@lru_cache(maxsize=8)
def _allowed(flat: FlatIndex, filter: Filter) -> tuple[NDArray[np.bool_] | None, int]:
    """Which rows (N,) pass a filter, and how many; None: all do."""
    chosen = flat.live & np.array([filter.matches(entry) for entry in flat.entries], dtype=bool)
    if chosen.all():
        return None, len(flat)
    allowed = np.repeat(chosen, np.diff(flat.starts))
    return allowed, int(allowed.sum())


def add_cells(folder: str | Path) -> None:
    """Sort an index's moments into cells, beside its files; again when it has grown, or they cannot be used.

    >>> add_cells("no-such-index")
    Traceback (most recent call last):
    actor_observer.errors.UserError: no-such-index: no index there (see: actor-observer index --help)
    """
    need_faiss()
    flat = open_index(folder)
    if not len(flat):
        raise UserError(f"{folder}: there are no moments in this index yet")
    with suppress(UserError):
        if _usable_cells(flat).ntotal == len(flat):
            return
    cells = sort_into_cells(flat.vectors)
    note = json.dumps({"rows": len(flat), "last": _mark(flat, len(flat))})
    (flat.folder / COVERED).unlink(missing_ok=True)  # no note: no cells
    part = flat.folder / f".{CELLS}.{os.getpid()}"
    need_faiss().write_index(cells, str(part))
    part.replace(flat.folder / CELLS)
    (flat.folder / COVERED).write_text(note)


def open_faiss_index(folder: str | Path, probes: int = PROBES) -> FaissIndex:
    """Open an index with cells. faiss' files are not checked as ours are: open those of people you trust.

    >>> import tempfile
    >>> from actor_observer.features.identity import Identity
    >>> from actor_observer.searching.index_writer import write_index
    >>> folder = Path(tempfile.mkdtemp()) / "index"
    >>> with write_index(folder, IndexHead(Identity("mine", "93ab12cd"), 8, 1.0)) as writer:
    ...     writer.add(Entry("a.mp4", "first", 400), np.arange(400.0), np.eye(8).repeat(50, axis=0))
    >>> add_cells(folder)
    >>> open_faiss_index(folder).nearest(np.eye(8, dtype=np.float32)[3], Filter(), 1)[0].distance
    0.0
    """
    flat = open_index(folder)
    return FaissIndex(flat, _usable_cells(flat), probes)


def _usable_cells(flat: FlatIndex) -> Any:
    """The cells in the folder, mapped: of this index, and in any form that has cells (IVF)."""
    covered, again = _covered(flat), f"actor-observer convert {flat.folder} --engine faiss --out {flat.folder}"
    cells = map_cells(flat.folder / CELLS) if covered else None
    if cells is None or cells.ntotal != covered or cells.d != flat.head.dimension:
        raise UserError(f"{flat.folder}: its cells are not of this index; sort them again ({again})")
    if not isinstance(cells, need_faiss().IndexIVF):
        form = type(cells).__name__
        raise UserError(f"{flat.folder}: its cells are of no form that we search ({form}); sort them again ({again})")
    return cells


def _covered(flat: FlatIndex) -> int:
    """How many rows the cells in the folder are of; 0 if there are none, or they are of another index."""
    try:
        told = json.loads((flat.folder / COVERED).read_bytes())
        rows = int(told["rows"])
        return rows if rows and told["last"] == _mark(flat, rows) else 0
    except (OSError, ValueError, KeyError, TypeError):
        return 0


def _mark(flat: FlatIndex, rows: int) -> list[Any]:
    """What the video before this row says about itself: another index has another one there."""
    number = int(np.searchsorted(flat.starts, rows)) - 1
    if not 0 <= number < len(flat.entries) or flat.starts[number + 1] != rows:
        return []
    entry = flat.entries[number]
    return [number, entry.video, entry.rows_check]

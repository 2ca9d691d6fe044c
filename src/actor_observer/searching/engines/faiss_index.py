"""The engine for millions of moments on one machine: flat files, and beside them faiss cells mapped from disk.

The flat files stay the record: distances are measured on them, the cells only propose. Videos added after the cells
were made are compared one by one, until `index --engine faiss` sorts them in. Of both files only what a search uses is
read, so that is what is checked: each cell and each video the first time.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actor_observer.disk import write_whole
from actor_observer.disk.sealed_json import read_json, sealed_json
from actor_observer.disk.sums import sum_of
from actor_observer.errors import UserError
from actor_observer.searching.engines.cells import (
    likely_cells,
    likely_rows,
    map_cells,
    need_faiss,
    sort_into_cells,
    sums_of_cells,
)
from actor_observer.searching.engines.engine import EngineKind, Filter, Moments, Near
from actor_observer.searching.engines.entries import Entry, IndexHead
from actor_observer.searching.engines.flat_index import FlatIndex, open_index
from actor_observer.searching.engines.index_writer import write_index
from actor_observer.searching.engines.nearest_rows import measured

__all__ = ["CELLS", "KIND", "FaissIndex", "add_cells", "open_faiss_index"]

CELLS = "cells.faiss"
COVERED = "cells.json"
BEFORE_SUMS = {"rows", "last"}  # all that earlier versions wrote there
PROBES = 24  # cells that are searched
FEW = 4_000  # moments that are all compared where a filter leaves no more
CANDIDATES = 60  # rows that are proposed besides two for each answer, and measured


@dataclass(frozen=True, eq=False)
class FaissIndex:
    """An index with cells, open to be searched."""

    flat: FlatIndex
    cells: Any
    sums: tuple[str, ...]  # of each cell; none in cells of earlier versions, which are searched as they are
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
        self.flat.refuse_damaged(np.unique(self.flat.owners(rows)).tolist())
        found, distances = measured(self.flat.vectors, vector, rows)
        return self.flat.near(found[:top], distances[:top])

    def all_moments(self) -> Iterator[Moments]:
        """Every video that counts, with its times and vectors."""
        return self.flat.all_moments()

    def _likely(
        self, vector: NDArray[np.float32], allowed: NDArray[np.bool_] | None, count: int, probes: int
    ) -> NDArray[np.int64]:
        if len(self._checked) < len(self.sums):
            self.refuse_damaged(likely_cells(self.cells, vector, probes))
        sorted_in = self.cells.ntotal
        new = np.arange(sorted_in, len(self.flat))
        if allowed is None:
            return np.concatenate([likely_rows(self.cells, vector, None, count, probes), new])
        rows = likely_rows(self.cells, vector, allowed[:sorted_in], count, probes)
        return np.concatenate([rows, new[allowed[sorted_in:]]])

    def refuse_damaged(self, cells: Iterable[int]) -> None:
        """Refuse cells that are not as they were written; each is looked at once."""
        new = sorted({*cells} - self._checked)
        if sums_of_cells(self.cells, new) != [self.sums[cell] for cell in new]:
            raise UserError(f"{self.folder / CELLS}: damaged, not as it was written; {_again(self.flat)}")
        self._checked.update(new)

    @cached_property
    def _checked(self) -> set[int]:
        return set()

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
        return
    with suppress(UserError):
        there = _with_cells(flat, PROBES)
        there.refuse_damaged(range(len(there.sums)))
        if there.sums and there.cells.ntotal == len(flat):
            return
    flat.refuse_damaged(range(len(flat.entries)))
    cells = sort_into_cells(flat.vectors)
    (flat.folder / COVERED).unlink(missing_ok=True)  # no note: no cells
    part = flat.folder / f".{CELLS}.{os.getpid()}"
    need_faiss().write_index(cells, str(part))
    note = {"rows": len(flat), "last": _mark(flat, len(flat)), **_sums(cells, part)}
    part.replace(flat.folder / CELLS)
    write_whole(flat.folder / COVERED, sealed_json(note))


def _sums(cells: Any, file: Path) -> dict[str, Any]:
    """The sums of the cells, and of what is ahead of them in faiss' file: settings, and the middles of the cells."""
    size = file.stat().st_size
    if not isinstance(cells, need_faiss().IndexIVF):  # refused when it is opened
        return {"ahead": size, "ahead_sum": _sum_ahead(file, size), "sums": []}
    ahead = size - cells.ntotal * (cells.code_size + 8)
    sums = sums_of_cells(cells, range(cells.nlist))
    return {"ahead": ahead, "ahead_sum": _sum_ahead(file, ahead), "sums": sums}


def open_faiss_index(folder: str | Path, probes: int = PROBES) -> FaissIndex:
    """Open an index with cells. faiss reads its file without care for what is in it: open those of people you trust.

    >>> import tempfile
    >>> from actor_observer.features.identity import Identity
    >>> from actor_observer.searching.engines.index_writer import write_index
    >>> folder = Path(tempfile.mkdtemp()) / "index"
    >>> with write_index(folder, IndexHead(Identity("mine", "93ab12cd"), 8, 1.0)) as writer:
    ...     writer.add(Entry("a.mp4", "first", 400), np.arange(400.0), np.eye(8).repeat(50, axis=0))
    >>> add_cells(folder)
    >>> open_faiss_index(folder).nearest(np.eye(8, dtype=np.float32)[3], Filter(), 1)[0].distance
    0.0
    """
    return _with_cells(open_index(folder), probes)


def _with_cells(flat: FlatIndex, probes: int) -> FaissIndex:
    """An index with the cells in its folder, mapped: they must be of this index, and of a form that has cells (IVF)."""
    path = flat.folder / CELLS
    try:
        told = read_json((flat.folder / COVERED).read_bytes())
        old = told.keys() == BEFORE_SUMS
        rows, sums = int(told["rows"]), () if old else tuple(map(str, told["sums"]))
        ours = rows > 0 and told["last"] == _mark(flat, rows)
        whole = old or (ours and told["ahead_sum"] == _sum_ahead(path, int(told["ahead"])))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UserError(f"{flat.folder}: its cells are not finished, or damaged; {_again(flat)}") from None
    if not ours:
        raise UserError(f"{flat.folder}: its cells are not of this index; {_again(flat)}")
    if not whole:
        raise UserError(f"{path}: damaged, not as it was written; {_again(flat)}")
    cells = map_cells(path)
    if not isinstance(cells, need_faiss().IndexIVF):
        form = type(cells).__name__
        raise UserError(f"{flat.folder}: its cells are of a form that is not searched here ({form}); {_again(flat)}")
    if (cells.ntotal, cells.d, cells.nlist) != (rows, flat.head.dimension, cells.nlist if old else len(sums)):
        raise UserError(f"{flat.folder}: its cells are not of this index; {_again(flat)}")
    return FaissIndex(flat, cells, sums, probes)


def _again(flat: FlatIndex) -> str:
    return f"sort them again (actor-observer convert {flat.folder} --engine faiss --out {flat.folder})"


def _sum_ahead(path: Path, count: int) -> str:
    with path.open("rb") as file:
        return sum_of(file.read(count))


def _mark(flat: FlatIndex, rows: int) -> list[Any]:
    """What the video before this row says about itself: another index has another one there."""
    number = int(np.searchsorted(flat.starts, rows)) - 1
    if not 0 <= number < len(flat.entries) or flat.starts[number + 1] != rows:
        return []
    entry = flat.entries[number]
    return [number, entry.video, entry.rows_check]


KIND = EngineKind(open_faiss_index, write_index, copied=open_index, finish=add_cells, ready=need_faiss)

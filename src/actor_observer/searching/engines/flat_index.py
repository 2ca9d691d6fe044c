"""The engine of plain files: vectors stay on disk, and all are compared with the query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actor_observer.console import say
from actor_observer.errors import UserError
from actor_observer.searching.engines.engine import EngineKind, Filter, Moments, Near
from actor_observer.searching.engines.entries import Entry, IndexHead
from actor_observer.searching.engines.index_files import (
    HEAD,
    TIMES,
    VECTORS,
    VIDEOS,
    checksum,
    needed_bytes,
    read_head,
    read_list,
)
from actor_observer.searching.engines.index_writer import write_index
from actor_observer.searching.engines.nearest_rows import nearest_rows, squares_of

__all__ = ["KIND", "FlatIndex", "open_index"]

TAIL = "it holds moments that its list does not name: it is being written, was stopped, or lost lines; `index` mends it"


@dataclass(frozen=True, eq=False)
class FlatIndex:
    """An index in a folder, open to be searched."""

    folder: Path
    head: IndexHead
    entries: tuple[Entry, ...]  # in the order of their rows

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """(V + 1,) the first row of each entry, and the number of all rows at the end."""
        return np.concatenate([[0], np.cumsum([entry.rows for entry in self.entries], dtype=np.int64)]).astype(np.int64)

    def __len__(self) -> int:
        return int(self.starts[-1])

    @cached_property
    def vectors(self) -> NDArray[np.float32]:
        """(N, D), on disk; a write to it stays in memory."""
        return self._map(VECTORS, "<f4", (len(self), self.head.dimension))

    @cached_property
    def times(self) -> NDArray[np.float64]:
        """(N,) seconds."""
        return self._map(TIMES, "<f8", (len(self),))

    @cached_property
    def squares(self) -> NDArray[np.float32]:
        """(N,) squared lengths of the vectors. Computed once, on a first pass that also checks every checksum."""
        out = np.empty(len(self), dtype=np.float32)
        for number in range(len(self.entries)):
            self.refuse_damaged([number])  # just before it is used: it is in the core's cache then
            rows = self.rows_of(number)
            out[rows] = squares_of(self.vectors[rows])
        return out

    def rows_of(self, number: int) -> slice:
        """The rows of an entry."""
        return slice(int(self.starts[number]), int(self.starts[number + 1]))

    def refuse_damaged(self, numbers: Iterable[int]) -> None:
        """Refuse entries whose vectors or times are not those that were written; each is looked at once."""
        for number in {*numbers} - self._checked:
            entry, rows = self.entries[number], self.rows_of(number)
            if entry.rows_check not in (None, checksum(self.vectors[rows], self.times[rows])):
                raise UserError(
                    f"{self.folder}: damaged, the vectors or times of {entry.name} are not those that were written; "
                    "index again into a new folder"
                )
            self._checked.add(number)

    @cached_property
    def _checked(self) -> set[int]:
        return set()

    @cached_property
    def live(self) -> NDArray[np.bool_]:
        """(V,) whether an entry counts: of a video that was indexed again, only the last does."""
        last = {entry.video: number for number, entry in enumerate(self.entries)}
        return np.array([last[entry.video] == number for number, entry in enumerate(self.entries)], dtype=bool)

    @property
    def videos(self) -> list[Entry]:
        """The entries that count."""
        return [entry for entry, lives in zip(self.entries, self.live, strict=True) if lives]

    def nearest(self, vector: NDArray[np.float32], filter: Filter, top: int) -> list[Near]:
        """The `top` moments nearest to a vector (D,) among the videos that pass the filter, nearest first."""
        chosen = self.live & np.array([filter.matches(entry) for entry in self.entries], dtype=bool)
        allowed = np.repeat(chosen, np.diff(self.starts))
        found: list[Near] = []
        for rows, distances in nearest_rows(self.vectors, vector, allowed, self.squares):
            found += self.near(rows, distances)
            if len(found) >= top:
                break
        return found[:top]

    def all_moments(self) -> Iterator[Moments]:
        """Every video that counts, with its times and vectors."""
        for number in np.flatnonzero(self.live).tolist():
            self.refuse_damaged([number])
            rows = self.rows_of(number)
            yield self.entries[number], self.times[rows], self.vectors[rows]

    def owners(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The entries (K,) that rows (K,) belong to."""
        return np.searchsorted(self.starts, rows, side="right") - 1

    def near(self, rows: NDArray[np.int64], distances: NDArray[np.float64]) -> list[Near]:
        """Rows (K,) with their distances (K,), as moments of videos."""
        owners = self.owners(rows)
        times = self.times[rows]
        if not np.isfinite(times).all():
            raise UserError(f"{self.folder / TIMES}: damaged, a time is not a number; index again")
        return [
            Near(self.entries[owner], time, distance)
            for owner, time, distance in zip(owners.tolist(), times.tolist(), distances.tolist(), strict=True)
        ]

    def _map(self, name: str, kind: str, shape: tuple[int, ...]) -> NDArray[Any]:
        if not np.prod(shape):
            return np.empty(shape, dtype=kind)
        return np.memmap(self.folder / name, dtype=kind, mode="c", shape=shape)


def open_index(folder: str | Path) -> FlatIndex:
    """Open an index to search it. It may come from a stranger: names, sizes, digests and file lengths are checked.

    >>> open_index("no-such-index")
    Traceback (most recent call last):
    actor_observer.errors.UserError: no-such-index: no index there (see: actor-observer index --help)
    """
    folder = Path(folder)
    if not (folder / HEAD).is_file():
        if (folder / VIDEOS).is_file():
            raise UserError(f"{folder}: damaged, {HEAD} is missing; index again into a new folder")
        raise UserError(f"{folder}: no index there (see: actor-observer index --help)")
    head = read_head(folder)
    entries = read_list(folder, head).entries
    more = False
    for name, needed in needed_bytes(head, entries).items():
        there = (folder / name).stat().st_size if (folder / name).is_file() else 0
        if there < needed:
            raise UserError(f"{folder / name}: damaged, {there} bytes where {needed} are listed; index again")
        more |= there > needed
    if more:
        say(f"{folder}: {TAIL}", error=True)
    return FlatIndex(folder, head, tuple(entries))


KIND = EngineKind(open_index, write_index)

"""Open an index whatever its engine, and bring it from one engine to another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from actor_observer.errors import UserError
from actor_observer.searching.engine import Engine
from actor_observer.searching.faiss_index import CELLS, FaissIndex, add_cells, open_faiss_index
from actor_observer.searching.flat_index import FlatIndex, open_index
from actor_observer.searching.index_writer import write_index
from actor_observer.searching.lance_append import append_to_lance
from actor_observer.searching.lance_index import LanceIndex, Moments, is_lance, open_lance_index

__all__ = ["EngineName", "convert", "open_engine"]

EngineName = Literal["flat", "faiss", "lance"]


def open_engine(place: str | Path) -> FlatIndex | FaissIndex | LanceIndex:
    """Open an index to search it: LanceDB's tables, flat files with faiss cells, or flat files.

    >>> open_engine("no-such-index")
    Traceback (most recent call last):
    actor_observer.errors.UserError: no-such-index: no index there (see: actor-observer index --help)
    """
    if is_lance(place):
        return open_lance_index(place)
    return open_faiss_index(place) if (Path(place) / CELLS).is_file() else open_index(place)


def convert(index: str | Path, out: str | Path, engine: EngineName) -> Engine:
    """Write the videos of an index into one of another engine, or add them to it. Killed, call it again.

    >>> convert("no-such-index", "moments.lance", "lance")
    Traceback (most recent call last):
    actor_observer.errors.UserError: no-such-index: no index there (see: actor-observer index --help)
    """
    source = open_lance_index(index) if is_lance(index) else open_index(index)  # cells are not needed to read it
    if engine == "lance":
        return append_to_lance(out, source.head, all_moments(source))
    if is_lance(out):
        raise UserError(f"{out}: LanceDB's; choose a folder of its own for --engine {engine}")
    if not (Path(out).exists() and Path(out).samefile(index)):
        with write_index(Path(out), source.head) as writer:
            for entry, times, vectors in all_moments(source):
                if writer.known.get(entry.video) != entry:
                    writer.add(entry, times, vectors)
    if engine == "faiss":
        add_cells(out)
    return open_engine(out)


def all_moments(source: FlatIndex | LanceIndex) -> Iterator[Moments]:
    """Every video of an index that counts, with its times and vectors."""
    if isinstance(source, LanceIndex):
        yield from source.all_moments()
        return
    for number, entry in enumerate(source.entries):
        if source.live[number]:
            rows = slice(source.starts[number], source.starts[number + 1])
            yield entry, source.times[rows], source.vectors[rows]

"""Add videos to tables of LanceDB: one writer at a time, each video whole or not at all.

A folder is locked as other outputs are. An object store knows no locks: there a small table says who writes, and since
when; a writer that was killed is forgotten after a while.
"""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actor_observer.console import printable
from actor_observer.disk import only_writer
from actor_observer.errors import TakeError, UserError
from actor_observer.searching.engines import engine_at, is_remote
from actor_observer.searching.engines.engine import EngineKind, Moments
from actor_observer.searching.engines.entries import Entry, IndexHead, wrong_with
from actor_observer.searching.engines.index_files import checksum
from actor_observer.searching.engines.index_writer import refuse_other
from actor_observer.searching.engines.lance_index import (
    MOMENTS,
    VIDEOS,
    LanceIndex,
    lancedb,
    open_lance_index,
    speaking,
)

__all__ = ["KIND", "LanceWriter", "write_lance"]

BATCH = 65_536  # moments in one commit, or one video more
EVERY = 60.0  # seconds after which what is there is written, however little
SORTED_FROM = 100_000  # moments from which they are sorted into cells; fewer are all compared
WRITER = "writer"  # the table of an object store that says who writes
LEASE = 300.0  # seconds after which a writer that did not show itself is taken for dead


class LanceWriter:
    """The tables of an index, open to be added to."""

    def __init__(self, index: LanceIndex, lease: Any = None) -> None:
        self.place, self.head, self.known = index.place, index.head, {one.video: one for one in index.live.values()}
        self._moments, self._videos = index.moments, lancedb().connect(index.place).open_table(VIDEOS)
        self._next = max(index.numbered, default=-1) + 1
        self._waiting: list[Moments] = []
        self._written, self._lease = time.monotonic(), lease

    def add(self, entry: Entry, times: NDArray[np.float64], vectors: NDArray[np.floating]) -> None:
        """Take a video; it is written with others, at the latest after a minute or at the end."""
        if wrong := wrong_with(entry):
            raise TakeError(printable(entry.video), f"cannot be in an index: {wrong}")
        entry = replace(entry, rows_check=checksum(vectors, times))
        self._waiting.append((entry, times, np.asarray(vectors, dtype=np.float32)))
        self.known[entry.video] = entry
        many = sum(len(times) for _, times, _ in self._waiting)
        if many >= BATCH or time.monotonic() - self._written > EVERY:
            self.flush()

    def flush(self) -> None:
        """Write what waits: the moments of all its videos in one commit, then the videos in another."""
        batch, self._waiting = self._waiting, []
        if batch:
            with speaking(self.place, "cannot be written"):
                _write(self._moments, self._videos, self.head, self._next, batch)
                if self._lease is not None:
                    self._lease.update(values={"since": time.time()})
        self._next += len(batch)
        self._written = time.monotonic()


@contextmanager
def write_lance(place: str | Path, head: IndexHead) -> Iterator[LanceWriter]:
    """Open an index for writing, or start one; what was added stays, also when the body fails."""
    with _only_writer(place) as lease:
        with speaking(place, "cannot be written"):
            _start(place, head)
        index = open_lance_index(place)
        refuse_other(index.folder, index.head, head)
        with speaking(place, "cannot be written"):
            index.moments.delete(f"number > {max(index.numbered, default=-1)}")  # of a process that ended early
            writer = LanceWriter(index, lease)
        try:
            yield writer
        finally:
            writer.flush()
        with speaking(place, "cannot be written"):
            whole = open_lance_index(place)
            if dead := whole.numbered.keys() - whole.live.keys():
                which = f"number IN ({', '.join(map(str, sorted(dead)))})"
                lancedb().connect(str(place)).open_table(VIDEOS).delete(which)
                whole.moments.delete(which)
            _sort(whole)


@contextmanager
def _only_writer(place: str | Path) -> Iterator[Any]:
    """A lock on a folder, or a lease on a place in an object store (gives its table)."""
    if not is_remote(place):
        if engine_at(place) != "lance" and Path(place).exists() and any(Path(place).iterdir()):
            raise UserError(f"{place}: not an index of LanceDB, and not empty; use another --out")
        Path(place).mkdir(parents=True, exist_ok=True)
        with only_writer(Path(place), "this index"):
            yield None
        return
    with speaking(place, "cannot be written"):
        database = lancedb().connect(str(place))
        if WRITER in database.list_tables().tables:
            row = database.open_table(WRITER).to_arrow().to_pylist()[0]
            left = LEASE - (time.time() - row["since"])
            if left > 0:
                raise UserError(
                    f"{place}: another process is writing to this index ({row['who']}); "
                    f"wait for it, or, if it was killed, {left:.0f} s"
                )
            database.drop_table(WRITER)
        row = {"who": f"{socket.gethostname()} {os.getpid()}", "since": time.time()}
        lease = database.create_table(WRITER, [row])  # refused where another was quicker
    try:
        yield lease
    finally:
        with speaking(place, "cannot be written"):
            database.drop_table(WRITER)


def _start(place: str | Path, head: IndexHead) -> None:
    """Make the tables that are not there yet."""
    arrow = import_module("pyarrow")
    database = lancedb().connect(str(place))
    there = {*database.list_tables().tables}
    vector = arrow.list_(arrow.float32(), head.dimension)
    columns = {"vector": vector, "time": arrow.float64(), "number": arrow.int32()}
    columns |= {"view": arrow.string(), "subject": arrow.string()}
    if MOMENTS not in there:
        database.create_table(MOMENTS, schema=arrow.schema(columns))
    if VIDEOS not in there:
        told = {"head": json.dumps(asdict(head))}
        schema = arrow.schema({"number": arrow.int32(), "entry": arrow.string()}, metadata=told)
        database.create_table(VIDEOS, schema=schema)


def _write(moments: Any, videos: Any, head: IndexHead, first: int, batch: list[Moments]) -> None:
    """The moments of some videos in one commit, then the videos in another."""
    arrow = import_module("pyarrow")
    vectors = np.concatenate([np.asarray(one[2], dtype=np.float32) for one in batch])
    counts = [len(times) for _, times, _ in batch]

    def repeated(values: list[Any]) -> list[Any]:
        return [value for value, count in zip(values, counts, strict=True) for _ in range(count)]

    columns = {
        "vector": arrow.FixedSizeListArray.from_arrays(arrow.array(vectors.ravel()), head.dimension),
        "time": arrow.array(np.concatenate([times for _, times, _ in batch])),
        "number": arrow.array(np.repeat(np.arange(first, first + len(batch), dtype=np.int32), counts)),
        "view": repeated([entry.view for entry, *_ in batch]),
        "subject": repeated([entry.subject for entry, *_ in batch]),
    }
    moments.add(arrow.table(columns, schema=moments.schema))
    rows = {
        "number": arrow.array(range(first, first + len(batch)), arrow.int32()),
        "entry": [json.dumps(asdict(entry)) for entry, *_ in batch],
    }
    videos.add(arrow.table(rows))


def _sort(index: LanceIndex) -> None:
    """Sort the moments into cells, once there are many; later ones are sorted into the same cells."""
    if len(index) < SORTED_FROM:
        return
    if index.moments.list_indices():
        index.moments.optimize()
        return
    settings = import_module("lancedb.index").IvfPq(
        distance_type="l2", num_partitions=int(len(index) ** 0.5), num_sub_vectors=_pieces(index.head.dimension)
    )
    index.moments.create_index("vector", config=settings)


def _pieces(dimension: int) -> int:
    """Into how many pieces a vector is cut for its short form: of 4 numbers where it divides, 2 or 1 elsewhere."""
    return dimension // next(size for size in (4, 2, 1) if not dimension % size)


KIND = EngineKind(open_lance_index, write_lance, ready=lancedb)

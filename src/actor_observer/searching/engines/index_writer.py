"""Add videos to an index: one writer at a time, each video whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from actor_observer.console import printable
from actor_observer.disk import only_writer
from actor_observer.errors import TakeError, UserError
from actor_observer.model.pretrained import write_whole
from actor_observer.searching.engines.entries import Entry, IndexHead, wrong_with
from actor_observer.searching.engines.index_files import (
    HEAD,
    LOCK,
    TIMES,
    VECTORS,
    VIDEOS,
    IndexList,
    checksum,
    head_text,
    needed_bytes,
    read_head,
    read_list,
)
from actor_observer.shards import NOTE

__all__ = ["IndexWriter", "write_index"]

OURS = (LOCK, VIDEOS, VECTORS, TIMES, NOTE)


class IndexWriter:
    """The files of an index, open at their ends."""

    def __init__(self, folder: Path, head: IndexHead, listed: IndexList) -> None:
        self.folder, self.head, self._listed = folder, head, listed
        self.known = {entry.video: entry for entry in listed.entries}  # the last entry of each video

    def add(self, entry: Entry, times: NDArray[np.float64], vectors: NDArray[np.floating]) -> None:
        """Write a video: the numbers first, then the line that counts them."""
        if wrong := wrong_with(entry):
            raise TakeError(printable(entry.video), f"cannot be in an index: {wrong}")
        if vectors.shape != (len(times), self.head.dimension) or len(times) != entry.rows:
            raise ValueError(f"{entry.rows} moments with {times.shape} times and {vectors.shape} vectors")
        self._append(VECTORS, vectors.astype("<f4").tobytes())
        self._append(TIMES, times.astype("<f8").tobytes())
        entry = replace(entry, rows_check=checksum(vectors, times))
        self._append(VIDEOS, self._listed.line(entry))
        self.known[entry.video] = entry

    def _append(self, name: str, content: bytes) -> None:
        with (self.folder / name).open("ab") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())


@contextmanager
def write_index(folder: str | Path, head: IndexHead) -> Iterator[IndexWriter]:
    """Open an index for writing, or start one. Refused: one of another model or rate, and one that is being written to.

    >>> import tempfile
    >>> from actor_observer.features.identity import Identity
    >>> folder = Path(tempfile.mkdtemp()) / "index"
    >>> with write_index(folder, IndexHead(Identity("mine", "93ab12cd"), 2, 1.0)) as writer:
    ...     writer.add(Entry("a.mp4", "first", 3), np.arange(3.0), np.ones((3, 2)))
    >>> with write_index(folder, IndexHead(Identity("yours", "77777777"), 2, 1.0)) as writer: pass
    Traceback (most recent call last):
    actor_observer.errors.UserError: /...: made by mine (93ab12cd), not by yours (77777777): ...
    """
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        refuse_strangers(folder)
        with only_writer(folder / LOCK, "this index"):
            yield _open(folder, head)
    except OSError as error:
        if error.filename is not None and Path(error.filename).parent != folder and Path(error.filename) != folder:
            raise
        raise UserError(f"{folder}: cannot be written ({error.strerror or error})") from error


def refuse_strangers(folder: Path) -> None:
    """Refuse a folder that is not an index and not empty, and an index that has lost its head."""
    if (folder / HEAD).exists():
        return
    for path in folder.iterdir():
        if path.name not in OURS and not path.name.startswith(f".{HEAD}."):
            raise UserError(f"{folder}: not an index, and not empty ({path.name}); use another --out")
    if (folder / VIDEOS).exists():
        raise UserError(f"{folder}: damaged, {HEAD} is missing; index again into a new folder")


def _open(folder: Path, head: IndexHead) -> IndexWriter:
    if not (folder / HEAD).exists():
        write_whole(folder / HEAD, head_text(head).encode())
    theirs = read_head(folder)
    refuse_other(folder, theirs, head)
    listed = read_list(folder, theirs)
    for name, size in (needed_bytes(theirs, listed.entries) | {VIDEOS: listed.whole}).items():
        with (folder / name).open("ab") as file:
            if file.tell() < size:
                raise UserError(f"{folder / name}: damaged, {file.tell()} bytes where {size} are listed; index again")
            file.truncate(size)  # what a process that ended early left behind
    return IndexWriter(folder, theirs, listed)


def refuse_other(folder: Path, theirs: IndexHead, ours: IndexHead) -> None:
    """Refuse an index of another model or rate."""
    if theirs.model.fingerprint != ours.model.fingerprint:
        same = theirs.model.name == ours.model.name  # of an earlier version, or trained again
        other = ", of the same name but not the same" if same else ""
        again = "index the videos into another folder" if same else "name the model that made it, or another index"
        raise UserError(
            f"{folder}: made by {theirs.model}, not by {ours.model}{other}: their vectors cannot be compared; {again}"
        )
    if theirs.dimension != ours.dimension:
        raise UserError(f"{folder}: damaged, {theirs.dimension} numbers a vector where the model has {ours.dimension}")
    if theirs.moment_rate != ours.moment_rate:
        raise UserError(
            f"{folder}: holds {theirs.moment_rate:g} moments a second, not {ours.moment_rate:g}; leave it as it is"
        )

"""Add videos to an index: one writer at a time, each video whole or not at all."""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from actor_observer.errors import TakeError, UserError
from actor_observer.model.pretrained import write_whole
from actor_observer.searching.index_files import (
    HEAD,
    LOCK,
    TIMES,
    VECTORS,
    VIDEOS,
    Entry,
    IndexHead,
    head_text,
    needed_bytes,
    printable,
    read_entries,
    read_head,
    wrong_with,
)

__all__ = ["IndexWriter", "write_index"]

OURS = (LOCK, VIDEOS, VECTORS, TIMES)
PATIENCE = 2.0  # seconds: a killed process's decoders hold its lock until they notice


class IndexWriter:
    """The files of an index, open at their ends."""

    def __init__(self, folder: Path, head: IndexHead, entries: tuple[Entry, ...]) -> None:
        self.folder, self.head = folder, head
        self.known = {entry.video: entry for entry in entries}  # the last entry of each video

    def add(self, entry: Entry, times: NDArray[np.float64], vectors: NDArray[np.floating]) -> None:
        """Write a video: the numbers first, then the line that counts them."""
        if wrong := wrong_with(entry):
            raise TakeError(printable(entry.video), f"cannot be in an index: {wrong}")
        if vectors.shape != (len(times), self.head.dimension) or len(times) != entry.rows:
            raise ValueError(f"{entry.rows} moments with {times.shape} times and {vectors.shape} vectors")
        self._append(VECTORS, vectors.astype("<f4").tobytes())
        self._append(TIMES, times.astype("<f8").tobytes())
        self._append(VIDEOS, (json.dumps(asdict(entry)) + "\n").encode())
        self.known[entry.video] = entry

    def _append(self, name: str, content: bytes) -> None:
        with (self.folder / name).open("ab") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())


@contextmanager
def write_index(folder: Path, head: IndexHead) -> Iterator[IndexWriter]:
    """Open an index to write, or start one. Refused: another model's, another rate's, one that is being written to.

    >>> import tempfile
    >>> from actor_observer.features.identity import Identity
    >>> folder = Path(tempfile.mkdtemp()) / "index"
    >>> with write_index(folder, IndexHead(Identity("mine", "93ab12cd"), 2, 1.0)) as writer:
    ...     writer.add(Entry("a.mp4", "first", 3), np.arange(3.0), np.ones((3, 2)))
    >>> with write_index(folder, IndexHead(Identity("yours", "77777777"), 2, 1.0)) as writer: pass
    Traceback (most recent call last):
    actor_observer.errors.UserError: /...: made by mine (93ab12cd), not by yours (77777777): ...
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        refuse_strangers(folder)
        lock = (folder / LOCK).open("ab")
    except OSError as error:
        raise UserError(f"{folder}: cannot be written ({error.strerror or error})") from None
    with lock:  # closing it, in whatever way the process ends, gives it back
        until = time.monotonic() + PATIENCE
        while not _locked(lock):
            if time.monotonic() > until:
                raise UserError(
                    f"{folder}: another process is writing to this index; wait for it, or use another --out"
                )
            time.sleep(0.1)
        try:
            yield _open(folder, head)
        except OSError as error:
            if error.filename is not None and Path(error.filename).parent != folder:
                raise
            raise UserError(f"{folder}: cannot be written ({error.strerror or error})") from error


def _locked(file: IO[bytes]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def refuse_strangers(folder: Path) -> None:
    """A folder with other things in it is none of ours."""
    if (folder / HEAD).exists():
        return
    for path in folder.iterdir():
        if path.name not in OURS and not path.name.startswith(f".{HEAD}."):
            raise UserError(f"{folder}: not an index, and not empty ({path.name}); use another --out")


def _open(folder: Path, head: IndexHead) -> IndexWriter:
    if not (folder / HEAD).exists():
        write_whole(folder / HEAD, head_text(head).encode())
    theirs = read_head(folder)
    refuse_other(folder, theirs, head)
    entries, whole = read_entries(folder)
    for name, size in (needed_bytes(theirs, entries) | {VIDEOS: whole}).items():
        with (folder / name).open("ab") as file:
            if file.tell() < size:
                raise UserError(f"{folder / name}: damaged, {file.tell()} bytes where {size} are listed; index anew")
            file.truncate(size)  # what a process that ended early left behind
    return IndexWriter(folder, theirs, entries)


def refuse_other(folder: Path, theirs: IndexHead, ours: IndexHead) -> None:
    """An index is of one model, and of one rate."""
    if theirs.model.fingerprint != ours.model.fingerprint:
        raise UserError(
            f"{folder}: made by {theirs.model}, not by {ours.model}: "
            "their vectors cannot be compared; name the model that made it, or another index"
        )
    if theirs.dimension != ours.dimension:
        raise UserError(f"{folder}: damaged, {theirs.dimension} numbers a vector where the model has {ours.dimension}")
    if theirs.rate != ours.rate:
        raise UserError(f"{folder}: holds {theirs.rate:g} moments a second, not {ours.rate:g}; leave the rate as it is")

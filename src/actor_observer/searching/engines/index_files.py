"""An index on disk: files that only grow, and a list of videos whose last whole line is the current state.

Numbers are written and forced to disk before the line that counts them. A process that ends at any moment leaves at
most a tail that no line mentions, and the next writer cuts it off. Each line carries a digest of the head and of all
lines up to it, and a checksum of its numbers: what was edited, swapped, zeroed or lost is noticed.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actor_observer.console import printable
from actor_observer.errors import UserError, first_line
from actor_observer.features.identity import Identity
from actor_observer.searching.engines.entries import LONGEST, MOST, Entry, IndexHead, wrong_with

__all__ = ["IndexList", "checksum", "needed_bytes", "read_head", "read_list"]

FORMAT = "actor-observer index 1"
HEAD, VIDEOS, LOCK = "index.json", "videos.jsonl", "lock"
VECTORS, TIMES = "vectors.f32", "times.f64"
LONGEST_HEAD = 1 << 16  # bytes
CHECK = "check"  # a line's digest


class IndexList:
    """The lines of an index so far, with their running digest."""

    def __init__(self, head: IndexHead) -> None:
        self.entries: list[Entry] = []
        self.whole = 0  # bytes of the list that are whole lines
        self._digest = hashlib.blake2b(json.dumps(asdict(head), sort_keys=True).encode(), digest_size=8)

    def line(self, entry: Entry) -> bytes:
        """Add an entry; what to write for it."""
        fields = asdict(entry)
        check = self._add(entry, fields)
        return (json.dumps(fields | {CHECK: check}) + "\n").encode()

    def read(self, line: bytes) -> None:
        """Add the entry of a line; one that is not valid raises ValueError or TypeError."""
        fields: dict[str, Any] = dict(json.loads(line))
        check = fields.pop(CHECK, None)
        entry = Entry(**fields)
        if wrong := wrong_with(entry):
            raise ValueError(wrong)
        if check not in (None, self._add(entry, fields)):
            raise ValueError("it, the lines above or index.json were edited, moved or lost")

    def _add(self, entry: Entry, fields: dict[str, Any]) -> str:
        self.entries.append(entry)
        self._digest.update(json.dumps(fields, sort_keys=True).encode())
        return self._digest.hexdigest()


def needed_bytes(head: IndexHead, entries: list[Entry]) -> dict[str, int]:
    """Bytes that each file must have for these entries.

    >>> needed_bytes(IndexHead(Identity("mine", "93ab12cd"), 128, 1.0), [Entry("a.mp4", "first", 2)])
    {'vectors.f32': 1024, 'times.f64': 16}
    """
    rows = sum(entry.rows for entry in entries)
    return {VECTORS: 4 * head.dimension * rows, TIMES: 8 * rows}


def checksum(vectors: NDArray[np.floating], times: NDArray[np.floating]) -> int:
    """CRC-32 of a video's numbers as they are on disk.

    >>> checksum(np.zeros((1, 2), dtype="<f4"), np.zeros(1)) == checksum(np.zeros((1, 2)), np.ones(1))
    False
    """
    first = zlib.crc32(np.ascontiguousarray(vectors, dtype="<f4").data)
    return zlib.crc32(np.ascontiguousarray(times, dtype="<f8").data, first)


def head_text(head: IndexHead) -> str:
    """The content of index.json."""
    return json.dumps({"format": FORMAT, **asdict(head)}, indent=1, ensure_ascii=False) + "\n"


def read_head(folder: Path) -> IndexHead:
    """The head of an index, checked."""
    path = folder / HEAD
    try:
        with path.open("rb") as file:
            told = json.loads(file.read(LONGEST_HEAD))
        if told.pop("format") != FORMAT:
            raise ValueError(f"not the format {FORMAT!r}")
        model = told["model"]
        name, fingerprint = (printable(str(model[key])[:LONGEST]) for key in ("name", "fingerprint"))
        moment_rate = float(told["moment_rate"] if "moment_rate" in told else told["rate"])  # "rate": in older ones
        head = IndexHead(Identity(name, fingerprint), told["dimension"], moment_rate)
        if type(head.dimension) is not int or not 1 <= head.dimension <= MOST:
            raise ValueError(f"vectors of {head.dimension} numbers")
        if not 0 < head.moment_rate < 1e6:
            raise ValueError(f"{head.moment_rate} moments a second")
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from None
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise UserError(f"{path}: not the head of an index ({first_line(error)[:100]})") from None
    return head


def read_list(folder: Path, head: IndexHead) -> IndexList:
    """The videos listed, checked line by line; a line without an end was never finished and does not count."""
    path, found = folder / VIDEOS, IndexList(head)
    try:
        text = path.read_bytes() if path.is_file() else b""
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from None
    found.whole = text.rfind(b"\n") + 1
    for number, line in enumerate(text[: found.whole].split(b"\n")[:-1], start=1):
        try:
            found.read(line)
        except (ValueError, TypeError, RecursionError) as error:
            why = printable(first_line(error))[:100]
            raise UserError(f"{path} line {number}: damaged ({why}); index again into a new folder") from None
    return found

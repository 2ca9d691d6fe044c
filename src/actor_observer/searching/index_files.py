"""An index on disk: files that only grow, and a list of videos whose last whole line is the state of things.

Numbers are written and forced to disk before the line that counts them. A process that ends at any moment leaves at
most a tail that no line speaks of, and the next writer cuts it off.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from actor_observer.errors import UserError
from actor_observer.features.identity import Identity
from actor_observer.pairs.manifest import View
from actor_observer.searching.nearest import squares_of

__all__ = ["Entry", "IndexHead", "MomentIndex", "open_index"]

FORMAT = "actor-observer index 1"
HEAD, VIDEOS, LOCK = "index.json", "videos.jsonl", "lock"
VECTORS, TIMES = "vectors.f32", "times.f64"
LONGEST = 4096  # characters of a name or a line's path
MOST = 1 << 20  # numbers in a vector, moments of a video: a million seconds are eleven days


@dataclass(frozen=True)
class IndexHead:
    """What all of an index shares.

    >>> IndexHead(Identity("runs/first", "93ab12cd34ef56ab"), 128, 1.0).row_bytes
    {'vectors.f32': 512, 'times.f64': 8}
    """

    model: Identity
    dimension: int  # numbers in a vector
    rate: float  # moments a second

    @property
    def row_bytes(self) -> dict[str, int]:
        """Bytes of a moment in each file."""
        return {VECTORS: 4 * self.dimension, TIMES: 8}


@dataclass(frozen=True)
class Entry:
    """One video of an index.

    >>> Entry("kitchen.mp4", "first", rows=12).name
    'kitchen.mp4'
    """

    video: str  # its path, or the name that pixels were given
    view: View
    rows: int  # moments
    subject: str = ""
    size: int = 0  # bytes, and when it was changed: with these the same it is not read again
    changed: int = 0
    content: str = ""  # fingerprint of what it holds
    frame_rate: float | None = None  # of a folder of frames
    is_file: bool = True  # False: pixels from memory

    @property
    def name(self) -> str:
        """The video without its folders."""
        return Path(self.video).name or self.video


@dataclass(frozen=True, eq=False)
class MomentIndex:
    """An index to search in. Vectors stay on disk and are read as they are needed."""

    folder: Path
    head: IndexHead
    entries: tuple[Entry, ...]

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The first row of each entry, and the number of all rows behind the last: (V + 1,)."""
        return np.concatenate([[0], np.cumsum([entry.rows for entry in self.entries], dtype=np.int64)]).astype(np.int64)

    def __len__(self) -> int:
        return int(self.starts[-1])

    @cached_property
    def vectors(self) -> NDArray[np.float32]:
        """(N, D), on disk; copied where somebody writes."""
        return self._map(VECTORS, "<f4", (len(self), self.head.dimension))

    @cached_property
    def squares(self) -> NDArray[np.float32]:
        """(N,) squared lengths of the vectors, computed when they are first needed."""
        return squares_of(self.vectors)

    @cached_property
    def times(self) -> NDArray[np.float64]:
        """(N,) seconds."""
        return self._map(TIMES, "<f8", (len(self),))

    @cached_property
    def live(self) -> NDArray[np.bool_]:
        """(V,) whether an entry counts: a video that was indexed again has its last entry."""
        last = {entry.video: number for number, entry in enumerate(self.entries)}
        return np.array([last[entry.video] == number for number, entry in enumerate(self.entries)], dtype=bool)

    @property
    def videos(self) -> list[Entry]:
        """The entries that count."""
        return [entry for entry, lives in zip(self.entries, self.live, strict=True) if lives]

    def _map(self, name: str, kind: str, shape: tuple[int, ...]) -> NDArray[Any]:
        if not np.prod(shape):
            return np.empty(shape, dtype=kind)
        return np.memmap(self.folder / name, dtype=kind, mode="c", shape=shape)


def open_index(folder: str | Path) -> MomentIndex:
    """Open an index to read. What a stranger wrote is checked: names, sizes, that the files hold what is listed.

    >>> open_index("no-such-index")
    Traceback (most recent call last):
    actor_observer.errors.UserError: no-such-index: no index there (see: actor-observer index --help)
    """
    folder = Path(folder)
    if not (folder / HEAD).is_file():
        raise UserError(f"{folder}: no index there (see: actor-observer index --help)")
    head = read_head(folder)
    entries, _ = read_entries(folder)
    for name, needed in needed_bytes(head, entries).items():
        there = (folder / name).stat().st_size if (folder / name).is_file() else 0
        if there < needed:
            raise UserError(f"{folder / name}: damaged, {there} bytes where {needed} are listed; index anew")
    return MomentIndex(folder, head, entries)


def needed_bytes(head: IndexHead, entries: tuple[Entry, ...]) -> dict[str, int]:
    """Bytes that each file has to have for these entries."""
    rows = sum(entry.rows for entry in entries)
    return {name: size * rows for name, size in head.row_bytes.items()}


def head_text(head: IndexHead) -> str:
    """What stands in index.json."""
    return json.dumps({"format": FORMAT, **asdict(head)}, indent=1, ensure_ascii=False) + "\n"


def read_head(folder: Path) -> IndexHead:
    """What the index says of itself, checked."""
    path = folder / HEAD
    try:
        told = json.loads(path.read_bytes()[: 1 << 16])
        if told.pop("format") != FORMAT:
            raise ValueError(f"not the format {FORMAT!r}")
        name, fingerprint = printable(told["model"]["name"]), printable(told["model"]["fingerprint"])
        head = IndexHead(Identity(name, fingerprint), told["dimension"], float(told["rate"]))
        if type(head.dimension) is not int or not 1 <= head.dimension <= MOST:
            raise ValueError(f"vectors of {head.dimension} numbers")
        if not 0 < head.rate < 1e6:
            raise ValueError(f"{head.rate} moments a second")
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UserError(f"{path}: not the head of an index ({' '.join(str(error).split())[:100]})") from None
    return head


def read_entries(folder: Path) -> tuple[tuple[Entry, ...], int]:
    """The videos listed, and how many bytes of the list are whole lines."""
    path = folder / VIDEOS
    text = path.read_bytes() if path.is_file() else b""
    whole = text.rfind(b"\n") + 1
    return tuple(_entries(path, text[:whole])), whole


def _entries(path: Path, text: bytes) -> Iterator[Entry]:
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            entry = Entry(**json.loads(line))
            wrong = wrong_with(entry)
        except (ValueError, TypeError) as error:
            wrong = " ".join(str(error).split())[:100]
        if wrong:
            raise UserError(f"{path} line {number}: damaged ({wrong})")
        yield entry


def wrong_with(entry: Entry) -> str:
    """Why an entry cannot be one; nothing where it can."""
    for text, least in ((entry.video, 1), (entry.subject, 0), (entry.content, 0)):
        if type(text) is not str or not least <= len(text) <= LONGEST or not text.isprintable():
            return "a name that cannot be one"
    if entry.view not in get_args(View):
        return "a view that is none"
    if type(entry.rows) is not int or not 1 <= entry.rows <= MOST:
        return "a number of moments that cannot be"
    if type(entry.size) is not int or type(entry.changed) is not int or type(entry.is_file) is not bool:
        return "a size or date that is none"
    rate = entry.frame_rate
    return "" if rate is None or (type(rate) in (int, float) and 0 < rate < 1e6) else "a rate that is none"


def printable(text: str) -> str:
    r"""Text from a stranger, fit for a terminal.

    >>> printable("runs/\x1b[2Jfirst")
    'runs/?[2Jfirst'
    """
    return "".join(letter if letter.isprintable() else "?" for letter in str(text)[:LONGEST])

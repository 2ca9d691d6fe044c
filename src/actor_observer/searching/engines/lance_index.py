"""The engine for many machines: tables of LanceDB, in a folder or an object store (s3://…).

`moments` has a row for each moment, `videos` one for each video, written after its moments are: a process that ends
in between leaves moments that no video owns; they are never found, and the next append removes them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actor_observer.errors import UserError, first_line, missing_extra
from actor_observer.features.identity import Identity
from actor_observer.searching.engines import engine_at
from actor_observer.searching.engines.engine import Filter, Moments, Near
from actor_observer.searching.engines.entries import Entry, IndexHead, wrong_with
from actor_observer.searching.engines.index_files import checksum

__all__ = [
    "MOMENTS",
    "VIDEOS",
    "LanceIndex",
    "lancedb",
    "open_lance_index",
    "speaking",
]

MOMENTS, VIDEOS = "moments", "videos"
PROBES, REFINE = 128, 64  # cells searched; candidates for each answer that are measured exactly
FEW = 20_000  # moments that are all compared where a filter leaves no more

REASONS = {  # what an object store answers, in our words
    "AccessDenied": "you have no rights there",
    "Forbidden": "you have no rights there",
    "lacked the necessary privileges": "you have no rights there",
    "InvalidAccessKeyId": "the store does not know your key",
    "SignatureDoesNotMatch": "the store does not accept your key",
    "NoSuchBucket": "there is no such bucket",
}


@dataclass(frozen=True, eq=False)
class LanceIndex:
    """An index in LanceDB, open to be searched."""

    place: str
    head: IndexHead
    numbered: dict[int, Entry]  # by number; a video that was indexed again has two until the older is removed
    moments: Any

    @property
    def folder(self) -> Path:
        return Path(self.place)

    @cached_property
    def live(self) -> dict[int, Entry]:
        """The entries that count: of a video that was indexed again, the last."""
        last = {entry.video: number for number, entry in sorted(self.numbered.items())}
        return {number: self.numbered[number] for number in sorted(last.values())}

    @property
    def videos(self) -> list[Entry]:
        return [*self.live.values()]

    def __len__(self) -> int:
        return sum(entry.rows for entry in self.live.values())

    def nearest(self, vector: NDArray[np.float32], filter: Filter, top: int) -> list[Near]:
        """The `top` moments nearest to a vector (D,) among the videos that pass the filter, nearest first."""
        chosen = {number: entry for number, entry in self.live.items() if filter.matches(entry)}
        many = sum(entry.rows for entry in chosen.values())
        if not many:
            return []
        if many > FEW:
            probes = PROBES * len(self) // many  # what passes a narrow filter lies further away
            found = self._ask(vector, filter, chosen, top, probes)
            if len(found) >= min(top, many):
                return found
        return self._ask(vector, filter, chosen, min(top, many), probes=None)

    def _ask(
        self, vector: NDArray[np.float32], filter: Filter, chosen: dict[int, Entry], count: int, probes: int | None
    ) -> list[Near]:
        """The nearest in so many cells; None: of all."""
        with speaking(self.place, "cannot be searched"):
            query = self.moments.search(vector).distance_type("l2").limit(count).select(["time", "number", "_distance"])
            query = query.bypass_vector_index() if probes is None else query.nprobes(probes).refine_factor(REFINE)
            where = self._where(filter, chosen)
            rows = (query.where(where, prefilter=True) if where else query).to_arrow().to_pydict()
        near = zip(rows["number"], rows["time"], rows["_distance"], strict=True)
        return [Near(chosen[number], time, max(squared, 0.0) ** 0.5) for number, time, squared in near]

    def _where(self, filter: Filter, chosen: dict[int, Entry]) -> str:
        """The filter in SQL. Names are matched here, so SQL sees only numbers, the views, and quoted subjects."""
        if len(chosen) < len(self.live) and filter.video is not None:
            return f"number IN ({', '.join(map(str, chosen))})"
        said = []
        if filter.view is not None:
            said.append(f"view = '{filter.view}'")
        if filter.subject is not None:
            said.append("subject = '" + filter.subject.replace("'", "''") + "'")
        if dead := self.numbered.keys() - self.live.keys():
            said.append(f"number NOT IN ({', '.join(map(str, sorted(dead)))})")
        said.append(f"number <= {max(self.numbered)}")  # moments whose video was never written down
        return " AND ".join(said)

    def all_moments(self) -> Iterator[Moments]:
        """Every video with its times and vectors."""
        for number, entry in self.live.items():
            with speaking(self.place, "cannot be read"):
                rows = self.moments.search().where(f"number = {number}").limit(None).to_arrow().sort_by("time")
                vectors = rows["vector"].combine_chunks().flatten().to_numpy().reshape(-1, self.head.dimension)
                times, vectors = rows["time"].to_numpy(), np.asarray(vectors, dtype=np.float32)
            if entry.rows_check not in (None, checksum(vectors, times)):
                raise UserError(f"{self.place}: damaged, the moments of {entry.name} are not those that were written")
            yield entry, times, vectors


def open_lance_index(place: str | Path) -> LanceIndex:
    """Open an index in a folder or an object store.

    >>> open_lance_index("no-such-folder")
    Traceback (most recent call last):
    actor_observer.errors.UserError: no-such-folder: no index there (see: actor-observer convert --help)
    """
    if engine_at(place) != "lance":
        raise UserError(f"{place}: no index there (see: actor-observer convert --help)")
    with speaking(place, "cannot be opened"):
        database = lancedb().connect(str(place))
        if not {MOMENTS, VIDEOS} <= {*database.list_tables().tables}:
            raise UserError(f"{place}: no index there (see: actor-observer convert --help)")
        videos, moments = database.open_table(VIDEOS), database.open_table(MOMENTS)
        rows = videos.to_arrow().to_pydict()
        head = _head(place, videos.schema.metadata)
    entries = {}
    for number, text in sorted(zip(rows["number"], rows["entry"], strict=True)):
        entries[number] = _entry(place, text)
    return LanceIndex(str(place), head, entries, moments)


def _head(place: str | Path, told: Any) -> IndexHead:
    try:
        head = json.loads(told[b"head"])
        model = Identity(str(head["model"]["name"]), str(head["model"]["fingerprint"]))
        return IndexHead(model, int(head["dimension"]), float(head["moment_rate"]))
    except (KeyError, TypeError, ValueError):
        raise UserError(f"{place}: the tables there are not an index of actor-observer") from None


def _entry(place: str | Path, text: str) -> Entry:
    try:
        entry = Entry(**json.loads(text))
        if wrong := wrong_with(entry):
            raise ValueError(wrong)
        return entry
    except (TypeError, ValueError) as error:
        raise UserError(f"{place}: damaged ({first_line(error)[:100]}); convert again into a new place") from None


def lancedb() -> Any:
    """The module lancedb, or one line that says how to install it."""
    try:
        return import_module("lancedb")
    except ImportError:
        raise missing_extra("an index of LanceDB", "lance") from None


@contextmanager
def speaking(place: str | Path, what: str) -> Iterator[None]:
    """Turn what LanceDB raises (no rights, no such bucket, a damaged table) into one line.

    >>> with speaking("s3://bucket/moments", "cannot be opened"):
    ...     raise OSError("LanceError(IO): The operation lacked the necessary privileges: AccessDenied")
    Traceback (most recent call last):
    actor_observer.errors.UserError: s3://bucket/moments: cannot be opened (you have no rights there)
    """
    try:
        yield
    except UserError:
        raise
    except BaseException as error:
        panicked = "Panic" in type(error).__name__  # in Rust, over a damaged table; one kind is no `Exception`
        if not panicked and not isinstance(error, RuntimeError | ValueError | OSError):
            raise
        text = "damaged" if panicked else str(error)
        why = next((why for sign, why in REASONS.items() if sign in text), text[:160].partition("\n")[0])
        raise UserError(f"{place}: {what} ({why})") from error

"""Put the parts of a job together: the result is that of one run, whatever the order of the parts."""

from __future__ import annotations

import json
import os
import shutil
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from actor_observer.console import counted
from actor_observer.disk import write_whole
from actor_observer.errors import UserError
from actor_observer.features.on_disk.join import join_embeddings
from actor_observer.searching.engines.flat_index import FlatIndex, open_index
from actor_observer.searching.engines.index_writer import IndexWriter, write_index
from actor_observer.shards import NOTE, PartNote, all_parts, refuse_damaged

__all__ = ["Merged", "merge"]

Notes = Mapping[Path, PartNote]


@dataclass(frozen=True)
class Merged:
    """What `merge` did.

    >>> print(Merged(Path("all.safetensors"), "embed", parts=64, items=2000, faults=()))
    all.safetensors: 64 parts of embed, 2000 items
    """

    path: Path
    job: str
    parts: int
    items: int
    faults: tuple[str, ...]  # what the parts left out

    def __str__(self) -> str:
        missing = f", {len(self.faults)} left out" if self.faults else ""
        return f"{self.path}: {counted(self.parts, 'part')} of {self.job}, {counted(self.items, 'item')}{missing}"

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        told = {"path": str(self.path), "job": self.job, "parts": self.parts, "items": self.items}
        return {**told, "faults": [*self.faults]}


def merge(parts: Sequence[str | Path], out: str | Path) -> Merged:
    """Put together what a command made in parts, with `--shard`. Killed, call it again.

    >>> merge(["no-such-part"], "all")
    Traceback (most recent call last):
    actor_observer.errors.UserError: no-such-part: no such file or folder
    """
    notes, out = all_parts([Path(part) for part in parts]), Path(out)
    job = next(iter(notes.values())).job
    if job not in WAYS:
        raise UserError(f"{job}: no such job; these parts were made by another version of actor-observer")
    if any(part.resolve() == out.resolve() for part in notes):
        raise UserError(f"{out}: is one of the parts; use another --out")
    places = {name: place for note in notes.values() for name, place in note.places().items()}
    order = sorted(
        ((part, name) for part, note in notes.items() for name in note.done), key=lambda item: places[item[1]]
    )
    faults = tuple(fault for note in notes.values() for fault in note.faults)
    if not order:
        raise UserError(f"nothing to merge: no part could read anything{f'; {faults[0]}' if faults else ''}")
    try:
        for part, note in notes.items():
            refuse_damaged(part, note)
        WAYS[job](notes, order, out)
    except OSError as error:
        raise UserError(f"{error.filename or out}: {error.strerror or error}") from error
    return Merged(out, job, len(notes), len(order), faults)


Order = Sequence[tuple[Path, str]]  # each item with the part that has it, in the order of one run


def _embeddings(notes: Notes, order: Order, out: Path) -> None:
    try:
        join_embeddings(order, out)
    except (KeyError, ValueError, TypeError, struct.error) as error:
        raise UserError(f"a part does not hold what its note says ({error}); run its command again") from error


def _index(notes: Notes, order: Order, out: Path) -> None:
    """Entries one after the other through the writer of all indexes; those that a killed merge wrote are kept."""
    opened = {part: open_index(part) for part in notes if (part / "index.json").exists()}
    entries = {
        part: {entry.video: number for number, entry in enumerate(index.entries)} for part, index in opened.items()
    }
    head = next(iter(opened.values())).head
    with write_index(out, head) as writer:
        for part, name in order:
            if part not in opened or name not in entries[part]:
                raise UserError(f"{part}: {name} is missing from it; run this part's command again")
            _copy_entry(opened[part], entries[part][name], writer)


def _copy_entry(index: FlatIndex, number: int, writer: IndexWriter) -> None:
    entry, rows = index.entries[number], slice(index.starts[number], index.starts[number + 1])
    known = writer.known.get(entry.video)
    if known != entry:
        writer.add(entry, index.times[rows], index.vectors[rows])


def _lines(notes: Notes, order: Order, out: Path) -> None:
    lines: dict[tuple[Path, str], bytes] = {}
    for part in notes:
        for line in part.read_bytes().splitlines(keepends=True):
            try:
                lines[part, json.loads(line)["id"]] = line
            except (ValueError, KeyError, TypeError):
                raise UserError(f"{part}: damaged; run this part's command again") from None
    for part, name in order:
        if (part, name) not in lines:
            raise UserError(f"{part}: {name} is missing from it; run this part's command again")
    out.parent.mkdir(parents=True, exist_ok=True)
    write_whole(out, b"".join(lines[item] for item in order))


def _folders(notes: Notes, order: Order, out: Path) -> None:
    """The files of all parts in one folder; those that several parts have must be the same in all."""
    for part, name in order:
        for file in (part / "videos" / f"{name}.mp4", part / "truth" / f"{name}.npz"):
            if not file.is_file():
                raise UserError(f"{part}: {file.name} is missing from it; run this part's command again")
    for part in notes:
        for file in sorted(path for path in part.rglob("*") if path.is_file()):
            place = out / file.relative_to(part)
            if file.name == NOTE or file.suffix == ".part":
                continue
            if not place.exists():
                _put(file, place)
            elif not _same(file, place):
                raise UserError(f"{place}: there is another file of this name; use another --out")


def _put(file: Path, place: Path) -> None:
    """A link where the disk allows it, else a copy, whole or not at all."""
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(file, place)
    except OSError:
        beside = place.with_name(f".{place.name}.part")
        shutil.copyfile(file, beside)
        beside.replace(place)


def _same(one: Path, other: Path) -> bool:
    return one.samefile(other) or (
        one.stat().st_size == other.stat().st_size and one.read_bytes() == other.read_bytes()
    )


WAYS: dict[str, Callable[[Notes, Order, Path], None]] = {
    "embed": _embeddings,
    "index": _index,
    "align": _lines,
    "audit": _lines,
    "playhouse": _folders,
}

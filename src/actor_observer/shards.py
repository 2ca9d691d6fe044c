"""Work in parts: which items a part has, the note it leaves, and what `merge` needs to put the parts together again."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from actor_observer.console import say
from actor_observer.disk import write_whole
from actor_observer.disk.sealed_json import read_sealed_json, sealed_json
from actor_observer.disk.sums import DIGITS, sum_of, sum_of_file
from actor_observer.errors import UserError

__all__ = ["PartNote", "Shard", "all_parts", "done_before", "keep_line", "read_note", "refuse_damaged", "write_note"]

FORMAT = "actor-observer part 2"
NOTE = "shard.json"  # in a folder; beside a file: FILE.shard.json
MOST_SHARDS = 1_000_000  # a mistyped number, beyond that

Item = TypeVar("Item")


@dataclass(frozen=True)
class Shard:
    """One part of a job's items: every `count`-th, from the `number`-th on.

    >>> Shard(2, 3).of("abcdefg")
    ['b', 'e']
    """

    number: int  # from 1
    count: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read "3/64".

        >>> Shard.parse("3/64")
        Shard(number=3, count=64)
        >>> Shard.parse("0/4")
        Traceback (most recent call last):
        actor_observer.errors.UserError: --shard 0/4: shards are counted from 1, so use 1/4 to 4/4
        """
        found = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text)
        if not found:
            raise UserError(f"--shard {text}: say which part of how many, such as 3/64")
        number, count = int(found[1]), int(found[2])
        if not 1 <= count <= MOST_SHARDS:
            raise UserError(f"--shard {text}: use 1 to {MOST_SHARDS} parts")
        if not 1 <= number <= count:
            raise UserError(f"--shard {text}: shards are counted from 1, so use 1/{count} to {count}/{count}")
        return cls(number, count)

    def of(self, items: Sequence[Item]) -> list[Item]:
        """The items of this part, in their order."""
        return [*items[self.number - 1 :: self.count]]

    def place(self, nth: int) -> int:
        """Where this part's n-th item (from 0) is among all items.

        >>> Shard(2, 3).place(1)
        4
        """
        return self.number - 1 + nth * self.count

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"


@dataclass(frozen=True)
class PartNote:
    """What a finished part says about itself.

    >>> PartNote("embed", Shard(1, 2), ("a", "c"), done=("a",), plan="93ab").places()
    {'a': 0, 'c': 2}
    """

    job: str  # the command: embed, index, playhouse, align
    shard: Shard
    items: tuple[str, ...]  # this part's, in order
    done: tuple[str, ...]  # of the items: those that could be read
    plan: str  # digest of all items and of the settings: parts of one job share it
    faults: tuple[str, ...] = ()  # one line for each item that was left out
    sums: dict[str, str] = field(default_factory=dict)  # of the part's files that carry none of their own, by name

    @classmethod
    def of(
        cls,
        job: str,
        shard: Shard,
        names: Sequence[str],  # of all items
        settings: object,  # plain values for JSON
        done: Iterable[str],
        faults: Iterable[object] = (),
    ) -> PartNote:
        """The note of a part of a job whose items are all these names.

        >>> PartNote.of("embed", Shard(2, 2), ["a", "b", "c"], {"rate": 6}, done=["b"]).items
        ('b',)
        """
        plan = hashlib.blake2b(json.dumps([job, settings, [*names]]).encode(), digest_size=8).hexdigest()
        return cls(job, shard, tuple(shard.of(names)), tuple(done), plan, tuple(map(str, faults)))

    def places(self) -> dict[str, int]:
        """Where each item of this part is among all items of the job."""
        return {name: self.shard.place(nth) for nth, name in enumerate(self.items)}


def note_path(part: Path) -> Path:
    """Where the note of a part is: in its folder, or beside its file."""
    return part / NOTE if part.is_dir() else part.with_name(f"{part.name}.{NOTE}")


def write_note(part: Path, note: PartNote, files: Iterable[Path] = ()) -> None:
    """Write a part's note, with the sums of these files; it is the last thing that a part does.

    >>> import tempfile
    >>> part = Path(tempfile.mkdtemp())
    >>> write_note(part, PartNote("index", Shard(1, 1), ("a",), ("a",), "93ab"))
    >>> read_note(part).items
    ('a',)
    """
    try:
        path = note_path(part)
        path.parent.mkdir(parents=True, exist_ok=True)
        note = replace(note, sums={str(file.relative_to(path.parent)): sum_of_file(file) for file in files})
        write_whole(path, sealed_json({"format": FORMAT, **asdict(note)}))
    except OSError as error:
        raise UserError(f"{note_path(part)}: cannot be written ({error.strerror or error})") from None


def read_note(part: Path) -> PartNote:
    """The note of a part, checked.

    >>> read_note(Path("no-such-part"))
    Traceback (most recent call last):
    actor_observer.errors.UserError: no-such-part: no such file or folder
    """
    if not part.exists():
        raise UserError(f"{part}: no such file or folder")
    path = note_path(part)
    try:
        told = read_sealed_json(path.read_bytes())
        if told["format"] != FORMAT:
            raise ValueError(f"not the format {FORMAT!r}")
        shard = Shard.parse(f"{int(told['shard']['number'])}/{int(told['shard']['count'])}")
        items, done, faults = (_names(told[key]) for key in ("items", "done", "faults"))
        if not set(done) <= set(items):
            raise ValueError("it has done what was not its own")
        sums = {str(name): str(text) for name, text in told["sums"].items()}
        return PartNote(str(told["job"]), shard, items, done, str(told["plan"]), faults, sums)
    except FileNotFoundError:
        raise UserError(
            f"{part}: not a finished part of a job (no {path.name}); run its command again, with its --shard"
        ) from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UserError(f"{path}: damaged, or of an earlier version; run this part's command again") from None


def refuse_damaged(part: Path, note: PartNote) -> None:
    """Refuse a part whose files are not those that it wrote."""
    for name, wanted in note.sums.items():
        file = note_path(part).parent / name
        if not file.is_file():
            raise UserError(f"{part}: {name} is missing from it; run this part's command again")
        if sum_of_file(file) != wanted:
            raise UserError(f"{file}: damaged, not as it was written; remove it and run this part's command again")


def all_parts(parts: Sequence[Path]) -> dict[Path, PartNote]:
    """The notes of all parts of one job, in the order of their numbers; missing ones are named.

    >>> all_parts([])
    Traceback (most recent call last):
    actor_observer.errors.UserError: merge needs the parts of a job (see: actor-observer merge --help)
    """
    if not parts:
        raise UserError("merge needs the parts of a job (see: actor-observer merge --help)")
    notes = {part: read_note(part) for part in dict.fromkeys(parts)}
    first, *others = notes.items()
    holders: dict[int, Path] = {first[1].shard.number: first[0]}
    for part, note in others:
        if (note.job, note.plan, note.shard.count) != (first[1].job, first[1].plan, first[1].shard.count):
            raise UserError(f"{first[0]} and {part} are not parts of one job: other items, settings or number of parts")
        if (other := holders.setdefault(note.shard.number, part)) != part:
            raise UserError(f"{other} and {part} are both part {note.shard}: leave one out")
    count = first[1].shard.count
    missing = [f"{number}/{count}" for number in range(1, count + 1) if number not in holders]
    if missing:
        some = ", ".join(missing[:20]) + (f", … ({len(missing)} in all)" if len(missing) > 20 else "")
        raise UserError(f"{len(missing)} of {count} parts missing: {some}")
    return {holders[number]: notes[holders[number]] for number in sorted(holders)}


def keep_line(file: BinaryIO, line: bytes) -> None:
    """Add one item's JSON line to a file that `done_before` reads, behind its sum; it is on disk at once."""
    file.write(f"{sum_of(line)} ".encode() + line)
    file.flush()


def done_before(path: Path) -> dict[str, bytes]:
    """The whole lines of an interrupted job by id, each behind its sum; items of others are done again.

    >>> done_before(Path("no-such-file"))
    {}
    """
    kept = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    whole = [line for line in kept if line[:DIGITS] == sum_of(line[DIGITS + 1 :]).encode()]
    if len(whole) < len(kept):
        if len(whole) < len([line for line in kept if line.endswith(b"\n")]):  # not just the half line of a kill
            say(f"{path}: damaged; what it had of some items is made again", error=True)
        write_whole(path, b"".join(whole))
    return {json.loads(line[DIGITS + 1 :])["id"]: line[DIGITS + 1 :] for line in whole}


def _names(told: Any) -> tuple[str, ...]:
    if not isinstance(told, list) or not all(type(name) is str for name in told):
        raise ValueError("a list of names is not one")
    return tuple(told)

"""Marks: moments that both videos of a pair show, as people set, moved and deleted them; with undo and redo."""

from __future__ import annotations

import json
import math
import re
import sqlite3
import time
from dataclasses import asdict, dataclass, field
from typing import Any

from actor_observer.errors import UserError
from actor_observer.web.store.database import Database, Row

__all__ = ["Mark", "Marks", "Said"]

MOST = 2000  # marks of one person in one pair
LABEL, COMMENT = 200, 2000  # characters
_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")
_SAYS = ("third", "first", "third_end", "first_end", "label", "comment")
_SET = ", ".join(f"{name} = :{name}" for name in _SAYS)


@dataclass(frozen=True)
class Said:
    """What a mark says: where the moment is in each video, in seconds; its end where it is a stretch; words."""

    third: float
    first: float
    third_end: float | None = None
    first_end: float | None = None
    label: str = ""
    comment: str = ""

    def check(self) -> None:
        """Refuse times that are none, ends before their beginning, and words that are too long."""
        ends = (self.third_end, self.first_end)
        times = (self.third, self.first, *(end for end in ends if end is not None))
        if not all(math.isfinite(time) and 0 <= time < 1e6 for time in times):
            raise UserError("A mark needs an id and two times in seconds.")
        if (ends[0] is None) != (ends[1] is None):
            raise UserError("A stretch needs its end in both videos.")
        if ends[0] is not None and ends[1] is not None and (ends[0] <= self.third or ends[1] <= self.first):
            raise UserError("A stretch ends after it begins, in both videos.")
        if len(self.label) > LABEL or len(self.comment) > COMMENT:
            raise UserError(f"A label has at most {LABEL} characters, a comment {COMMENT}.")


@dataclass(frozen=True)
class Mark:
    """A moment at a third-person and a first-person time, in seconds, and what was said about it."""

    id: str
    person: int
    third: float
    first: float
    third_end: float | None = None
    first_end: float | None = None
    label: str = ""
    comment: str = ""
    changed: float = field(default=0.0, compare=False)  # when, in seconds since 1970


class Marks:
    """Reads and writes the marks of pairs. Every change is one transaction that also remembers how to undo it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._stamps: tuple[int, dict[str, tuple[int, float]]] = (-1, {})  # at a version of the database

    def of(self, pair: str, person: int | None = None) -> list[Mark]:
        """The marks of a pair in order of time, of everybody or of one person."""
        who, values = ("AND person = ?", (pair, person)) if person is not None else ("", (pair,))
        rows = self._database.read(f"SELECT * FROM marks WHERE pair = ? AND gone = 0 {who} ORDER BY third", values)
        return [_mark(row) for row in rows]

    def stamps(self) -> dict[str, tuple[int, float]]:
        """For each pair how many marks it has and when one last changed: another stamp means other marks."""
        version, known = self._database.version, self._stamps
        if known[0] == version:
            return known[1]
        rows = self._database.read("SELECT pair, count(*), max(changed) FROM marks WHERE gone = 0 GROUP BY pair")
        found = {pair: (count, last) for pair, count, last in rows}
        self._stamps = (version, found)
        return found

    def everybodys(self) -> dict[str, list[Mark]]:
        """All marks, by pair."""
        found: dict[str, list[Mark]] = {}
        for row in self._database.read("SELECT * FROM marks WHERE gone = 0 ORDER BY pair, third"):
            found.setdefault(row["pair"], []).append(_mark(row))
        return found

    def add(self, pair: str, person: int, id: str, said: Said) -> None:
        """Add a mark under an id that the page made: sent twice, it is added once."""
        _check(id, said)
        now = time.time()
        with self._database.write() as connection:
            if connection.execute("SELECT 1 FROM marks WHERE id = ?", (id,)).fetchone():
                return
            (count,) = connection.execute(
                "SELECT count(*) FROM marks WHERE pair = ? AND person = ? AND gone = 0", (pair, person)
            ).fetchone()
            if count >= MOST:
                raise UserError(f"This pair has {MOST} marks of yours already: delete some first.")
            columns = ("id", "pair", "person", "made", "changed", *_SAYS)
            connection.execute(
                f"INSERT INTO marks ({', '.join(columns)}) VALUES ({', '.join(f':{name}' for name in columns)})",
                {"id": id, "pair": pair, "person": person, "made": now, "changed": now, **asdict(said)},
            )
            _step(connection, pair, person, id, None, said)

    def change(self, pair: str, person: int, id: str, **said: Any) -> None:
        """Move one's own mark, or change what it says; what is not named stays."""
        with self._database.write() as connection:
            before = _said(_own(connection, pair, person, id))
            after = Said(**{**asdict(before), **said})
            _check(id, after)
            _write(connection, id, after)
            _step(connection, pair, person, id, before, after)

    def delete(self, pair: str, person: int, id: str) -> None:
        """Delete one's own mark."""
        with self._database.write() as connection:
            row = _own(connection, pair, person, id)
            _write(connection, id, None)
            _step(connection, pair, person, id, _said(row), None)

    def undo(self, pair: str, person: int) -> bool:
        """Take back the person's last step in this pair; False where there is none."""
        return self._turn(pair, person, "done", "undone", "DESC", "before")

    def redo(self, pair: str, person: int) -> bool:
        """Do again what was last undone; False where there is nothing."""
        return self._turn(pair, person, "undone", "done", "ASC", "after")

    def _turn(self, pair: str, person: int, state: str, becomes: str, order: str, side: str) -> bool:
        with self._database.write() as connection:
            row = connection.execute(
                f"SELECT * FROM mark_steps WHERE pair = ? AND person = ? AND state = ? ORDER BY number {order} LIMIT 1",
                (pair, person, state),
            ).fetchone()
            if row is None:
                return False
            _write(connection, row["mark"], _remembered(connection, row["mark"], row[side]))
            connection.execute("UPDATE mark_steps SET state = ? WHERE number = ?", (becomes, row["number"]))
            return True


def _write(connection: sqlite3.Connection, id: str, said: Said | None) -> None:
    """A mark as it now is; None deletes it."""
    if said is None:
        connection.execute("UPDATE marks SET gone = 1, changed = ? WHERE id = ?", (time.time(), id))
    else:
        values = {"id": id, "now": time.time(), **asdict(said)}
        connection.execute(f"UPDATE marks SET gone = 0, {_SET}, changed = :now WHERE id = :id", values)


def _remembered(connection: sqlite3.Connection, id: str, text: str | None) -> Said | None:
    """What a step remembers of a mark; the version before remembered two times alone."""
    if not text:
        return None
    found = json.loads(text)
    if isinstance(found, dict):
        return Said(**found)
    row = connection.execute("SELECT * FROM marks WHERE id = ?", (id,)).fetchone()
    third, first = found
    return Said(third, first, label=row["label"], comment=row["comment"])


def _step(
    connection: sqlite3.Connection, pair: str, person: int, id: str, before: Said | None, after: Said | None
) -> None:
    connection.execute(
        "UPDATE mark_steps SET state = 'dropped' WHERE pair = ? AND person = ? AND state = 'undone'", (pair, person)
    )
    texts = [json.dumps(asdict(said)) if said else None for said in (before, after)]
    connection.execute(
        "INSERT INTO mark_steps (pair, person, mark, before, after) VALUES (?, ?, ?, ?, ?)", (pair, person, id, *texts)
    )


def _own(connection: sqlite3.Connection, pair: str, person: int, id: str) -> Row:
    row = connection.execute("SELECT * FROM marks WHERE id = ? AND pair = ?", (id, pair)).fetchone()
    if row is None or row["gone"]:
        raise UserError("This mark was deleted meanwhile, perhaps in another tab; what you see now is up to date.")
    if row["person"] != person:
        raise UserError("This mark is somebody else's: only they can change it.")
    found: Row = row
    return found


def _check(id: str, said: Said) -> None:
    if not _ID.fullmatch(id):
        raise UserError("A mark needs an id and two times in seconds.")
    said.check()


def _said(row: Row) -> Said:
    return Said(**{name: row[name] for name in _SAYS})


def _mark(row: Row) -> Mark:
    said = {name: row[name] for name in _SAYS}
    return Mark(row["id"], row["person"], **said, changed=row["changed"])

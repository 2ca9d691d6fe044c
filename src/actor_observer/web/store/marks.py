"""Marks: moments that both videos of a pair show, as people set, moved and deleted them; with undo and redo."""

from __future__ import annotations

import json
import math
import re
import sqlite3
import time
from dataclasses import dataclass

from actor_observer.errors import UserError
from actor_observer.web.store.database import Database, Row

__all__ = ["Mark", "Marks"]

MOST = 2000  # marks of one person in one pair
_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")


@dataclass(frozen=True)
class Mark:
    """A moment at a third-person and a first-person time, in seconds."""

    id: str
    person: int
    third: float
    first: float


class Marks:
    """Reads and writes the marks of pairs. Every change is one transaction that also remembers how to undo it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, pair: str, person: int | None = None) -> list[Mark]:
        """The marks of a pair in order of time, of everybody or of one person."""
        who, values = ("AND person = ?", (pair, person)) if person is not None else ("", (pair,))
        rows = self._database.read(f"SELECT * FROM marks WHERE pair = ? AND gone = 0 {who} ORDER BY third", values)
        return [_mark(row) for row in rows]

    def counts(self) -> dict[str, int]:
        """How many marks each pair has."""
        rows = self._database.read("SELECT pair, count(*) AS marks FROM marks WHERE gone = 0 GROUP BY pair")
        return {row["pair"]: row["marks"] for row in rows}

    def add(self, pair: str, person: int, id: str, third: float, first: float) -> None:
        """Add a mark under an id that the page made: sent twice, it is added once."""
        _check(id, third, first)
        now = time.time()
        with self._database.write() as connection:
            if connection.execute("SELECT 1 FROM marks WHERE id = ?", (id,)).fetchone():
                return
            (count,) = connection.execute(
                "SELECT count(*) FROM marks WHERE pair = ? AND person = ? AND gone = 0", (pair, person)
            ).fetchone()
            if count >= MOST:
                raise UserError(f"This pair has {MOST} marks of yours already: delete some first.")
            connection.execute(
                "INSERT INTO marks VALUES (?, ?, ?, ?, ?, ?, ?, 0)", (id, pair, person, third, first, now, now)
            )
            _step(connection, pair, person, id, None, (third, first))

    def move(self, pair: str, person: int, id: str, third: float, first: float) -> None:
        """Move one's own mark."""
        _check(id, third, first)
        with self._database.write() as connection:
            row = _own(connection, pair, person, id)
            connection.execute(
                "UPDATE marks SET third = ?, first = ?, changed = ? WHERE id = ?", (third, first, time.time(), id)
            )
            _step(connection, pair, person, id, (row["third"], row["first"]), (third, first))

    def delete(self, pair: str, person: int, id: str) -> None:
        """Delete one's own mark."""
        with self._database.write() as connection:
            row = _own(connection, pair, person, id)
            connection.execute("UPDATE marks SET gone = 1, changed = ? WHERE id = ?", (time.time(), id))
            _step(connection, pair, person, id, (row["third"], row["first"]), None)

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
            times = json.loads(row[side]) if row[side] else None
            if times is None:
                connection.execute("UPDATE marks SET gone = 1, changed = ? WHERE id = ?", (time.time(), row["mark"]))
            else:
                connection.execute(
                    "UPDATE marks SET gone = 0, third = ?, first = ?, changed = ? WHERE id = ?",
                    (*times, time.time(), row["mark"]),
                )
            connection.execute("UPDATE mark_steps SET state = ? WHERE number = ?", (becomes, row["number"]))
            return True


def _step(
    connection: sqlite3.Connection,
    pair: str,
    person: int,
    id: str,
    before: tuple[float, float] | None,
    after: tuple[float, float] | None,
) -> None:
    connection.execute(
        "UPDATE mark_steps SET state = 'dropped' WHERE pair = ? AND person = ? AND state = 'undone'", (pair, person)
    )
    texts = [json.dumps(times) if times else None for times in (before, after)]
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


def _check(id: str, third: float, first: float) -> None:
    if not _ID.fullmatch(id) or not all(math.isfinite(time) and 0 <= time < 1e6 for time in (third, first)):
        raise UserError("A mark needs an id and two times in seconds.")


def _mark(row: Row) -> Mark:
    return Mark(row["id"], row["person"], row["third"], row["first"])

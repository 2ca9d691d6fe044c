"""A queue of pairs to be marked: so many people for each, the next one for whoever asks, a reason for each skip."""

from __future__ import annotations

import time
from collections.abc import Container, Iterable
from typing import Any

from actor_observer.errors import UserError
from actor_observer.web.store.database import Database, Row

__all__ = ["Queue"]

MOST_PEOPLE = 50  # for one pair
REASON = 500  # characters
LEASE = 86400.0  # seconds after which a pair that somebody was given and left alone goes to another person
# Turns that count: those done, and those under way; who was chosen for a pair keeps it for as long as it takes.
_COUNTS = "(t.state = 'done' OR (t.state = 'given' AND (t.chosen OR t.changed > :fresh)))"


class Queue:
    """Reads and writes who marks which pair. A turn is one person's with one pair: given, done or skipped.

    >>> import tempfile; from pathlib import Path
    >>> queue = Queue(Database(Path(tempfile.mkdtemp())))
    >>> queue.put(["cup", "door"], wanted=1)
    >>> queue.next(7, {"cup", "door"}), queue.next(7, {"cup", "door"}), queue.next(8, {"cup", "door"})
    ('cup', 'cup', 'door')
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, pairs: Iterable[str], wanted: int) -> None:
        """Put pairs in the queue for so many people each; those that are in it get the new number."""
        if not 1 <= wanted <= MOST_PEOPLE:
            raise UserError(f"Give each pair 1 to {MOST_PEOPLE} people.")
        with self._database.write() as connection:
            connection.executemany(
                "INSERT INTO queue VALUES (?, ?, ?) ON CONFLICT (pair) DO UPDATE SET wanted = excluded.wanted",
                [(pair, wanted, time.time()) for pair in pairs],
            )

    def take_out(self, pairs: Iterable[str]) -> None:
        """Take pairs out of the queue; what people have done with them stays."""
        with self._database.write() as connection:
            for pair in pairs:
                connection.execute("DELETE FROM queue WHERE pair = ?", (pair,))
                connection.execute("DELETE FROM queue_turns WHERE pair = ? AND state = 'given'", (pair,))

    def assign(self, pairs: Iterable[str], person: int) -> None:
        """Choose who marks pairs, beside anybody whom the queue chooses; those not in it are put in for one person."""
        now = time.time()
        with self._database.write() as connection:
            for pair in pairs:
                connection.execute("INSERT OR IGNORE INTO queue VALUES (?, 1, ?)", (pair, now))
                connection.execute(
                    "INSERT INTO queue_turns VALUES (?, ?, 'given', '', 1, ?, ?) ON CONFLICT (pair, person) "
                    "DO UPDATE SET chosen = 1, state = CASE state WHEN 'skipped' THEN 'given' ELSE state END",
                    (pair, person, now, now),
                )

    def next(self, person: int, known: Container[str]) -> str | None:
        """The pair that a person is at, or a new one that still lacks people; None where nothing is left for them.

        Only `known` pairs are given: a recording may have been withdrawn, or be gone from the data.
        """
        now = time.time()
        values = {"person": person, "fresh": now - LEASE}
        with self._database.write() as connection:
            for row in connection.execute(_OWN, values).fetchall():
                if row["pair"] not in known:
                    continue
                if row["chosen"] or row["changed"] > now - LEASE or row["others"] < row["wanted"]:
                    return str(row["pair"])
                connection.execute("DELETE FROM queue_turns WHERE pair = ? AND person = ?", (row["pair"], person))
            for row in connection.execute(_FREE, values):
                if row["pair"] in known:
                    turn = (row["pair"], person, "given", "", 0, now, now)
                    connection.execute("INSERT INTO queue_turns VALUES (?, ?, ?, ?, ?, ?, ?)", turn)
                    return str(row["pair"])
        return None

    def done(self, pair: str, person: int) -> None:
        """Say that one has marked a pair; said twice, it counts once."""
        if not self._database.one(_WORK, {"pair": pair, "person": person}):
            raise UserError("You have marked nothing here: mark a moment first, or skip the pair and say why.")
        self._end(pair, person, "done", "")

    def skip(self, pair: str, person: int, reason: str) -> None:
        """Leave a pair to others, and say why."""
        reason = " ".join(reason.split())[:REASON]
        if not reason:
            raise UserError("Say why you skip this pair.")
        self._end(pair, person, "skipped", reason)

    def turn(self, pair: str, person: int) -> dict[str, Any] | None:
        """A person's turn with a pair of the queue, where they have one; None where the pair is not in it."""
        row = self._database.one(
            "SELECT q.wanted, t.state, t.reason FROM queue q LEFT JOIN queue_turns t "
            "ON t.pair = q.pair AND t.person = ? WHERE q.pair = ?",
            (person, pair),
        )
        return {"wanted": row["wanted"], "state": row["state"] or "", "reason": row["reason"] or ""} if row else None

    def rows(self) -> list[Row]:
        """Every pair of the queue, with how many have done it, skipped it, or are at it now."""
        return self._database.read(
            "SELECT q.pair, q.wanted, coalesce(sum(t.state = 'done'), 0) AS done, "
            "coalesce(sum(t.state = 'skipped'), 0) AS skipped, coalesce(sum(t.state = 'given'), 0) AS given, "
            "group_concat(nullif(t.reason, ''), '; ') AS reasons "
            "FROM queue q LEFT JOIN queue_turns t ON t.pair = q.pair GROUP BY q.pair ORDER BY q.rowid"
        )

    def people(self) -> list[Row]:
        """What each person has done: turns of pairs that are in the queue, and marks in all."""
        return self._database.read(
            "SELECT p.id, p.name, coalesce(sum(t.state = 'done'), 0) AS done, "
            "coalesce(sum(t.state = 'skipped'), 0) AS skipped, coalesce(sum(t.state = 'given'), 0) AS given, "
            "max(t.changed) AS changed, "
            "(SELECT count(*) FROM marks m WHERE m.person = p.id AND m.gone = 0) AS marks "
            "FROM people p LEFT JOIN queue_turns t ON t.person = p.id AND t.pair IN (SELECT pair FROM queue) "
            "WHERE p.role IN ('mark', 'owner') AND p.gone IS NULL GROUP BY p.id ORDER BY p.id"
        )

    def left(self, person: int, known: Container[str]) -> int:
        """How many pairs the queue still has for a person, the one they are at included."""
        values = {"person": person, "fresh": time.time() - LEASE}
        rows = [*self._database.read(_OWN, values), *self._database.read(_FREE, values)]
        return sum(row["pair"] in known for row in rows)

    def _end(self, pair: str, person: int, state: str, reason: str) -> None:
        now = time.time()
        with self._database.write() as connection:
            if not connection.execute("SELECT 1 FROM queue WHERE pair = ?", (pair,)).fetchone():
                raise UserError("This pair is not in the queue any more.")
            connection.execute(
                "INSERT INTO queue_turns VALUES (:pair, :person, :state, :reason, 0, :now, :now) "
                "ON CONFLICT (pair, person) DO UPDATE SET state = :state, reason = :reason, changed = :now",
                {"pair": pair, "person": person, "state": state, "reason": reason, "now": now},
            )


_OWN = f"""
    SELECT o.pair, o.chosen, o.changed, q.wanted,
        (SELECT count(*) FROM queue_turns t WHERE t.pair = o.pair AND t.person != :person AND {_COUNTS}) AS others
    FROM queue_turns o JOIN queue q ON q.pair = o.pair
    WHERE o.person = :person AND o.state = 'given' AND o.pair NOT IN (SELECT pair FROM reviews)
    ORDER BY o.chosen DESC, o.made, o.rowid"""
_FREE = f"""
    SELECT q.pair, q.wanted, count(t.person) AS taken FROM queue q
    LEFT JOIN queue_turns t ON t.pair = q.pair AND {_COUNTS}
    WHERE q.pair NOT IN (SELECT pair FROM queue_turns WHERE person = :person)
        AND q.pair NOT IN (SELECT pair FROM reviews)
    GROUP BY q.pair HAVING taken < q.wanted ORDER BY taken DESC, q.rowid"""
_WORK = """
    SELECT 1 FROM marks WHERE pair = :pair AND person = :person AND gone = 0
    UNION SELECT 1 FROM hand_clocks WHERE pair = :pair AND person = :person"""

"""Scripts, consents, assignments and recordings in the database."""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Iterable
from typing import Any

from actor_observer.errors import UserError
from actor_observer.web.collect.handout import Offer, choose
from actor_observer.web.settings import ScriptRow
from actor_observer.web.store.database import Database, Row

__all__ = ["Collection"]

_LETTERS = "ABCDEFGHJKLMNPQRSTVWXYZ0123456789"  # of ids, as Charades has them
ABOUT_PAIRS = ("marks", "mark_steps", "hand_clocks", "queue", "queue_turns", "reviews", "tags")  # tables


class Collection:
    """Reads and writes what is collected, other than the uploads themselves."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add_scripts(self, scripts: Iterable[ScriptRow], names: dict[str, str]) -> None:
        """Take in scripts; those that are known already stay as they are."""
        with self._database.write() as connection:
            connection.executemany(
                "INSERT OR IGNORE INTO scripts (text, classes, objects) VALUES (?, ?, ?)",
                [(row.text, ";".join(row.classes), row.objects) for row in scripts],
            )
            connection.executemany("INSERT OR REPLACE INTO class_names VALUES (?, ?)", list(names.items()))

    def class_names(self) -> dict[str, str]:
        """Names of the classes, by label."""
        return {row["label"]: row["name"] for row in self._database.read("SELECT * FROM class_names")}

    def consent(self, person: int) -> Row | None:
        """The consent that a person has given and not withdrawn."""
        return self._database.one(
            "SELECT * FROM consents WHERE person = ? AND withdrawn IS NULL ORDER BY id DESC LIMIT 1", (person,)
        )

    def give_consent(self, person: int, text: str) -> None:
        """Keep that a person has agreed, to which words, and when."""
        if self.consent(person) is None:
            with self._database.write() as connection:
                connection.execute(
                    "INSERT INTO consents (person, text, given) VALUES (?, ?, ?)", (person, text, time.time())
                )

    def current(self, person: int) -> Row | None:
        """The script that a person is working on."""
        return self._database.one(
            "SELECT a.*, s.text, s.classes, s.objects FROM assignments a JOIN scripts s ON s.id = a.script "
            "WHERE a.person = ? AND a.state = 'open' ORDER BY a.id DESC LIMIT 1",
            (person,),
        )

    def assignment(self, id: int, person: int) -> Row:
        """One of a person's own assignments."""
        row = self._database.one("SELECT * FROM assignments WHERE id = ? AND person = ?", (id, person))
        if row is None:
            raise UserError("This script was not given to you, or was withdrawn.")
        return row

    def hand_out(self, person: int, per_class: int) -> Row | None:
        """The person's open script, or a new one; None where they have had all."""
        if self.consent(person) is None:
            raise UserError("Please read and give your consent first.")
        now = self.current(person)
        if now is not None:
            return now
        scripts = self._database.read("SELECT * FROM scripts")
        given = self._database.read("SELECT * FROM assignments WHERE state != 'given up'")
        had = {
            row["script"] for row in self._database.read("SELECT script FROM assignments WHERE person = ?", (person,))
        }
        people = Counter(row["script"] for row in given)
        by_id = {row["id"]: _labels(row["classes"]) for row in scripts}
        counts = Counter(label for row in given for label in by_id.get(row["script"], ()))
        offers = [Offer(row["id"], by_id[row["id"]], people[row["id"]]) for row in scripts]
        chosen = choose(offers, counts, per_class, had, person)
        if chosen is None:
            return None
        with self._database.write() as connection:
            connection.execute(
                "INSERT INTO assignments (person, script, made) VALUES (?, ?, ?)", (person, chosen, time.time())
            )
        return self.current(person)

    def give_up(self, assignment: int) -> None:
        """Put a script back: somebody else may do it. What was recorded of it goes."""
        with self._database.write() as connection:
            connection.execute("UPDATE assignments SET state = 'given up', scene = '' WHERE id = ?", (assignment,))
            for table in ("recordings", "uploads"):
                connection.execute(f"DELETE FROM {table} WHERE assignment = ?", (assignment,))

    def describe(self, assignment: int, scene: str) -> None:
        """Keep where it was recorded."""
        with self._database.write() as connection:
            connection.execute("UPDATE assignments SET scene = ? WHERE id = ?", (scene[:80], assignment))

    def settle(self, assignment: int, verdict: str, done: bool) -> None:
        """Keep what `align` said of the two recordings, and whether the script is done."""
        with self._database.write() as connection:
            connection.execute(
                "UPDATE assignments SET verdict = ?, state = ? WHERE id = ?",
                (verdict, "done" if done else "open", assignment),
            )

    def recordings(self, assignment: int | None = None, person: int | None = None) -> list[Row]:
        """Recordings of an assignment, of a person, or all."""
        which = {"assignment": assignment, "person": person}
        asked = {name: value for name, value in which.items() if value is not None}
        where = " WHERE " + " AND ".join(f"{name} = ?" for name in asked) if asked else ""
        return self._database.read(f"SELECT * FROM recordings{where} ORDER BY made", list(asked.values()))

    def finished(self) -> list[dict[str, Any]]:
        """Every assignment that is done, with its script and both recordings."""
        rows = self._database.read(
            "SELECT a.*, s.text, s.classes, s.objects FROM assignments a JOIN scripts s ON s.id = a.script "
            "WHERE a.state = 'done' ORDER BY a.id"
        )
        found = []
        for row in rows:
            views = {one["view"]: one for one in self.recordings(row["id"])}
            if set(views) == {"third", "first"}:
                found.append({**dict(row), "recordings": views, "labels": _labels(row["classes"])})
        return found

    def progress(self, per_class: int) -> list[dict[str, Any]]:
        """How many finished pairs each class has, the rarest first."""
        counts = Counter(label for row in self.finished() for label in row["labels"])
        labels = {
            label for row in self._database.read("SELECT classes FROM scripts") for label in _labels(row["classes"])
        }
        names = self.class_names()
        rows = [
            {"label": label, "name": names.get(label, label), "count": counts[label], "wanted": per_class}
            for label in labels
        ]
        return sorted(rows, key=lambda row: (row["count"], row["label"]))

    def new_id(self, view: str, assignment: int) -> str:
        """An id of five letters for a pair's third-person take; the first-person one has EGO after it."""
        other = next((row["id"] for row in self.recordings(assignment) if row["view"] != view), None)
        if other is not None:
            return f"{other}EGO" if view == "first" else str(other).removesuffix("EGO")
        while True:
            made = "".join(secrets.choice(_LETTERS) for _ in range(5))
            taken = self._database.one("SELECT 1 FROM recordings WHERE id IN (?, ?)", (made, f"{made}EGO"))
            if taken is None and not made.endswith("EGO"):
                return f"{made}EGO" if view == "first" else made

    def withdraw(self, person: int, pairs: Iterable[str]) -> None:
        """Forget everything a person has recorded, and what others marked or answered on these pairs."""
        with self._database.write() as connection:
            for pair in pairs:
                for table in ABOUT_PAIRS:
                    connection.execute(f"DELETE FROM {table} WHERE pair = ?", (pair,))
                tasks = "SELECT id FROM study_tasks WHERE pair = ?"
                connection.execute(f"DELETE FROM study_answers WHERE task IN ({tasks})", (pair,))
                connection.execute("DELETE FROM study_tasks WHERE pair = ?", (pair,))
            for table in ("recordings", "uploads", "assignments"):
                connection.execute(f"DELETE FROM {table} WHERE person = ?", (person,))
            connection.execute(
                "UPDATE consents SET withdrawn = ? WHERE person = ? AND withdrawn IS NULL", (time.time(), person)
            )


def _labels(text: str) -> tuple[str, ...]:
    return tuple(part for part in text.split(";") if part)

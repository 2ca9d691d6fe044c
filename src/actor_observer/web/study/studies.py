"""Studies in the database: their tasks, an order for each person, and the answers."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from actor_observer.errors import UserError
from actor_observer.pairs.manifest import Manifest, Pair
from actor_observer.web.store.database import Database, Row

__all__ = ["Answer", "Studies", "draw_tasks"]

EDGE = 0.08  # of a video at either end from which no moment is drawn
MOST_TASKS = 2000  # of a study: more is a mistake


@dataclass(frozen=True)
class Answer:
    """One person's answer to one task; `time` is None where they skipped it."""

    study: int
    find: str  # the view that was searched
    pair: str
    shown: float  # seconds in the other view
    time: float | None
    person: int
    name: str
    kind: str
    automated: bool


def draw_tasks(
    manifest: Manifest, pairs: Sequence[Pair], find: str, moments: int, seed: int
) -> list[tuple[str, float]]:
    """Moments to show: so many of each pair, spread over the video that is shown, by a seed.

    Each is drawn from a stretch of its own, so that one pair's moments do not fall together; nothing is known of the
    clock, so a moment may lie outside the other video: then people skip it.

    >>> draw_tasks(Manifest({}), [], "third", 2, seed=0)
    []
    """
    tasks = []
    for pair in pairs:
        shown = manifest.takes[pair.first if find == "third" else pair.third]
        digest = hashlib.blake2b(f"{seed}\0{pair.id}".encode(), digest_size=8).digest()
        rng = np.random.default_rng(int.from_bytes(digest))
        places = EDGE + (1 - 2 * EDGE) * (np.arange(moments) + rng.random(moments)) / moments
        tasks += [(pair.id, round(float(place) * shown.length, 2)) for place in places]
    return tasks


class Studies:
    """Reads and writes studies."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self, person: int) -> list[dict[str, Any]]:
        """Every study, with how many tasks it has and how many this person has answered."""
        rows = self._database.read(
            "SELECT s.*, (SELECT count(*) FROM study_tasks t WHERE t.study = s.id) AS tasks, "
            "(SELECT count(*) FROM study_answers a JOIN study_tasks t ON t.id = a.task "
            " WHERE t.study = s.id AND a.person = ?) AS done, "
            "(SELECT count(DISTINCT a.person) FROM study_answers a JOIN study_tasks t ON t.id = a.task "
            " WHERE t.study = s.id) AS people FROM studies s ORDER BY s.id",
            (person,),
        )
        return [dict(row) for row in rows]

    def make(self, name: str, find: str, seed: int, tasks: Sequence[tuple[str, float]]) -> int:
        """A new study."""
        name = " ".join(name.split())[:80]
        if not name or find not in ("third", "first"):
            raise UserError("A study needs a name and the view in which moments are looked for.")
        if not 0 < len(tasks) <= MOST_TASKS:
            raise UserError(f"A study has 1 to {MOST_TASKS} moments; this one would have {len(tasks)}.")
        with self._database.write() as connection:
            made = connection.execute(
                "INSERT INTO studies (name, find, seed, made) VALUES (?, ?, ?, ?)", (name, find, seed, time.time())
            )
            study = int(made.lastrowid or 0)
            connection.executemany(
                "INSERT INTO study_tasks (study, pair, time) VALUES (?, ?, ?)", [(study, *task) for task in tasks]
            )
        return study

    def next_task(self, study: int, person: int, known: Container[str]) -> tuple[Row | None, int, int]:
        """The person's next task in an order of their own, how many they have answered, and how many there are.

        Only tasks on `known` pairs count: a recording may have been withdrawn, or be gone from the data.
        """
        tasks = self._database.read(
            "SELECT t.*, s.find, s.seed FROM study_tasks t JOIN studies s ON s.id = t.study WHERE t.study = ?", (study,)
        )
        if not tasks and not self._database.one("SELECT 1 FROM studies WHERE id = ?", (study,)):
            raise UserError("There is no such study.")
        tasks = [row for row in tasks if row["pair"] in known]
        answered = {
            row["task"]
            for row in self._database.read(
                "SELECT a.task FROM study_answers a JOIN study_tasks t ON t.id = a.task "
                "WHERE t.study = ? AND a.person = ?",
                (study, person),
            )
        }
        order = sorted(tasks, key=lambda row: _place(row["seed"], person, row["id"]))
        left = [row for row in order if row["id"] not in answered]
        return (left[0] if left else None), len(tasks) - len(left), len(tasks)

    def answer(self, task: int, person: int, at: float | None, seconds: float, automated: bool) -> None:
        """Keep an answer; sent twice, the first one stays."""
        if not self._database.one("SELECT 1 FROM study_tasks WHERE id = ?", (task,)):
            raise UserError("There is no such task.")
        with self._database.write() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO study_answers VALUES (?, ?, ?, ?, ?, ?)",
                (task, person, at, seconds, int(automated), time.time()),
            )

    def take_back(self, study: int, person: int) -> bool:
        """Forget the person's last answer, so that its task comes again; False where there is none."""
        with self._database.write() as connection:
            row = connection.execute(
                "SELECT a.task FROM study_answers a JOIN study_tasks t ON t.id = a.task "
                "WHERE t.study = ? AND a.person = ? ORDER BY a.made DESC, a.rowid DESC LIMIT 1",
                (study, person),
            ).fetchone()
            if row:
                connection.execute("DELETE FROM study_answers WHERE task = ? AND person = ?", (row["task"], person))
        return bool(row)

    def answers(self, study: int | None = None) -> list[Answer]:
        """All answers, of one study or of every one."""
        which, values = ("WHERE t.study = ?", (study,)) if study is not None else ("", ())
        rows = self._database.read(
            "SELECT a.*, t.study, t.pair, t.time AS shown, s.find, p.name, p.kind FROM study_answers a "
            "JOIN study_tasks t ON t.id = a.task JOIN studies s ON s.id = t.study JOIN people p ON p.id = a.person "
            f"{which} ORDER BY a.made",
            values,
        )
        return [_answer(row) for row in rows]


def _answer(row: Mapping[str, Any] | Row) -> Answer:
    return Answer(
        study=row["study"],
        find=row["find"],
        pair=row["pair"],
        shown=row["shown"],
        time=row["time"],
        person=row["person"],
        name=row["name"],
        kind=row["kind"],
        automated=bool(row["automated"]),
    )


def _place(seed: int, person: int, task: int) -> bytes:
    return hashlib.blake2b(f"{seed}\0{person}\0{task}".encode(), digest_size=8).digest()

"""Uploads that can be broken off at any byte and gone on with: what was acknowledged is on disk."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from actor_observer.errors import UserError
from actor_observer.web.settings import Limits
from actor_observer.web.store.database import Database, Row

__all__ = ["OutOfPlace", "Uploads"]

EMPTY = 60.0  # seconds after which an upload that no byte came for is given up for a new one


class OutOfPlace(UserError):
    """A piece that does not go on where the file ends; `received` says where it does."""

    def __init__(self, received: int) -> None:
        super().__init__("This piece does not go on where the upload stopped.")
        self.received = received


class Uploads:
    """Pieces of recordings on disk, and how much of each was acknowledged in the database."""

    def __init__(self, database: Database, folder: Path, limits: Limits) -> None:
        self._database, self._folder, self._limits = database, folder, limits
        self._locks: dict[str, tuple[threading.Lock, int]] = {}  # of uploads that are written to, and how many wait
        self._lock = threading.Lock()
        folder.mkdir(parents=True, exist_ok=True)

    @contextmanager
    def alone(self, id: str) -> Iterator[None]:
        """One at a time changes an upload: two pieces for one place must not write into each other."""
        with self._lock:
            lock, waiting = self._locks.get(id, (threading.Lock(), 0))
            self._locks[id] = (lock, waiting + 1)
        try:
            with lock:
                yield
        finally:
            with self._lock:
                lock, waiting = self._locks[id]
                if waiting == 1:
                    del self._locks[id]
                else:
                    self._locks[id] = (lock, waiting - 1)

    def start(self, person: int, assignment: int, view: str, size: int | None, facts: dict[str, Any]) -> str:
        """Begin an upload; refused where the file is too large or the disk too full."""
        if view not in ("third", "first"):
            raise UserError("A recording is of the third or of the first person.")
        self._check_room(size or 0)
        self._tidy(person, assignment, view)
        id, now = secrets.token_hex(16), time.time()
        with self._database.write() as connection:
            connection.execute(
                "INSERT INTO uploads (id, person, assignment, view, facts, size, made, changed) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (id, person, assignment, view, json.dumps(facts), size, now, now),
            )
        return id

    def get(self, id: str, person: int) -> Row:
        """One of a person's own uploads."""
        row = self._database.one("SELECT * FROM uploads WHERE id = ? AND person = ?", (id, person))
        if row is None:
            raise UserError("This upload is not known here any more: start it again.")
        return row

    def put(self, id: str, person: int, offset: int, content: bytes) -> int:
        """Add a piece and return how much is there; when this returns, it is on disk."""
        with self.alone(id):
            return self._put(id, person, offset, content)

    def _put(self, id: str, person: int, offset: int, content: bytes) -> int:
        row = self.get(id, person)
        if row["state"] != "open":
            raise UserError("This upload is complete already.")
        if offset != row["received"]:
            raise OutOfPlace(row["received"])
        end = offset + len(content)
        if end > (row["size"] if row["size"] is not None else self._limits.upload):
            raise UserError("The file is larger than was said, or than is allowed.")
        self._check_room(len(content))
        with self.path(id).open("r+b" if self.path(id).exists() else "w+b") as file:
            file.truncate(offset)  # whatever was written and not acknowledged
            file.seek(offset)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        with self._database.write() as connection:
            done = connection.execute(
                "UPDATE uploads SET received = ?, changed = ? WHERE id = ? AND received = ? AND state = 'open'",
                (end, time.time(), id, offset),
            )
            if not done.rowcount:
                raise OutOfPlace(self.get(id, person)["received"])
        return end

    def whole(self, id: str, person: int) -> Row:
        """Say that all has been sent."""
        with self.alone(id):
            row = self.get(id, person)
            if row["state"] == "open":
                if not row["received"]:
                    raise UserError("Nothing was received: record or choose the video again.")
                if row["size"] is not None and row["received"] != row["size"]:
                    raise OutOfPlace(row["received"])
                with self._database.write() as connection:
                    connection.execute("UPDATE uploads SET state = 'whole' WHERE id = ?", (id,))
            return self.get(id, person)

    def refuse(self, id: str, why: str) -> None:
        """Keep that an upload was no use, and drop its bytes."""
        with self._database.write() as connection:
            connection.execute("UPDATE uploads SET state = 'refused', note = ? WHERE id = ?", (why, id))
        with self.alone(id):
            self.path(id).unlink(missing_ok=True)

    def delete(self, ids: Iterable[str]) -> None:
        """Drop the bytes of uploads that are no longer known; a piece that is just being written goes too."""
        for id in ids:
            with self.alone(id):
                self.path(id).unlink(missing_ok=True)

    def path(self, id: str) -> Path:
        """Where the bytes lie."""
        return self._folder / f"{id}.part"

    def unfinished(self) -> list[Row]:
        """Uploads that are whole and have not become recordings: a server was ended in between."""
        return self._database.read(
            "SELECT u.* FROM uploads u LEFT JOIN recordings r ON r.upload = u.id "
            "WHERE u.state = 'whole' AND r.id IS NULL ORDER BY u.made"
        )

    def sweep(self, older: float = 7 * 86400.0) -> None:
        """Remove bytes that no upload speaks of, and uploads that nobody went on with for a week."""
        known = {row["id"] for row in self._database.read("SELECT id FROM uploads WHERE state IN ('open', 'whole')")}
        for path in self._folder.glob("*.part"):
            if path.stem not in known:
                path.unlink(missing_ok=True)
        stale = self._database.read(
            "SELECT id FROM uploads WHERE state = 'open' AND changed < ?", (time.time() - older,)
        )
        for row in stale:
            self.refuse(row["id"], "nobody went on with it")

    def _tidy(self, person: int, assignment: int, view: str) -> None:
        """Drop beginnings of the same recording that no byte came for, and old refusals; not too many may be open."""
        with self._database.write() as connection:
            connection.execute(
                "DELETE FROM uploads WHERE person = ? AND assignment = ? AND view = ? AND state = 'open' "
                "AND received = 0 AND made < ?",
                (person, assignment, view, time.time() - EMPTY),
            )
            connection.execute(
                "DELETE FROM uploads WHERE state = 'refused' AND person = ? AND id NOT IN "
                "(SELECT id FROM uploads WHERE state = 'refused' AND person = ? ORDER BY made DESC LIMIT ?)",
                (person, person, self._limits.uploads),
            )
            (count,) = connection.execute(
                "SELECT count(*) FROM uploads WHERE person = ? AND state = 'open'", (person,)
            ).fetchone()
        if count >= self._limits.uploads:
            raise UserError(f"You have {count} unfinished uploads: finish one, or ask for another script to drop them.")

    def _check_room(self, more: int) -> None:
        limits = self._limits
        if more > limits.upload:
            raise UserError(f"This file is too large: at most {limits.upload / (1 << 30):.1f} GB are taken.")
        if shutil.disk_usage(self._folder).free - more < limits.free:
            raise UserError("The studio's disk is full: tell its owner, then try again. Nothing is lost.")
        row = self._database.one(
            "SELECT (SELECT coalesce(sum(bytes), 0) FROM recordings) + "
            "(SELECT coalesce(sum(received), 0) FROM uploads WHERE state = 'open') AS used"
        )
        if row and row["used"] + more > limits.quota:
            raise UserError("The studio has taken as many recordings as it may: tell its owner.")

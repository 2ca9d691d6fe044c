"""The database file: write-ahead log, one writer at a time, as many readers as there are at once."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from actor_observer.errors import UserError
from actor_observer.web.store.migrations import STEPS

__all__ = ["Database"]

FILE = "studio.db"
Row = sqlite3.Row
Values = Sequence[Any] | Mapping[str, Any]  # for question marks, or for :names


class Database:
    """An SQLite file that is brought up to date when it is opened.

    A write that has returned is on disk: the log is forced out at every commit.

    >>> import tempfile
    >>> database = Database(Path(tempfile.mkdtemp()))
    >>> with database.write() as connection:
    ...     _ = connection.execute("INSERT INTO people (name, role, made) VALUES ('ann', 'mark', 0)")
    >>> [row["name"] for row in database.read("SELECT name FROM people")]
    ['ann']
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self._lock = threading.Lock()
        self._readers: list[sqlite3.Connection] = []  # that nobody uses just now
        self._closed = False
        self.version = 0  # another one after every write: what was read before may have changed
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._writer = self._connect()
            self._migrate()
        except (sqlite3.Error, OSError) as error:
            raise UserError(f"{self.path}: cannot be opened as the studio's database ({error})") from None

    def read(self, query: str, values: Values = ()) -> list[Row]:
        """All rows of a query, as of now."""
        with self._reader() as connection:
            found: list[Row] = connection.execute(query, values).fetchall()
        return found

    def one(self, query: str, values: Values = ()) -> Row | None:
        """The first row, or None."""
        found = self.read(query, values)
        return found[0] if found else None

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all of it is on disk at the end of the block, or none of it."""
        with self._lock:
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield self._writer
                self._writer.execute("COMMIT")
                self.version += 1
            except BaseException:
                if self._writer.in_transaction:  # a full disk has ended it already
                    self._writer.execute("ROLLBACK")
                raise

    def copy_to(self, path: Path) -> None:
        """A whole copy of the database, also while others write."""
        with closing(self._connect()) as source, closing(sqlite3.connect(path)) as target:
            source.backup(target)

    def scrub(self) -> None:
        """Leave nothing of deleted rows on disk: their pages were overwritten, now the log is emptied too."""
        with self._lock:
            self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """Close every connection; the last one moves the log into the file, so that the file alone is all."""
        with self._lock:
            self._closed = True
            while self._readers:
                self._readers.pop().close()
            self._writer.close()

    @contextmanager
    def _reader(self) -> Iterator[sqlite3.Connection]:
        """A connection to read with, for as long as the block lasts."""
        try:
            connection = self._readers.pop()
        except IndexError:
            if self._closed:
                raise sqlite3.OperationalError("the studio is closing") from None
            connection = self._connect()
        try:
            yield connection
        finally:
            if self._closed:
                connection.close()
            else:
                self._readers.append(connection)

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=30, isolation_level=None, check_same_thread=False)
        connection.row_factory = Row
        kept = ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=30000", "foreign_keys=ON")
        for setting in (*kept, "secure_delete=ON"):
            connection.execute(f"PRAGMA {setting}")
        return connection

    def _migrate(self) -> None:
        (at,) = self._writer.execute("PRAGMA user_version").fetchone()
        if at > len(STEPS):
            raise UserError(f"{self.path}: made by a newer version of actor-observer; update this one")
        for number in range(at, len(STEPS)):
            self._writer.executescript(f"BEGIN IMMEDIATE;{STEPS[number]};PRAGMA user_version={number + 1};COMMIT;")

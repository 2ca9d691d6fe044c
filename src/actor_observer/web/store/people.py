"""People of a studio: their roles, the links they come in by, and their sessions."""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from actor_observer.errors import UserError
from actor_observer.web.store.database import Database, Row

__all__ = ["ROLES", "People", "Person"]

ROLES: dict[str, frozenset[str]] = {  # what each role may do
    "look": frozenset({"look"}),
    "mark": frozenset({"look", "mark"}),
    "collect": frozenset({"collect"}),  # records; sees nobody else's recordings
    "owner": frozenset({"look", "mark", "collect", "own"}),
}
KINDS = ("", "person", "program")
DAY = 86400.0  # seconds
MOST_INVITED = 1000  # people at once
LINK_DAYS, SESSION_DAYS = 30.0, 7.0  # after which a link, a session ends
_REMEMBERED = 20.0  # seconds that a session is believed without asking the database


@dataclass(frozen=True)
class Person:
    """Somebody who uses the page.

    >>> Person(1, "ann", "mark").may("own")
    False
    """

    id: int
    name: str
    role: str
    kind: str = ""  # "person", "program", or "" where nobody said

    def may(self, right: str) -> bool:
        """Whether the role has a right."""
        return right in ROLES.get(self.role, frozenset())


class People:
    """Reads and writes people, tokens and sessions. Tokens are kept as hashes only."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._seen: dict[str, tuple[float, Person]] = {}
        self._lock = threading.Lock()

    def all(self) -> list[Row]:
        """Everybody who has not been removed, with when their link expires."""
        return self._database.read(
            "SELECT p.*, (SELECT max(expires) FROM tokens t WHERE t.person = p.id) AS expires "
            "FROM people p WHERE gone IS NULL ORDER BY id"
        )

    def listed(self) -> list[Row]:
        """Everybody, with how much they recorded; those removed too as long as they could withdraw something."""
        return self._database.read(
            "SELECT * FROM (SELECT p.*, (SELECT max(expires) FROM tokens t WHERE t.person = p.id) AS expires, "
            "(SELECT count(*) FROM recordings r WHERE r.person = p.id) AS recordings, "
            "(SELECT count(*) FROM uploads u WHERE u.person = p.id) AS uploads FROM people p) "
            "WHERE gone IS NULL OR recordings OR uploads ORDER BY gone IS NOT NULL, id"
        )

    def names(self) -> dict[int, tuple[str, str]]:
        """Name and kind of everybody who was ever here."""
        return {row["id"]: (row["name"], row["kind"]) for row in self._database.read("SELECT * FROM people")}

    def named(self, name: str, role: str) -> Person:
        """The person of this name and role; made where there is none."""
        row = self._database.one("SELECT * FROM people WHERE name = ? AND role = ? AND gone IS NULL", (name, role))
        return _person(row) if row else self.add(name, role)

    def owner(self, name: str) -> Person:
        """The studio's first owner, under whatever name they go now; made with this name where there is none."""
        row = self._database.one("SELECT * FROM people WHERE role = 'owner' AND gone IS NULL ORDER BY id LIMIT 1")
        return _person(row) if row else self.add(name, "owner")

    def add(self, name: str, role: str, kind: str = "") -> Person:
        """A new person."""
        name = tidy(name)
        if not name or role not in ROLES or kind not in KINDS:
            raise UserError("A person needs a name and a role: look, mark, collect or owner.")
        with self._database.write() as connection:
            made = connection.execute(
                "INSERT INTO people (name, role, kind, made) VALUES (?, ?, ?, ?)", (name, role, kind, time.time())
            )
            return Person(int(made.lastrowid or 0), name, role, kind)

    def invite(self, names: Sequence[str], role: str) -> list[tuple[Person, str]]:
        """New people with their links, all or none; those of one name are told apart by a number."""
        cleaned = [tidy(name) for name in names]
        if role not in ROLES or not all(cleaned) or not 0 < len(cleaned) <= MOST_INVITED:
            raise UserError(f"Give 1 to {MOST_INVITED} names and a role: look, mark, collect or owner.")
        made, now = [], time.time()
        with self._database.write() as connection:
            known = {row["name"].casefold() for row in connection.execute("SELECT name FROM people WHERE gone IS NULL")}
            for name in cleaned:
                own, token = told_apart(name, known), secrets.token_urlsafe(32)
                known.add(own.casefold())
                row = connection.execute(
                    "INSERT INTO people (name, role, kind, made) VALUES (?, ?, '', ?)", (own, role, now)
                )
                person = Person(int(row.lastrowid or 0), own, role)
                values = (_hash(token), person.id, now, now + LINK_DAYS * DAY)
                connection.execute("INSERT INTO tokens VALUES (?, ?, ?, ?)", values)
                made.append((person, token))
        return made

    def rename(self, person: Person, name: str, kind: str) -> Person:
        """Say who marks: a name, and whether a person or a program."""
        name = tidy(name)
        if not name or kind not in KINDS:
            raise UserError("Give a name, and say whether a person or a program marks.")
        with self._database.write() as connection:
            others = connection.execute("SELECT name FROM people WHERE gone IS NULL AND id != ?", (person.id,))
            name = told_apart(name, {row["name"].casefold() for row in others})
            connection.execute("UPDATE people SET name = ?, kind = ? WHERE id = ?", (name, kind, person.id))
        self._forget()
        return Person(person.id, name, person.role, kind)

    def remove(self, person: int) -> None:
        """Take away a person's links and sessions. What they marked stays."""
        with self._database.write() as connection:
            connection.execute("UPDATE people SET gone = ? WHERE id = ?", (time.time(), person))
            connection.execute("DELETE FROM tokens WHERE person = ?", (person,))
            connection.execute("DELETE FROM sessions WHERE person = ?", (person,))
        self._forget()

    def link(self, person: int, days: float = LINK_DAYS) -> str:
        """A new unguessable token for a person; earlier ones no longer work."""
        token, now = secrets.token_urlsafe(32), time.time()
        with self._database.write() as connection:
            connection.execute("DELETE FROM tokens WHERE person = ?", (person,))
            connection.execute("INSERT INTO tokens VALUES (?, ?, ?, ?)", (_hash(token), person, now, now + days * DAY))
        return token

    def renew(self, person: int, but: str = "") -> str:
        """A new link in place of one that may have leaked: every session ends too, `but` the one that asks."""
        with self._database.write() as connection:
            connection.execute("DELETE FROM sessions WHERE person = ? AND hash != ?", (person, _hash(but)))
        self._forget()
        return self.link(person)

    def enter(self, token: str) -> str:
        """Start a session with a token; a `UserError` where it is unknown or has expired."""
        row = self._database.one(
            "SELECT t.person, t.expires FROM tokens t JOIN people p ON p.id = t.person "
            "WHERE t.hash = ? AND p.gone IS NULL",
            (_hash(token),),
        )
        if row is None:
            raise UserError("This link is not known here: ask the studio's owner for a new one.")
        now = time.time()
        if row["expires"] < now:
            raise UserError("This link has expired: ask the studio's owner for a new one.")
        session = secrets.token_urlsafe(32)
        with self._database.write() as connection:
            connection.execute("DELETE FROM sessions WHERE expires < ?", (now,))
            connection.execute(
                "INSERT INTO sessions VALUES (?, ?, ?, ?)",
                (_hash(session), row["person"], now, min(now + SESSION_DAYS * DAY, row["expires"])),
            )
        return session

    def of_session(self, session: str) -> Person | None:
        """Who a session belongs to; None where it is unknown or over."""
        now = time.time()
        with self._lock:
            known = self._seen.get(session)
        if known and known[0] > now:
            return known[1]
        row = self._database.one(
            "SELECT p.*, s.expires FROM sessions s JOIN people p ON p.id = s.person "
            "WHERE s.hash = ? AND s.expires > ? AND p.gone IS NULL",
            (_hash(session), now),
        )
        if row is None:
            return None
        person = _person(row)
        with self._lock:
            if len(self._seen) > 10_000:
                self._seen.clear()
            self._seen[session] = (min(now + _REMEMBERED, row["expires"]), person)
        return person

    def leave(self, session: str) -> None:
        """End a session."""
        with self._database.write() as connection:
            connection.execute("DELETE FROM sessions WHERE hash = ?", (_hash(session),))
        self._forget()

    def _forget(self) -> None:
        with self._lock:
            self._seen.clear()


def tidy(name: str) -> str:
    """A name on one line, not too long.

    >>> tidy("  Ann  Lee ")
    'Ann Lee'
    """
    return " ".join(name.split())[:80]


def told_apart(name: str, known: Collection[str]) -> str:
    """The name, with a number after it where somebody has it already; `known` are names in lower case.

    >>> told_apart("Ann", {"ann", "ann (2)"}), told_apart("Bob", {"ann"})
    ('Ann (3)', 'Bob')
    """
    number, own = 1, name
    while own.casefold() in known:
        number += 1
        own = f"{name} ({number})"
    return own


def _person(row: Row) -> Person:
    return Person(row["id"], row["name"], row["role"], row["kind"])


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()

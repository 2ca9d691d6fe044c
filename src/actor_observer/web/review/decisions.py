"""What was decided about pairs and said of them: accepted or left out, tags, and views of the list to come back to."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from typing import Any

from actor_observer.errors import UserError
from actor_observer.web.store.database import Database

__all__ = ["Decisions"]

DECIDED = ("accepted", "left out")
TAG, NAME, MOST_VIEWS = 40, 80, 100  # characters, characters, saved views


class Decisions:
    """Reads and writes them.

    >>> import tempfile; from pathlib import Path
    >>> decisions = Decisions(Database(Path(tempfile.mkdtemp())))
    >>> decisions.decide(["cup"], 1, "accepted"); decisions.tag(["cup", "door"], 1, "dark")
    >>> decisions.reviews(), decisions.tags()
    ({'cup': 'accepted'}, {'cup': ('dark',), 'door': ('dark',)})
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def reviews(self) -> dict[str, str]:
        """What was decided, by pair."""
        return {row["pair"]: row["state"] for row in self._database.read("SELECT pair, state FROM reviews")}

    def decide(self, pairs: Iterable[str], person: int, state: str) -> None:
        """Accept pairs or leave them out; "" takes that back."""
        if state and state not in DECIDED:
            raise UserError(f"A pair is {' or '.join(DECIDED)}, or nothing is decided about it.")
        now = time.time()
        with self._database.write() as connection:
            for pair in pairs:
                connection.execute("DELETE FROM reviews WHERE pair = ?", (pair,))
                if state:
                    connection.execute("INSERT INTO reviews VALUES (?, ?, ?, ?)", (pair, state, person, now))

    def tags(self) -> dict[str, tuple[str, ...]]:
        """The tags of each pair that has some."""
        found: dict[str, tuple[str, ...]] = {}
        for row in self._database.read("SELECT pair, tag FROM tags ORDER BY pair, tag"):
            found[row["pair"]] = (*found.get(row["pair"], ()), row["tag"])
        return found

    def tag(self, pairs: Iterable[str], person: int, tag: str, off: bool = False) -> None:
        """Put a tag on pairs, or take it `off`."""
        tag = " ".join(tag.split())
        if not tag or len(tag) > TAG:
            raise UserError(f"A tag is a word or a few, {TAG} characters at most.")
        now = time.time()
        with self._database.write() as connection:
            if off:
                connection.executemany("DELETE FROM tags WHERE pair = ? AND tag = ?", [(pair, tag) for pair in pairs])
            else:
                rows = [(pair, tag, person, now) for pair in pairs]
                connection.executemany("INSERT OR IGNORE INTO tags VALUES (?, ?, ?, ?)", rows)

    def views(self, person: int) -> list[dict[str, Any]]:
        """The views that a person has saved."""
        rows = self._database.read("SELECT id, name, query FROM views WHERE person = ? ORDER BY name", (person,))
        return [{"id": row["id"], "name": row["name"], "query": json.loads(row["query"])} for row in rows]

    def save_view(self, person: int, name: str, query: dict[str, str]) -> None:
        """Keep what the list shows under a name, in place of an older view of that name."""
        name = " ".join(name.split())[:NAME]
        text = json.dumps({str(key)[:40]: str(value)[:200] for key, value in query.items()})
        if not name or len(text) > 4000:
            raise UserError("A view needs a name, and filters that are not too long.")
        with self._database.write() as connection:
            connection.execute("DELETE FROM views WHERE person = ? AND name = ?", (person, name))
            (count,) = connection.execute("SELECT count(*) FROM views WHERE person = ?", (person,)).fetchone()
            if count >= MOST_VIEWS:
                raise UserError(f"You have {MOST_VIEWS} views: delete some first.")
            connection.execute(
                "INSERT INTO views (person, name, query, made) VALUES (?, ?, ?, ?)", (person, name, text, time.time())
            )

    def delete_view(self, person: int, id: int) -> None:
        """Forget one's own view."""
        with self._database.write() as connection:
            connection.execute("DELETE FROM views WHERE id = ? AND person = ?", (id, person))

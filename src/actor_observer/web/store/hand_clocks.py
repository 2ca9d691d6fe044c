"""Clocks that people set by hand, by shifting one video against the other until they look right."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from actor_observer.errors import UserError
from actor_observer.pairs.clock import Clock
from actor_observer.web.store.database import Database

__all__ = ["HandClock", "HandClocks", "agreed"]

SAME = 0.25  # seconds: hand-set clocks this near to each other agree
LONGEST = 10_000  # characters of a clock


@dataclass(frozen=True)
class HandClock:
    """One person's clock for a pair."""

    clock: Clock
    changed: float  # when, in seconds since 1970


class HandClocks:
    """Reads and writes them: one for each person and pair."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, pair: str) -> dict[int, HandClock]:
        """The clocks of a pair, by person."""
        rows = self._database.read("SELECT * FROM hand_clocks WHERE pair = ? ORDER BY changed", (pair,))
        return {row["person"]: HandClock(Clock.parse(row["clock"]), row["changed"]) for row in rows}

    def set(self, pair: str, person: int, clock: str) -> None:
        """Keep a person's clock in place of their last one; "" forgets it."""
        with self._database.write() as connection:
            if not clock:
                connection.execute("DELETE FROM hand_clocks WHERE pair = ? AND person = ?", (pair, person))
                return
            try:
                made = Clock.parse(clock[:LONGEST])
            except ValueError as error:
                raise UserError(f"This is not a clock: {error}.") from None
            values = (pair, person, str(made), time.time())
            connection.execute("INSERT OR REPLACE INTO hand_clocks VALUES (?, ?, ?, ?)", values)


def agreed(clocks: Mapping[int, HandClock], length: float) -> Clock | None:
    """The newest of people's clocks, where all are near it over a third-person video of this length; else None.

    >>> near = {1: HandClock(Clock(((0.0, 1.0),)), 1.0), 2: HandClock(Clock(((0.0, 1.1),)), 2.0)}
    >>> str(agreed(near, 10.0)), agreed({**near, 3: HandClock(Clock(((0.0, 4.0),)), 3.0)}, 10.0)
    ('0.0:1.1', None)
    """
    if not clocks:
        return None
    newest = max(clocks.values(), key=lambda one: one.changed).clock
    times = np.linspace(0.0, length, 31)
    off = [float(np.abs(one.clock.to_first(times) - newest.to_first(times)).max()) for one in clocks.values()]
    return newest if max(off) <= SAME else None

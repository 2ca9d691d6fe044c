"""So many at a time for each person: whoever asks for much waits, and nobody else does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["Busy", "Turns"]


class Busy(Exception):
    """A person has as many of a thing under way as they may."""


class Turns:
    """Counts what each person has under way; used on the server's own thread only.

    >>> turns = Turns(1)
    >>> with turns.taken(7), turns.taken(8):
    ...     pass
    >>> with turns.taken(7), turns.taken(7):
    ...     pass
    Traceback (most recent call last):
    actor_observer.web.work.turns.Busy: 7
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._under_way: Counter[int] = Counter()

    @contextmanager
    def taken(self, person: int) -> Iterator[None]:
        """One of the person's turns, for as long as the block lasts."""
        if self._under_way[person] >= self._most:
            raise Busy(person)
        self._under_way[person] += 1
        try:
            yield
        finally:
            self._under_way[person] -= 1
            if not self._under_way[person]:
                del self._under_way[person]

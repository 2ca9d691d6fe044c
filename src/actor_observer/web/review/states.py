"""The review state of a pair: open, marked, agreed, disputed; or what the owner decided, accepted or left out."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np

from actor_observer.pairs.clock import Clock
from actor_observer.web.review.decisions import Decisions
from actor_observer.web.store.mark_clock import clock_of_marks
from actor_observer.web.store.marks import Mark, Marks

__all__ = ["STATES", "States", "against_others", "state_of"]

STATES = ("open", "marked", "agreed", "disputed", "accepted", "left out")
SAME = 0.5  # seconds of the actor's video: people whose marks are nearer than this to each other's clock agree


class States:
    """The states of all pairs that have marks; only what changed is looked at again."""

    def __init__(self, marks: Marks, decisions: Decisions) -> None:
        self._marks, self._decisions = marks, decisions
        self._known: dict[str, tuple[tuple[int, float], str]] = {}
        self._lock = threading.Lock()

    def all(self) -> dict[str, str]:
        """By pair; a pair that is not named is open."""
        now = self._marks.stamps()
        with self._lock:
            known = {pair: one for pair, one in self._known.items() if now.get(pair) == one[0]}
            for pair, stamp in now.items():
                if pair not in known:
                    known[pair] = (stamp, state_of(self._marks.of(pair)))
            self._known = known
        return {**{pair: state for pair, (_, state) in known.items()}, **self._decisions.reviews()}


def state_of(marks: Sequence[Mark]) -> str:
    """What marks say: marked by one person, agreed or disputed between several.

    People agree where no mark contradicts another, and each person's marks are within half a second of the clock
    through the others' wherever they lie between them.

    >>> state_of([Mark("a", 1, 2.0, 3.0)]), state_of([Mark("a", 1, 2.0, 3.0), Mark("b", 2, 2.1, 3.2)])
    ('marked', 'agreed')
    >>> state_of([Mark("a", 1, 2.0, 3.0), Mark("b", 1, 6.0, 7.0), Mark("c", 2, 4.0, 6.2)])
    'disputed'
    """
    clock = clock_of_marks(marks)
    if clock is None:
        return "open"
    if not clock.agreed:
        return "disputed"
    if len(clock.people) < 2:
        return "marked"
    off = [error for errors in against_others(marks).values() for error in errors]
    return "disputed" if max(off, default=0.0) > SAME else "agreed"


def against_others(marks: Sequence[Mark]) -> dict[int, list[float]]:
    """How far each person's marks are from the clock through the others', in seconds of the actor's video.

    A mark counts where it lies between two marks of the others, or on the same moment as one: elsewhere nobody else
    has said anything.

    >>> against_others([Mark("a", 1, 2.0, 3.0), Mark("b", 1, 6.0, 7.0), Mark("c", 2, 4.0, 5.5)])
    {1: [], 2: [0.5]}
    """
    found: dict[int, list[float]] = {}
    for person in sorted({mark.person for mark in marks}):
        others = clock_of_marks([mark for mark in marks if mark.person != person])
        own = [mark for mark in marks if mark.person == person]
        clock = others.clock if others else None
        found[person] = [] if clock is None else _errors(own, clock)
    return found


def _errors(own: Sequence[Mark], clock: Clock) -> list[float]:
    thirds = np.array([third for third, _ in clock.anchors])
    return [
        round(abs(mark.first - float(clock.to_first(mark.third))), 4)
        for mark in own
        if thirds[0] <= mark.third <= thirds[-1] or np.abs(thirds - mark.third).min() <= SAME
    ]

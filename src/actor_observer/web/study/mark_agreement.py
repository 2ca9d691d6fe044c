"""How well people's marks agree: each person's against the clock of the others, and against a clock that is exact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from actor_observer.pairs.clock import Clock
from actor_observer.web.review.states import against_others
from actor_observer.web.store.marks import Mark
from actor_observer.web.study.agreement import Agreement, agreement_of
from actor_observer.web.study.studies import Answer

__all__ = ["measure_marks"]


def measure_marks(
    marks: Mapping[str, Sequence[Mark]], names: Mapping[int, tuple[str, str]], clocks: Mapping[str, Clock]
) -> list[Agreement]:
    """Errors of marks in seconds of the actor's video, against exact clocks and against each other.

    >>> marks = {"cup": [Mark("a", 1, 2.0, 3.0), Mark("b", 1, 6.0, 7.0), Mark("c", 2, 4.0, 5.5)]}
    >>> [found] = measure_marks(marks, {1: ("ann", "person"), 2: ("bob", "person")}, {})
    >>> found.against, [(line.name, line.median.value) for line in found.lines]
    ('marks of each other', [('bob', 0.5)])
    """
    truth: list[tuple[Answer, float | None]] = []
    others: list[tuple[Answer, float | None]] = []
    for pair, some in marks.items():
        for person, errors in against_others(some).items():
            others += [(_as_answer(pair, person, names), error) for error in errors]
        clock = clocks.get(pair)
        if clock is not None:
            truth += [
                (_as_answer(pair, mark.person, names), abs(mark.first - float(clock.to_first(mark.third))))
                for mark in some
            ]
    found = (("marks, truth", truth), ("marks of each other", others))
    return [agreement_of(against, errors) for against, errors in found if errors]


def _as_answer(pair: str, person: int, names: Mapping[int, tuple[str, str]]) -> Answer:
    name, kind = names.get(person, ("somebody", ""))
    return Answer(0, "first", pair, 0.0, 0.0, person, name, kind, automated=False)

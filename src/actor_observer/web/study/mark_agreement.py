"""How well people's marks agree: each person's against the clock of the others, and against a clock that is exact."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from actor_observer.disk import write_whole
from actor_observer.errors import UserError
from actor_observer.pairs.clock import Clock
from actor_observer.web.review.states import against_others
from actor_observer.web.store.marks import Mark, Marks
from actor_observer.web.store.people import People
from actor_observer.web.study.agreement import Agreement, agreement_of, exact_clocks, opened
from actor_observer.web.study.studies import Answer

__all__ = ["mark_agreement", "measure_marks"]


def mark_agreement(data: Path, studio: Path | None = None, out: Path | None = None) -> list[Agreement]:
    """How well the marks of a data set agree; written to `out` only where it is named.

    Marks are made with a clock in sight, so they are no study: `evaluate` does not read this.

    >>> mark_agreement(Path("no-such-folder"))
    Traceback (most recent call last):
    actor_observer.errors.UserError: no-such-folder: no such file or folder
    """
    with opened(data, studio) as (keep, manifest, database):
        marks = Marks(database).everybodys()
        found = measure_marks(marks, People(database).names(), exact_clocks(data, manifest))
    if not found:
        said = "no two people have marked the same moments" if marks else "nobody has marked anything"
        raise UserError(f"{keep}: {said} yet; put pairs in the queue for two people each, on the page Queue")
    if out:
        try:
            text = json.dumps([one.to_dict() for one in found], indent=1, ensure_ascii=False)
            write_whole(out, f"{text}\n".encode())
        except OSError as error:
            raise UserError(f"{out}: cannot be written ({error.strerror or error}); choose another --out") from None
    return found


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

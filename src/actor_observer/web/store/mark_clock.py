"""The clock that the marks of a pair make, and which of them contradict each other."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

from actor_observer.pairs.clock import Clock
from actor_observer.web.store.marks import Mark

__all__ = ["MarkClock", "clock_of_marks"]

NEAR = 0.25  # seconds: marks this close together in both videos mean the same moment
CLEAR = 3  # times as many marks as contradict them make it clear which are right

Point = tuple[float, float]


@dataclass(frozen=True)
class MarkClock:
    """What marks say together."""

    clock: Clock | None  # through the marks that count; None where all of them contradict each other
    disputed: tuple[str, ...]  # ids of marks that contradict another one, or are contradicted
    left_out: tuple[str, ...]  # ids of those among them that the clock does not go through
    people: tuple[int, ...]  # who marked

    @property
    def agreed(self) -> bool:
        """Whether no mark contradicts another."""
        return not self.disputed


def clock_of_marks(marks: Sequence[Mark]) -> MarkClock | None:
    """The clock through marks; None where there are none.

    Marks on the same moment count as their mean. Marks contradict each other where time would run backwards, or stand
    still, in one of the videos between them. All of these are named. Where it is clear which are right, because three
    times as many agree, the clock goes through those; where it is not, through neither side.

    >>> slip = [Mark("a", 1, 2.0, 3.0), Mark("b", 1, 4.0, 5.0), Mark("c", 2, 6.0, 7.0), Mark("d", 1, 7.0, 1.0)]
    >>> found = clock_of_marks(slip)
    >>> str(found.clock), found.disputed, found.left_out
    ('2.0:3.0;4.0:5.0;6.0:7.0', ('a', 'b', 'c', 'd'), ('d',))
    >>> found = clock_of_marks([Mark("a", 1, 3.0, 3.49), Mark("b", 1, 12.0, 11.49), Mark("c", 2, 12.0, 6.49)])
    >>> str(found.clock), found.disputed
    ('3.0:3.49', ('c', 'b'))
    """
    groups = _moments([*marks, *(end for mark in marks for end in _end(mark))])
    if not groups:
        return None
    points = [(_mean([mark.third for mark in group]), _mean([mark.first for mark in group])) for group in groups]
    kept: list[int] = []
    disputed: list[int] = []
    for start, end in _knots(points):
        if end - start == 1:
            kept.append(start)
            continue
        disputed += range(start, end)
        run = [start + place for place in _longest_increasing(points[start:end])]
        if len(run) >= CLEAR * (end - start - len(run)):
            kept += run
    clock = Clock(tuple(points[place] for place in kept)) if kept else None
    counted = set(kept)
    return MarkClock(
        clock,
        tuple(dict.fromkeys(mark.id for place in disputed for mark in groups[place])),
        tuple(dict.fromkeys(mark.id for place in disputed if place not in counted for mark in groups[place])),
        tuple(sorted({mark.person for mark in marks})),
    )


def _end(mark: Mark) -> list[Mark]:
    """The end of a mark that is a stretch: a shared moment like its beginning."""
    if mark.third_end is None or mark.first_end is None:
        return []
    return [replace(mark, third=mark.third_end, first=mark.first_end)]


def _moments(marks: Sequence[Mark]) -> list[list[Mark]]:
    """Marks in groups that mean the same moment, in order of their mean times."""
    groups: list[list[Mark]] = []
    for mark in sorted(marks, key=lambda mark: (mark.third, mark.first)):
        near = next(
            (
                group
                for group in groups[-4:]  # other groups may begin as near; older ones have passed
                if mark.third - group[0].third <= NEAR and abs(mark.first - group[0].first) <= NEAR
            ),
            None,
        )
        if near is not None:
            near.append(mark)
        else:
            groups.append([mark])
    return sorted(groups, key=lambda group: (_mean([m.third for m in group]), _mean([m.first for m in group])))


def _knots(points: Sequence[Point]) -> list[tuple[int, int]]:
    """Stretches of points, sorted by their first time, that contradict nobody outside; one point alone is at peace."""
    least_after = [float("inf")] * (len(points) + 1)
    for place in range(len(points) - 1, -1, -1):
        least_after[place] = min(least_after[place + 1], points[place][1])
    knots, start, most = [], 0, -float("inf")
    for place, (third, first) in enumerate(points):
        most = max(most, first)
        last = place + 1 == len(points)
        if last or (most < least_after[place + 1] and third < points[place + 1][0]):
            knots.append((start, place + 1))
            start = place + 1
    return knots


def _longest_increasing(points: Sequence[Point]) -> list[int]:
    """Places of the longest run of points, sorted by their first time, in which both times increase."""
    order = sorted(range(len(points)), key=lambda place: (points[place][0], -points[place][1]))
    ends: list[float] = []  # the least time at which a run of each length can end
    at: list[int] = []
    before: dict[int, int] = {}
    for place in order:
        length = bisect_left(ends, points[place][1])
        if length:
            before[place] = at[length - 1]
        if length == len(ends):
            ends.append(points[place][1])
            at.append(place)
        else:
            ends[length], at[length] = points[place][1], place
    run = [at[-1]]
    while run[-1] in before:
        run.append(before[run[-1]])
    return run[::-1]


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 4)

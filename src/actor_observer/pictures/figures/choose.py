"""Choose the frames that the figures show: by position and weight alone, never by how good the answer is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np

from actor_observer.features.distances import distance_matrix
from actor_observer.pairs.manifest import Pair, View
from actor_observer.pictures.figures.opened_run import Run

__all__ = ["Answer", "Query", "Spot", "extremes", "heaviest", "partner", "queries", "spot_at", "spread"]

T = TypeVar("T")


@dataclass(frozen=True)
class Spot:
    """One embedded frame of a take."""

    take: str
    place: int  # among the take's embedded frames
    time: float
    weight: float


@dataclass(frozen=True)
class Answer:
    """A frame of the other view, and whether it is the right one."""

    spot: Spot
    error: float | None  # third-person seconds from where it should be; None if it is of another pair


@dataclass(frozen=True)
class Query:
    """A frame, its nearest frames in the other view (one of each take), and the frame that belongs to it."""

    view: View
    pair: Pair
    spot: Spot
    answers: tuple[Answer, ...]
    truth: float | None  # the right time in the other take; None if that take does not show it

    @property
    def other(self) -> str:
        """The other take of the query's pair."""
        return self.pair.first if self.view == "third" else self.pair.third


def spread(items: Sequence[T], count: int) -> list[T]:
    """Choose `count` items, evenly spaced over the whole, starting with the first.

    >>> spread("abcdefgh", 4)
    ['a', 'c', 'e', 'g']
    """
    count = min(count, len(items))
    return [items[number * len(items) // count] for number in range(count)]


def heaviest(run: Run, take: str, lowest: bool = False) -> Spot:
    """The frame of a take with the highest weight, or the lowest."""
    weight = run.weight(take)
    return _spot(run, take, int(weight.argmin() if lowest else weight.argmax()))


def spot_at(run: Run, take: str, time: float) -> Spot:
    """The embedded frame of a take nearest to a time."""
    return _spot(run, take, int(run.embeddings[take].at(np.array([time]))[0]))


def extremes(run: Run, view: View, count: int, lowest: bool = False) -> list[Spot]:
    """The frames of a view with the highest weights, or the lowest, one of each take."""
    takes = dict.fromkeys(pair.third if view == "third" else pair.first for pair in run.pairs)
    spots = [heaviest(run, take, lowest) for take in takes]
    return sorted(spots, key=lambda spot: spot.weight if lowest else -spot.weight)[:count]


def queries(run: Run, view: View, count: int, answers: int) -> list[Query]:
    """The frames of highest weight of some pairs' takes, and their nearest frames among all of the other view."""
    others = list(dict.fromkeys(pair.first if view == "third" else pair.third for pair in run.pairs))
    pool = np.concatenate([run.embeddings[take].features for take in others])  # (N, D)
    starts = np.cumsum([0, *(len(run.embeddings[take].times) for take in others)])
    found = []
    for pair in spread(run.pairs, count):
        spot = heaviest(run, pair.third if view == "third" else pair.first)
        own = run.embeddings[spot.take].features[spot.place][None]
        distances = distance_matrix(pool, own)[0]  # (N,)
        best = np.array([start + distances[start:end].argmin() for start, end in pairwise(starts)])  # one of each take
        nearest = []
        for number in np.argsort(distances[best], kind="stable")[:answers]:
            answer = _spot(run, others[number], int(best[number] - starts[number]))
            nearest.append(Answer(answer, _error(pair, view, spot, answer)))
        found.append(Query(view, pair, spot, tuple(nearest), partner(run, pair, spot)))
    return found


def partner(run: Run, pair: Pair, spot: Spot) -> float | None:
    """The time in a pair's other take that belongs to a frame; None where that take does not show it."""
    at = np.array([spot.time])
    if spot.take == pair.third:
        other, time, shown = pair.first, pair.clock.to_first(spot.time), pair.clock.in_both(at)
    else:
        other, time, shown = pair.third, pair.clock.to_third(spot.time), pair.clock.first_in_both(at)
    return time if shown[0] and 0 <= time <= run.manifest.takes[other].length else None


def _spot(run: Run, take: str, place: int) -> Spot:
    return Spot(take, place, float(run.embeddings[take].times[place]), float(run.weight(take)[place]))


def _error(pair: Pair, view: View, spot: Spot, answer: Spot) -> float | None:
    if answer.take != (pair.first if view == "third" else pair.third):
        return None
    third, first = (spot, answer) if view == "third" else (answer, spot)
    apart = float(pair.clock.apart(np.array([third.time]), np.array([first.time]))[0, 0])
    return apart if np.isfinite(apart) else None

"""Takes exchanged between pairs: what a method gets when the first-person take is of something else."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

from actor_observer.evaluation.statistics.resampling import Resampling
from actor_observer.features.embeddings import Embeddings
from actor_observer.pairs.clock import Clock
from actor_observer.pairs.manifest import Pair

__all__ = ["exchanged"]


def exchanged(embeddings: Embeddings, pairs: Sequence[Pair]) -> list[Pair]:
    """Every pair with another pair's first-person take, scaled to the length of its own: the questions stay the same.

    What belongs together is told by the pair's own clock. A method that knows the time and nothing else gets what the
    rule gets that maps t/length to t/length; one that knows neither gets chance.

    The other pair is the next one in the list that is not linked to this one by shared takes. Where all are linked, it
    is the next whose first-person take is no partner of this third-person take; where there is none, the pair is left
    out.

    >>> import numpy as np
    >>> from actor_observer.features.embeddings import TakeEmbedding
    >>> takes = {id: TakeEmbedding("first", np.arange(0.5, 9), np.zeros((9, 1))) for id in "abxy"}
    >>> pairs = [Pair("1", "a", "x", Clock.scaled(9, 9)), Pair("2", "b", "y", Clock.scaled(9, 9))]
    >>> [(pair.third, pair.first) for pair in exchanged(Embeddings(takes), pairs)]
    [('a', 'y'), ('b', 'x')]
    """
    group = Resampling.of(pairs).group
    partners: dict[str, set[str]] = {}
    for pair in pairs:
        partners.setdefault(pair.third, set()).add(pair.first)
    moved = []
    for number, pair in enumerate(pairs):
        other = next((one for one in _following(number, len(pairs)) if group[one] != group[number]), None)
        if other is None:
            own = partners[pair.third]
            other = next((one for one in _following(number, len(pairs)) if pairs[one].first not in own), None)
        if other is None:
            continue
        first = pairs[other].first
        stretched = embeddings[first].length / embeddings[pair.first].length
        moved.append(replace(pair, first=first, clock=_stretched(pair.clock, stretched, embeddings[pair.third].length)))
    return moved


def _stretched(clock: Clock, by: float, length: float) -> Clock:
    """The clock to a first-person take that is so many times as long, moment by moment; its pieces stay.

    >>> _stretched(Clock(((0.0, 2.0),)), by=2.0, length=10.0).to_first(5.0)
    14.0
    """
    one = len(clock.anchors) == 1  # an offset: two points hold its slope
    anchors = tuple((third, clock.to_first(third)) for third in (0.0, length)) if one else clock.anchors
    return Clock(tuple((third, by * first) for third, first in anchors), clock.starts)


def _following(number: int, count: int) -> Iterator[int]:
    """The numbers after this one, round to the one before it."""
    return itertools.chain(range(number + 1, count), range(number))

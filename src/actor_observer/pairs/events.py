"""Pairs of an event that several cameras recorded: every other camera with every one of the actor's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import product

from actor_observer.pairs.clock import Clock
from actor_observer.pairs.manifest import Pair, Take

__all__ = ["in_step", "pairs_of_events", "scaled"]


def in_step(third: Take, first: Take) -> Clock:
    """The clock of cameras that run together, by the data set's own word."""
    return Clock(((0.0, 0.0),))


def scaled(third: Take, first: Take) -> Clock:
    """The clock of cameras that nobody knows about: their lengths are scaled onto each other."""
    return Clock.scaled(third.length, first.length)


def pairs_of_events(takes: Iterable[Take], clock: Callable[[Take, Take], Clock]) -> list[Pair]:
    """Pairs of takes of one event; a take's id is `EVENT.CAMERA`, a pair's is `EVENT`, with what tells it from others.

    >>> from pathlib import Path
    >>> takes = [Take(f"tea.{name}", view, Path(name), 9.0, event="tea")
    ...     for name, view in (("room", "third"), ("door", "third"), ("head", "first"))]
    >>> [(pair.id, pair.third, pair.first) for pair in pairs_of_events(takes, in_step)]
    [('tea.room', 'tea.room', 'tea.head'), ('tea.door', 'tea.door', 'tea.head')]
    """
    events: dict[str, dict[str, list[Take]]] = {}
    for take in takes:
        events.setdefault(take.event, {"third": [], "first": []})[take.view].append(take)
    return [pair for event, views in events.items() for pair in _pairs(event, views, clock)]


def _pairs(event: str, views: Mapping[str, list[Take]], clock: Callable[[Take, Take], Clock]) -> list[Pair]:
    found = []
    for third, first in product(views["third"], views["first"]):
        several = [take.id.removeprefix(f"{event}.") for take in (third, first) if len(views[take.view]) > 1]
        found.append(Pair(".".join((event, *several)), third.id, first.id, clock(third, first)))
    return found

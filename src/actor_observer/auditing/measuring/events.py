"""A take as an audit sees it: all recordings of one event, each with the name that it has in every take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from actor_observer.pairs.clock import Clock
from actor_observer.pairs.manifest import Manifest, Pair, Take

__all__ = ["Event", "events_of"]


@dataclass(frozen=True)
class Event:
    """The recordings of one event."""

    id: str
    cameras: tuple[tuple[str, Take], ...]  # name over all takes ("wrist"), and the recording
    clocks: tuple[tuple[str, str, Clock], ...] = ()  # (third's name, first's name, what the data set says)

    @property
    def path(self) -> str:
        """What it is called where something is wrong with all of it."""
        return self.id

    def stated(self, one: str, other: str) -> Clock:
        """What the data set says about two cameras: one's time to the other's.

        Two that it does not name together are known by a third, if it has a clock with both. Nothing said: they
        started at once.

        >>> from pathlib import Path
        >>> takes = tuple((view, Take(view, view, Path("a.mp4"), 9.0)) for view in ("third", "first"))
        >>> Event("a", takes, (("third", "first", Clock.parse("0:2;9:11")),)).stated("first", "third").to_first(2.0)
        0.0
        """
        clocks = {(third, first): clock for third, first, clock in self.clocks}
        clocks |= {(first, third): _turned(clock) for third, first, clock in self.clocks}
        if (one, other) in clocks:
            return clocks[one, other]
        for name, _ in self.cameras:
            if (one, name) in clocks and (name, other) in clocks:
                to, on = clocks[one, name], clocks[name, other]
                return Clock(tuple((float(to.to_third(time)), float(on.to_first(time))) for _, time in to.anchors))
        return Clock(((0.0, 0.0), (1.0, 1.0)))


def _turned(clock: Clock) -> Clock:
    return Clock(tuple((first, third) for third, first in clock.anchors))


def events_of(manifest: Manifest) -> list[Event]:
    """The events of a data set, in its order: takes that same-person pairs join, and takes without a partner.

    >>> from pathlib import Path
    >>> takes = {f"a.{view}": Take(f"a.{view}", view, Path(f"{view}.mp4"), 9.0) for view in ("third", "first")}
    >>> [event] = events_of(Manifest(takes, (Pair("a", "a.third", "a.first", Clock.scaled(9.0, 9.0)),)))
    >>> event.id, [name for name, _ in event.cameras]
    ('a', ['third', 'first'])
    """
    named = {take.id: take.event for take in manifest.takes.values() if take.event}
    events = [_named(manifest, event) for event in dict.fromkeys(named.values())]
    groups: dict[str, list[Pair]] = {}  # the first pair's id -> all that share a take with it
    home: dict[str, str] = {}  # take -> group
    for pair in manifest.pairs:
        if not pair.same_person or pair.third in named:
            continue
        known = sorted({home[take] for take in (pair.third, pair.first) if take in home})
        into = known[0] if known else pair.id
        groups.setdefault(into, []).append(pair)
        for other in known[1:]:
            groups[into] += groups.pop(other)
        home.update({take: into for one in groups[into] for take in (one.third, one.first)})
    found = [_event(manifest, pairs) for pairs in groups.values()]
    alone = [take for take in manifest.takes.values() if take.id not in home and not take.event]
    return events + found + [Event(take.id, ((take.view, take),)) for take in alone]


def _named(manifest: Manifest, event: str) -> Event:
    """The event that takes name themselves: their ids are `EVENT.CAMERA`."""
    takes = [take for take in manifest.takes.values() if take.event == event]
    names = {take.id: take.id.removeprefix(f"{event}.") for take in takes}
    pairs = [pair for pair in manifest.pairs if pair.same_person and pair.third in names and pair.first in names]
    clocks = tuple((names[pair.third], names[pair.first], pair.clock) for pair in pairs if _says(manifest, pair))
    return Event(event, tuple((names[take.id], take) for take in takes), clocks)


def _event(manifest: Manifest, pairs: Sequence[Pair]) -> Event:
    takes = dict.fromkeys(take for pair in pairs for take in (pair.third, pair.first))
    id = pairs[0].id if len(pairs) == 1 else _shared_start([*takes]) or pairs[0].id
    names: dict[str, str] = {}
    for take in takes:
        view = manifest.takes[take].view
        name = take[len(id) :].lstrip("._-/ ") if take.startswith(id) and take != id else view
        names[take] = name if name not in names.values() else take
    clocks = tuple((names[pair.third], names[pair.first], pair.clock) for pair in pairs if _says(manifest, pair))
    return Event(id, tuple((names[take], manifest.takes[take]) for take in takes), clocks)


def _shared_start(names: Sequence[str]) -> str:
    """What all names begin with, without what stands between it and the rest.

    >>> _shared_start(["tea-1.cam01", "tea-1.cam02"])
    'tea-1'
    """
    alike = 0
    while alike < min(map(len, names)) and len({name[alike] for name in names}) == 1:
        alike += 1
    cut = max(names[0].rfind(mark, 0, alike + 1) for mark in "._-/ ")
    return names[0][: cut if cut > 0 else alike].rstrip("._-/ ")


def _says(manifest: Manifest, pair: Pair) -> bool:
    """Whether a pair's clock is one that somebody stated: scaled lengths are only what is used in its place."""
    return pair.clock != Clock.scaled(*manifest.lengths(pair))

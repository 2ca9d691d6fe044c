"""The plan of a set: every take, who plays what in it where, and which file it goes to. No pixels yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from actor_observer.pairs.clock import Clock
from actor_observer.pairs.manifest import Action, Split, View
from actor_observer.playhouse.acting.actors import actor_named
from actor_observer.playhouse.acting.bystanders import stand_by
from actor_observer.playhouse.acting.free_tempo import Free, free_clock, perform_freely
from actor_observer.playhouse.acting.gathering import Gathering, lead_of, performances_of
from actor_observer.playhouse.acting.motion import Array
from actor_observer.playhouse.acting.performance import Performance, clock_between, perform
from actor_observer.playhouse.acting.scripting.scripts import Script
from actor_observer.playhouse.acting.whole_body import Lively
from actor_observer.playhouse.filming.shots import Shot
from actor_observer.playhouse.home.homes import build_home, layout_named

__all__ = ["EventPlan", "PairPlan", "SetPlan", "TakePlan", "bystanders_of", "performance_of"]


@dataclass(frozen=True)
class TakePlan:
    """One recording to be made. A worker needs nothing else."""

    id: str
    view: View
    split: Split
    script: Script
    actor: str
    layout: str
    dress: int
    looks: int
    performance: tuple[int, ...]  # seed
    filming: tuple[int, ...]  # seed
    fps: float
    offset: float = 0.0  # the camera starts so many seconds into the performance
    rate: float = 1.0  # camera seconds per second of the performance
    head: tuple[int, ...] = ()  # seed of the head camera's filming, when it records the same performance
    # Of varied sets (varied_plan.py). Not in the repr, by which older sets are known.
    lively: Lively | None = field(default=None, repr=False)
    shot: Shot | None = field(default=None, repr=False)
    head_shot: Shot | None = field(default=None, repr=False)  # of the head camera that records the same performance
    event: EventPlan | None = field(default=None, repr=False)  # of sets of events (event_plan.py)
    free: Free | None = field(default=None, repr=False)  # of sets in free tempo (free_plan.py)

    @property
    def length(self) -> float:
        """Seconds of the video: whole frames."""
        return self.frames / self.fps

    @property
    def frames(self) -> int:
        seconds = self.shot.seconds if self.shot else performance_of(self).length - self.offset
        return round(seconds * self.rate * self.fps)

    def moments(self, times: Array) -> Array:
        """Times of the performance at times (T,) of the video."""
        return np.asarray(self.offset + np.asarray(times, float) / self.rate)

    @property
    def times(self) -> Array:
        """The times of the video at which frames are drawn."""
        return np.arange(self.frames) / self.fps

    @property
    def actions(self) -> tuple[Action, ...]:
        """Labels in the video's seconds, clipped to its length."""
        cut = []
        for action in performance_of(self).actions():
            start, end = ((t - self.offset) * self.rate for t in (action.start, action.end))
            if end > 0.0 and start < self.length:
                cut.append(Action(action.label, round(max(start, 0.0), 2), round(min(end, self.length), 2)))
        return tuple(cut)


@dataclass(frozen=True)
class PairPlan:
    """A pair, and the take of the same script by somebody else, if there is one."""

    third: TakePlan
    first: TakePlan
    different: TakePlan | None = None

    @property
    def takes(self) -> tuple[TakePlan, ...]:
        return (self.third, self.first, *([self.different] if self.different else []))

    def clock(self, third: TakePlan | None = None) -> Clock:
        """The exact clock between a third-person take (the pair's own, or the different person's) and the first."""
        third = third or self.third
        if third.performance == self.first.performance:  # both cameras record one performance, or one event
            ends = np.array([0.0, performance_of(third).length])
            a, b = ((ends - take.offset) * take.rate for take in (third, self.first))
            return Clock(tuple((round(float(x), 6), round(float(y), 6)) for x, y in zip(a, b, strict=True)))
        between = free_clock if third.free else clock_between
        return between(performance_of(third), performance_of(self.first))


@dataclass(frozen=True)
class EventPlan:
    """One event: who is there, and each person's head, whether there is a camera on it or not."""

    id: str
    gathering: Gathering
    heads: tuple[tuple[tuple[int, ...], Shot], ...]  # seed and camera of each, in the order of `gathering.names`
    wearers: tuple[str, ...]  # whose head cameras record

    def number(self, name: str) -> int:
        """Where somebody is in the order of the gathering."""
        return self.gathering.names.index(name)


@dataclass(frozen=True)
class SetPlan:
    """Everything that will be made."""

    pairs: tuple[PairPlan, ...]
    labelled: tuple[TakePlan, ...]  # third-person takes that carry labels and belong to no pair
    together: bool = False
    events: tuple[TakePlan, ...] = field(default=(), repr=False)  # all takes of all events, an event's one by one

    @property
    def takes(self) -> tuple[TakePlan, ...]:
        return (*(take for pair in self.pairs for take in pair.takes), *self.labelled, *self.events)


@lru_cache(maxsize=64)
def _perform(
    script: Script,
    actor: str,
    layout: str,
    dress: int,
    looks: int,
    seed: tuple[int, ...],
    lively: Lively | None,
    free: Free | None,
) -> Performance:
    home = build_home(layout_named(layout), dress)
    if free:
        return perform_freely(script, home, actor_named(actor), looks, list(seed), free)
    return perform(script, home, actor_named(actor), looks, list(seed), lively=lively)


def performance_of(take: TakePlan) -> Performance:
    """The performance that a take records: of the wearer, or of who leads where a room camera records an event."""
    if take.event:
        who = take.event.number(take.actor)
        return performances_of(take.event.gathering)[who] if who else lead_of(take.event.gathering)
    return _perform(
        take.script, take.actor, take.layout, take.dress, take.looks, take.performance, take.lively, take.free
    )


def bystanders_of(take: TakePlan) -> tuple[Performance, ...]:
    """What the others in the room do meanwhile; nobody is there unless the set is varied."""
    names = take.lively.bystanders if take.lively else ()
    others = [actor_named(name) for name in names]
    performance = performance_of(take)
    return tuple(stand_by(performance, actor, [*take.performance, n]) for n, actor in enumerate(others))

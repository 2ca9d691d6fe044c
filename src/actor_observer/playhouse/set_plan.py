"""The plan of a set: which scripts, who plays them where, and which files they go to. No pixels yet."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from actor_observer.pairs.clock import Clock
from actor_observer.pairs.manifest import SPLITS, Action, Split, View
from actor_observer.playhouse.acting.actors import Actor, actor_named, cast_of
from actor_observer.playhouse.acting.bystanders import stand_by
from actor_observer.playhouse.acting.gathering import Gathering, lead_of, performances_of
from actor_observer.playhouse.acting.motion import Array
from actor_observer.playhouse.acting.performance import Performance, clock_between, perform
from actor_observer.playhouse.acting.scripts import Script, write_script
from actor_observer.playhouse.acting.whole_body import Lively
from actor_observer.playhouse.filming.shots import Shot
from actor_observer.playhouse.home.homes import Layout, build_home, layout_named, layouts_of

__all__ = [
    "LOOKS",
    "EventPlan",
    "PairPlan",
    "Planner",
    "SetPlan",
    "TakePlan",
    "bystanders_of",
    "counts_of",
    "performance_of",
    "plan_set",
    "plan_together",
]

DRESSES, LOOKS = 6, 40  # of each layout; of the objects in each split


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
        return clock_between(performance_of(third), performance_of(self.first))


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


@lru_cache(maxsize=16)
def _perform(
    script: Script, actor: str, layout: str, dress: int, looks: int, seed: tuple[int, ...], lively: Lively | None
) -> Performance:
    home = build_home(layout_named(layout), dress)
    return perform(script, home, actor_named(actor), looks, list(seed), lively=lively)


def performance_of(take: TakePlan) -> Performance:
    """The performance that a take records: of the wearer, or of who leads where a room camera records an event."""
    if take.event:
        who = take.event.number(take.actor)
        return performances_of(take.event.gathering)[who] if who else lead_of(take.event.gathering)
    return _perform(take.script, take.actor, take.layout, take.dress, take.looks, take.performance, take.lively)


def bystanders_of(take: TakePlan) -> tuple[Performance, ...]:
    """What the others in the room do meanwhile; nobody is there unless the set is varied."""
    names = take.lively.bystanders if take.lively else ()
    others = [actor_named(name) for name in names]
    performance = performance_of(take)
    return tuple(stand_by(performance, actor, [*take.performance, n]) for n, actor in enumerate(others))


def counts_of(pairs: int, shares: tuple[float, float, float]) -> dict[Split, int]:
    """How many pairs each split gets; with at least three pairs no split is empty.

    >>> counts_of(20, (0.7, 0.1, 0.2))
    {'train': 14, 'validation': 2, 'test': 4}
    """
    held = [max(round(pairs * share), int(pairs > 2)) for share in shares[1:]]
    return dict(zip(SPLITS, (pairs - sum(held), *held), strict=True))


def _id(rng: np.random.Generator, used: set[str]) -> str:
    """An id of five letters and digits, as in Charades."""
    while True:
        name = "".join(rng.choice(list("ABCDFGHJKLMNPQRSTVWXYZ0123456789"), 5))
        if name not in used and not name.endswith("EGO"):
            used.add(name)
            return name


class Planner:
    """Draws scripts one after the other, so that no two of a set are the same."""

    def __init__(self, seed: int, fps: float, seconds: tuple[float, float]) -> None:
        self.seed, self.fps, self.seconds = seed, fps, seconds
        self.ids: set[str] = set()
        self.texts: set[str] = set()
        self.count = 0

    def script(self, rng: np.random.Generator, split: Split) -> tuple[Script, Layout, Layout]:
        """A new script, and two homes that can stage it."""
        for _ in range(1000):
            room = layouts_of(split)[int(rng.integers(len(layouts_of(split))))]
            others = [other for other in layouts_of(split) if other != room and len(other.kinds & room.kinds) > 1]
            other = others[int(rng.integers(len(others)))]
            script = write_script(room.kinds & other.kinds, rng, self.seconds)
            if script.text not in self.texts:
                self.texts.add(script.text)
                return script, room, other
        raise ValueError(f"no new script found for {split} after {len(self.texts)}")

    def take(
        self, rng: np.random.Generator, view: View, split: Split, script: Script, room: Layout, actor: Actor
    ) -> TakePlan:
        looks = 1000 * SPLITS.index(split) + int(rng.integers(LOOKS))
        self.count += 1
        seed = (self.seed, self.count)
        return TakePlan(
            _id(rng, self.ids),
            view,
            split,
            script,
            actor.name,
            room.name,
            int(rng.integers(DRESSES)),
            looks,
            (*seed, 1),
            (*seed, 2),
            self.fps,
        )

    def pair(self, rng: np.random.Generator, split: Split, different: bool) -> PairPlan:
        script, room, other = self.script(rng, split)
        actor, stranger = (cast_of(split)[int(i)] for i in rng.permutation(len(cast_of(split)))[:2])
        third = self.take(rng, "third", split, script, room, actor)
        self.count += 1
        seed = (self.seed, self.count)
        first = replace(third, id=third.id + "EGO", view="first", performance=(*seed, 1), filming=(*seed, 2))
        return PairPlan(third, first, self.take(rng, "third", split, script, other, stranger) if different else None)


def plan_set(
    pairs: int,
    seed: int,
    *,
    fps: float = 12.0,
    labelled: int = 0,
    seconds: tuple[float, float] = (19.0, 31.0),
    shares: tuple[float, float, float] = (0.7, 0.1, 0.2),
    different: tuple[Split, ...] = SPLITS,
) -> SetPlan:
    """Plan weakly paired takes in the form of Charades-Ego.

    >>> plan = plan_set(pairs=5, seed=0, labelled=2)
    >>> len(plan.pairs), len(plan.labelled), plan.pairs[0].first.id == plan.pairs[0].third.id + "EGO"
    (5, 2, True)
    """
    planner = Planner(seed, fps, seconds)
    rng = np.random.default_rng([seed, 101])
    made = [
        planner.pair(rng, split, split in different)
        for split, count in counts_of(pairs, shares).items()
        for _ in range(count)
    ]
    extra = []
    for number in range(labelled):
        cast = cast_of("train", labelled_only=True)
        script, room, _ = planner.script(rng, "train")
        extra.append(planner.take(rng, "third", "train", script, room, cast[number % len(cast)]))
    return SetPlan(tuple(made), tuple(extra))


def plan_together(
    pairs: int,
    seed: int,
    *,
    fps: float = 12.0,
    seconds: tuple[float, float] = (19.0, 31.0),
    shares: tuple[float, float, float] = (0.7, 0.1, 0.2),
    rates: tuple[float, float] = (0.9, 1.1),
) -> SetPlan:
    """Plan pairs in which both cameras record one performance, each with its own start, rate and frame rate.

    `rates` is the range of the head camera's rate: seconds of its clock per second of the performance.

    >>> pair = plan_together(pairs=1, seed=0).pairs[0]
    >>> pair.third.performance == pair.first.performance, pair.third.fps != pair.first.fps
    (True, True)
    """
    planner, rng, made = Planner(seed, fps, seconds), np.random.default_rng([seed, 102]), []
    digits = 4 if rates[1] - rates[0] > 0.01 else 7  # of the rate: parts per million need more
    for split, count in counts_of(pairs, shares).items():
        for _ in range(count):
            pair = planner.pair(rng, split, different=False)
            late, rate = float(rng.uniform(2.0, 8.0)), round(float(rng.uniform(*rates)), digits)
            offsets = (0.0, round(late, 3)) if rng.random() < 0.5 else (round(late, 3), 0.0)
            third = replace(pair.third, offset=offsets[0], head=pair.first.filming)
            first = replace(
                pair.first, performance=third.performance, offset=offsets[1], rate=rate, fps=round(fps * 1.25, 3)
            )
            made.append(PairPlan(third, first))
    return SetPlan(tuple(made), (), together=True)

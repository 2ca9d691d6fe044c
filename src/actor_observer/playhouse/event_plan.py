"""Plan events: several room cameras and several head cameras on one performance, with others in the room."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from actor_observer.errors import UserError
from actor_observer.pairs.manifest import Split, View
from actor_observer.playhouse.acting.actors import people_of
from actor_observer.playhouse.acting.gathering import MANNERS, Gathering, Part, lead_of
from actor_observer.playhouse.filming.shots import Shot, draw_shot
from actor_observer.playhouse.planner import LOOKS, Planner, counts_of
from actor_observer.playhouse.set_plan import EventPlan, SetPlan, TakePlan
from actor_observer.playhouse.varied_plan import DRIFT, draw_lively

__all__ = ["Events", "plan_events"]

# How often somebody who does not lead acts how, with and without a camera on the head.
ODDS = {"chore": 0.25, "busy": 0.15, "talk": 0.15, "sit": 0.2, "pass": 0.1, "wander": 0.15}
# A head camera should see something happen, so its wearer is busy more often.
WEARER_ODDS = {"chore": 0.4, "busy": 0.2, "talk": 0.1, "sit": 0.05, "pass": 0.05, "wander": 0.2}
# Frames a second of a camera, and how often: fast ones cost as much to draw as two others.
RATES = {10.0: 0.08, 12.0: 0.08, 15.0: 0.12, 20.0: 0.1, 24.0: 0.14, 25.0: 0.14, 29.97: 0.12, 30.0: 0.16, 60.0: 0.06}
SHORTEST = 0.55  # a camera runs for at least this share of an event


@dataclass(frozen=True)
class Events:
    """How many cameras and people events have: at least and at most.

    >>> Events(people=(0, 3))
    Traceback (most recent call last):
    actor_observer.errors.UserError: people from 0 to 3: the first must be at least 1, and no larger than the second
    """

    rooms: tuple[int, int] = (1, 3)  # cameras in the room
    wearers: tuple[int, int] = (1, 2)  # of head cameras; never more than there are people
    people: tuple[int, int] = (1, 5)  # in the room
    longest: float = 45.0  # seconds of the event in which all its cameras run
    shared: float = 0.4  # each two cameras of an event record at least this share of either's recording together

    def __post_init__(self) -> None:
        for name in ("rooms", "wearers", "people"):
            low, high = getattr(self, name)
            if not 1 <= low <= high:
                raise UserError(
                    f"{name} from {low} to {high}: the first must be at least 1, and no larger than the second"
                )
        most = min(len(people_of(split)) for split in ("train", "validation", "test"))
        if self.people[1] > most:
            raise UserError(f"people up to {self.people[1]}: every split has at most {most}")
        if not 0.0 <= self.shared <= 0.95 or not self.longest >= 2.0:
            raise UserError(f"shared {self.shared:g}, longest {self.longest:g}: need 0 to 0.95, and at least 2 seconds")


def plan_events(
    number: int,
    seed: int,
    events: Events | None = None,
    *,
    seconds: tuple[float, float] = (19.0, 31.0),
    shares: tuple[float, float, float] = (0.7, 0.1, 0.2),
) -> SetPlan:
    """Plan so many events. `seconds` are of the lead's script, `shares` those of the splits.

    >>> plan = plan_events(1, seed=0, events=Events(rooms=(2, 2), wearers=(1, 1), people=(3, 3)))
    >>> [take.view for take in plan.takes], len(plan.events[0].event.gathering.names)
    (['third', 'third', 'first'], 3)
    """
    planner, takes = Planner(seed, 0.0, seconds), []
    for split, many in counts_of(number, shares).items():
        for _ in range(many):
            rng = np.random.default_rng([seed, 104, planner.count])
            takes += _event(planner, split, events or Events(), rng)
    return SetPlan((), (), together=True, events=tuple(takes))


def _event(planner: Planner, split: Split, events: Events, rng: np.random.Generator) -> list[TakePlan]:
    """The takes of one event."""
    draft, gathering = _gather(planner, split, events, rng)
    wearers = gathering.names[: _between(events.wearers, rng)]
    cameras: list[tuple[View, str]] = [("third", gathering.actor)] * _between(events.rooms, rng)
    cameras += [("first", name) for name in wearers]
    takes = []
    length = lead_of(gathering).length
    begins = float(rng.uniform(0.0, max(0.0, length - events.longest)))
    windows = _windows(min(length, events.longest), len(cameras), events.shared, rng)
    for number, (start, end) in enumerate(windows):
        view, name = cameras[number]
        at = cameras[: number + 1].count(cameras[number]) if view == "third" else wearers.index(name) + 1
        take = replace(draft, id=f"{draft.id}{'R' if view == 'third' else 'H'}{at}", view=view, actor=name)
        takes.append(_camera(take, number, (begins + start, begins + end), rng))
    heads = tuple(
        next(
            ((take.filming, take.shot) for take in takes if take.view == "first" and take.actor == name and take.shot),
            _bare_head(draft, number, rng),
        )
        for number, name in enumerate(gathering.names)
    )
    event = EventPlan(draft.id, gathering, heads, wearers)
    return [replace(take, event=event) for take in takes]


def _gather(planner: Planner, split: Split, events: Events, rng: np.random.Generator) -> tuple[TakePlan, Gathering]:
    """Who is there and does what; and a take of the lead, from which the event's takes are made."""
    script, room, _ = planner.script(rng, split)
    crowd = [people_of(split)[int(i)] for i in rng.permutation(len(people_of(split)))[: _between(events.people, rng)]]
    draft = planner.take(rng, "third", split, script, room, crowd[0])
    lively, kept = draw_lively(draft, rng)
    draft = replace(
        draft, script=replace(script, steps=script.steps[:kept]), lively=replace(lively, bystanders=(), round=True)
    )
    parts = []
    for number, actor in enumerate(crowd[1:], start=1):
        odds = WEARER_ODDS if number < events.wearers[1] else ODDS
        manner = str(rng.choice(list(MANNERS), p=[odds[name] for name in MANNERS]))
        parts.append(Part(actor.name, manner, draft.looks + int(rng.integers(LOOKS)), (*draft.performance, number)))
    return draft, Gathering(
        draft.script,
        draft.actor,
        draft.layout,
        draft.dress,
        draft.looks,
        replace(lively, bystanders=(), round=True),
        draft.performance,
        tuple(parts),
    )


def _camera(take: TakePlan, number: int, window: tuple[float, float], rng: np.random.Generator) -> TakePlan:
    """Give a take a camera of its own, with its own frame rate, start and speed."""
    start, end = window
    fps, filming = float(rng.choice(list(RATES), p=list(RATES.values()))), (*take.filming, 20 + number)
    shot = draw_shot(take.view, end - start, fps, rng, (*filming, 9))
    rate = round(float(1 + rng.uniform(-DRIFT, DRIFT)), 7)
    return replace(take, filming=filming, fps=fps, offset=round(start, 3), rate=rate, shot=shot)


def _bare_head(draft: TakePlan, number: int, rng: np.random.Generator) -> tuple[tuple[int, ...], Shot]:
    """How the head of somebody moves who wears no camera."""
    seed = (*draft.filming, 60 + number)
    return seed, draw_shot("first", 0.0, 30.0, rng, (*seed, 9))


def _between(bounds: tuple[int, int], rng: np.random.Generator) -> int:
    return int(rng.integers(bounds[0], bounds[1] + 1))


def _windows(length: float, many: int, shared: float, rng: np.random.Generator) -> list[tuple[float, float]]:
    """When each camera runs: from somewhere to somewhere, with enough of it shared by each two."""
    for tried in count():  # the longer it takes, the longer all cameras run
        spans = rng.uniform(1 - (1 - SHORTEST) * np.exp(-tried / 300), 1.0, many) * length
        starts = rng.uniform(0, length - spans)
        ends = starts + spans
        both = np.minimum(ends[:, None], ends) - np.maximum(starts[:, None], starts)  # (N, N)
        if (both >= shared * np.maximum(spans[:, None], spans)).all():
            return [(float(start), float(end)) for start, end in zip(starts, ends, strict=True)]
    raise AssertionError("count() never ends")

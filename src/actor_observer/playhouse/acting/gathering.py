"""A gathering: everybody in the room during one event. One person leads; the others act on their own.

The lead plays a script. The others do a chore of their own at another place, are busy on the spot, talk with their
hands, sit, pass through the room or wander, round the furniture and out of each other's way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from actor_observer.playhouse.acting.actors import Actor, actor_named
from actor_observer.playhouse.acting.motion import Array
from actor_observer.playhouse.acting.moves import nearest_turn, stand
from actor_observer.playhouse.acting.performance import LIVELY_LOOSENESS, Performance, perform, play_step, time_phases
from actor_observer.playhouse.acting.scripting.scripts import Script, Step, write_script
from actor_observer.playhouse.acting.scripting.units import SEATS
from actor_observer.playhouse.acting.stage import Stage
from actor_observer.playhouse.acting.whole_body import MOVES, Lively, can_move, go
from actor_observer.playhouse.home.free_floor import free_spots
from actor_observer.playhouse.home.homes import Home, build_home, layout_named

__all__ = ["MANNERS", "Gathering", "Part", "lead_of", "performances_of", "too_near"]

NEAR = 0.5  # metres: two people whose middles are nearer touch
TRIES = 10  # ways to act that somebody thinks of, to keep out of the others' way
CHORE_SECONDS = (8.0, 18.0)  # that a chore of a bystander takes
BUSY = tuple(name for name in MOVES if name != "stroll")
Rng = np.random.Generator


@dataclass(frozen=True)
class Part:
    """What somebody does who does not lead."""

    actor: str
    manner: str  # a name in MANNERS
    looks: int  # of the objects of a chore
    seed: tuple[int, ...]


@dataclass(frozen=True)
class Gathering:
    """Who does what in one event. Decides everybody's movement."""

    script: Script  # the lead's
    actor: str  # the lead
    layout: str
    dress: int
    looks: int
    lively: Lively
    seed: tuple[int, ...]
    others: tuple[Part, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Everybody; the lead comes first."""
        return (self.actor, *(part.actor for part in self.others))


@lru_cache(maxsize=8)
def lead_of(gathering: Gathering) -> Performance:
    """What the lead does; an event lasts as long."""
    home, lead = build_home(layout_named(gathering.layout), gathering.dress), actor_named(gathering.actor)
    return perform(gathering.script, home, lead, gathering.looks, [*gathering.seed], lively=gathering.lively)


@lru_cache(maxsize=8)
def performances_of(gathering: Gathering) -> tuple[Performance, ...]:
    """What everybody does, the lead first. The others keep out of the way of those before them."""
    found = [lead_of(gathering)]
    for part in gathering.others:
        found.append(_find_room(part, found[0].home, found))
    return tuple(found)


def too_near(one: Performance, two: Performance, length: float) -> float:
    """Share of the time in which two people are so near that they touch."""
    times = np.arange(0.0, length, 0.2)
    apart = one.tracks(times).root[:, :2] - two.tracks(times).root[:, :2]
    return float(np.mean(np.linalg.norm(apart, axis=1) < NEAR))


def _find_room(part: Part, home: Home, before: Sequence[Performance]) -> Performance:
    """Of a few ways to act the part, the first in which nobody is touched, or else the best."""
    length, tried = before[0].length, []
    for number in range(TRIES):
        performance = _act(part, home, before, np.random.default_rng([*part.seed, number]))
        touching = max(too_near(performance, other, length) for other in before)
        tried.append((touching, number, performance))
        if touching == 0.0:
            break
    return min(tried, key=lambda item: item[:2])[2]


def _act(part: Part, home: Home, before: Sequence[Performance], rng: Rng) -> Performance:
    length, actor = before[0].length, actor_named(part.actor)
    taken = {place for other in before for place in other.script.places if other.script.steps or other.script.seated}
    stage, act = MANNERS[part.manner](_Room(home, actor, part.looks, taken, before), rng)
    stage.round = True
    while sum(phase.seconds for phase in stage.phases) < 1.3 * length / actor.pace + 3.0:
        act()
    glances = round(float(rng.uniform(1.0, 4.0)), 2), round(float(rng.uniform(0.3, 1.2)), 2)
    lively = Lively((), 0.0, 0.0, 0.0, float(rng.uniform(0.6, 1.4)), glances)
    return time_phases(stage, LIVELY_LOOSENESS, rng, lively)


@dataclass(frozen=True)
class _Room:
    """What somebody finds who comes in."""

    home: Home
    actor: Actor
    looks: int
    taken: set[str]  # places where somebody acts
    before: Sequence[Performance]

    def spots(self, rng: Rng, count: int) -> Array:
        """Free spots (count, 2), away from where others act."""
        roots = np.concatenate([[phase.posture.root[:2] for phase in other.phases] for other in self.before])
        return free_spots(self.home, rng, count, roots)

    def enter(self, spot: Array, rng: Rng) -> Stage:
        """A stage on which the actor stands at a spot, and looks into the room."""
        stage = Stage(Script((next(iter(self.home.standings)),), (), (), False), self.home, self.actor, 0, rng)
        stage.posture = replace(
            stage.posture, root=np.array([*spot, _inwards(spot, rng)]), gaze=stage.front(0, 1.2, -0.2)
        )
        stage.start = (stage.posture, *stage.start[1:])
        return stage


Act = Callable[[], None]  # adds a few seconds


def _inwards(spot: Array, rng: Rng) -> float:
    """A heading into the room, more or less: who faces a wall sees little."""
    return float(np.arctan2(-spot[1], -spot[0]) - np.pi / 2 + rng.normal(0, 0.7))


def _go_to(stage: Stage, spot: Array, rng: Rng) -> None:
    go(stage, spot, rng, _inwards(spot, rng))


def _busy(room: _Room, rng: Rng) -> tuple[Stage, Act]:
    """Whole-body movement at one or two spots."""
    spots = room.spots(rng, 2)
    stage, moves = room.enter(spots[0], rng), rng.choice(BUSY, 3, replace=False)

    def act() -> None:
        MOVES[str(rng.choice([*moves, "wait"]))](stage, rng)
        if rng.random() < 0.15:
            _go_to(stage, spots[int(rng.integers(2))], rng)

    return stage, act


def _talk(room: _Room, rng: Rng) -> tuple[Stage, Act]:
    """Talk with the hands, listen, turn a little."""
    spot = room.spots(rng, 1)[0]
    stage = room.enter(spot, rng)

    def act() -> None:
        MOVES[str(rng.choice(["gesture", "wait"]))](stage, rng)
        if rng.random() < 0.3:
            root = np.array([*stage.posture.root[:2], nearest_turn(stage.posture.root[2], _inwards(spot, rng))])
            stage.phase("turn", float(rng.uniform(0.5, 1.0)), root=root)

    return stage, act


def _sit(room: _Room, rng: Rng) -> tuple[Stage, Act]:
    """Sit still most of the time; where no seat is free, stand still."""
    seats = [kind for kind in room.home.standings if kind in SEATS and kind not in room.taken]
    if not seats:
        stage = room.enter(room.spots(rng, 1)[0], rng)
    else:
        stage = Stage(Script((str(rng.choice(seats)),), (), (), True), room.home, room.actor, 0, rng)

    def act() -> None:
        MOVES["gesture" if rng.random() < 0.2 else "wait"](stage, rng)

    return stage, act


def _pass(room: _Room, rng: Rng) -> tuple[Stage, Act]:
    """Walk through the room from one end to the other, and after a while back."""
    spots = room.spots(rng, 6)
    apart = np.linalg.norm(spots[:, None] - spots[None], axis=-1)
    ends = spots[list(np.unravel_index(int(apart.argmax()), apart.shape))]
    stage = room.enter(ends[0], rng)

    def act() -> None:
        for _ in range(int(rng.integers(1, 4))):
            MOVES["wait"](stage, rng)
        here = np.linalg.norm(ends - stage.posture.root[:2], axis=1)
        _go_to(stage, ends[int(here.argmax())], rng)

    return stage, act


def _wander(room: _Room, rng: Rng) -> tuple[Stage, Act]:
    """Walk from spot to spot; now and then stop and do something."""
    stage = room.enter(room.spots(rng, 1)[0], rng)

    def act() -> None:
        _go_to(stage, room.spots(rng, 1)[0], rng)
        if rng.random() < 0.6:
            MOVES[str(rng.choice(["wait", "gesture", "turn round", "crouch", "reach up"]))](stage, rng)

    return stage, act


def _chore(room: _Room, rng: Rng) -> tuple[Stage, Act]:
    """A short script of one's own at a place where nobody acts; then busy beside it. Where none is free, busy."""
    kinds = frozenset(room.home.standings) - room.taken
    if not kinds:
        return _busy(room, rng)
    script = write_script(kinds, rng, CHORE_SECONDS)
    stage = Stage(script, room.home, room.actor, room.looks, rng)
    stage.pause()
    steps = iter(range(len(script.steps)))

    def act() -> None:
        number = next(steps, None)
        if number is not None:
            play_step(stage, number)
            return
        stage.step, stage.using = -1, ""
        if not can_move(stage):
            MOVES["wait"](stage, rng)
        elif stage.posture.sit > 0.5 and rng.random() < 0.3:
            stand(stage, Step("", "", 0, 0, 0))
        elif stage.posture.sit > 0.5 or rng.random() < 0.6:
            MOVES[str(rng.choice(["wait", "gesture"]))](stage, rng)
        else:
            _go_to(stage, room.spots(rng, 1)[0], rng)

    return stage, act


MANNERS: dict[str, Callable[[_Room, Rng], tuple[Stage, Act]]] = {
    "chore": _chore,
    "busy": _busy,
    "talk": _talk,
    "sit": _sit,
    "pass": _pass,
    "wander": _wander,
}

"""The stage: turns the actions of a script into phases, each a short motion from one posture to the next.

Places in the actor's reach are in the body's frame: x towards the dominant hand, y forward, z up from the floor,
so that one choreography serves left-handed and right-handed actors, and every home.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from actor_observer.playhouse.acting.actors import Actor
from actor_observer.playhouse.acting.motion import Array
from actor_observer.playhouse.acting.scripting.scripts import Prop, Script
from actor_observer.playhouse.home.homes import Home, Standing
from actor_observer.playhouse.home.objects import build_thing
from actor_observer.playhouse.home.parts import Thing

__all__ = ["Phase", "Posture", "Stage", "ThingKey"]

SEAT_BACK = 0.16  # how far behind the standing place the pelvis of a sitting actor is


@dataclass(frozen=True)
class Posture:
    """Everything about the actor at the end of a phase."""

    dominant: Array  # (3,) grip of the dominant hand
    other: Array  # (3,)
    gaze: Array  # (3,) point looked at
    lean: float  # radians forward, beyond what reaching needs
    sit: float  # 0 standing … 1 seated
    seat: float  # height of the seat
    root: Array  # (3,) x, y, yaw in the room
    grips: tuple[bool, bool]  # dominant, other: closed around something
    rise: float = 0.0  # metres by which the whole upper body is lifted; negative: knees bent
    hop: float = 0.0  # metres by which the feet are off the floor, and everything else with them


@dataclass(frozen=True)
class ThingKey:
    """Where an object is at the end of a phase: at rest in the room, or carried."""

    carrier: str  # "", "dominant", "other" or "both"
    rest: Array  # (3,) in the room, when not carried
    heading: float  # yaw in the room at rest
    offset: Array  # (3,) from the grip, in the body's frame, when carried
    turn: Array  # (3,) yaw, pitch, roll in the body's frame when carried
    opening: float


@dataclass(frozen=True)
class Phase:
    """A short motion to a posture, as part of a step of the script (-1: a pause between steps)."""

    step: int
    name: str
    seconds: float  # nominal: the same in every performance of the script
    stretch: float  # factor of this home: a longer walk takes longer
    posture: Posture
    things: dict[str, ThingKey]
    doors: dict[str, float]
    using: str  # object in use, or ""


class Stage:
    """Records phases. Choreographies (moves.py) call `phase` with what changes; all else stays."""

    def __init__(
        self, script: Script, home: Home, actor: Actor, looks: int, rng: np.random.Generator, start: int = 0
    ) -> None:  # `start`: the place of the script where the actor is at first
        self.script, self.home, self.actor, self.rng = script, home, actor, rng
        self.side = actor.dominant_side
        self.things: dict[str, Thing] = {p.kind: build_thing(p.kind, looks) for p in script.props}
        self.doors = {name: 0.0 for standing in home.standings.values() for name in standing.place.doors}
        self.phases: list[Phase] = []
        self.step, self.using = -1, ""
        self.round = False  # whether who walks about goes round the furniture
        self.standing: Standing = home.standings[script.places[start]]
        root = self.arrive(self.standing)
        seat = self.standing.place.seat
        zero = np.zeros(3)
        self.posture = Posture(zero, zero, zero, 0.0, float(script.seated and start == 0), seat, root, (False, False))
        self.posture = replace(
            self.posture, dominant=self.rest_hand(1), other=self.rest_hand(-1), gaze=self.front(0, 1.2, -0.3)
        )
        self.keys = {prop.kind: self._lay(prop) for prop in script.props}
        self.start = (self.posture, dict(self.keys), dict(self.doors))

    # --- where things are

    @property
    def shoulder(self) -> float:
        """Height of the shoulders."""
        scale = self.actor.scale
        standing, seated = 1.42 * scale, self.posture.seat + (0.10 + 0.48) * scale
        return standing + (seated - standing) * self.posture.sit

    def front(self, x: float, y: float, dz: float) -> Array:
        """A point relative to the shoulders: sideways, forward, up."""
        scale = self.actor.scale
        return np.array([x * scale, y * scale - SEAT_BACK * self.posture.sit, self.shoulder + dz * scale])

    def rest_hand(self, which: int) -> Array:
        """Where a hand hangs, or lies on the lap; `which` is +1 for the dominant one."""
        if self.posture.sit > 0.5:
            return np.array([0.13 * which, 0.20, self.posture.seat + 0.20])
        return self.front(0.26 * which, 0.07, -0.57)

    def arrive(self, standing: Standing) -> Array:
        """Where the actor stands at a place: slightly different each time."""
        x, y, _ = standing.to_world(np.array([*self.rng.normal(0, 0.025, 2), 0.0]))
        return np.array([x, y, standing.yaw + self.rng.normal(0, 0.04)])

    def body(self, world: Array) -> Array:
        """A point of the room in the body's frame."""
        x, y, yaw = self.posture.root
        dx, dy = world[0] - x, world[1] - y
        return np.array(
            [(dx * np.cos(yaw) + dy * np.sin(yaw)) * self.side, dy * np.cos(yaw) - dx * np.sin(yaw), world[2]]
        )

    def here(self, local: Array) -> Array:
        """A point of the present place's frame (not mirrored) in the body's frame."""
        return self.body(self.standing.to_world(np.asarray(local, float)))

    def spot(self, sideways: float, depth: float, standing: Standing | None = None) -> Array:
        """A point of a place's surface in the room, from (-1 … 1, 0 … 1)."""
        standing = standing or self.standing
        near, far = standing.place.reach
        x = standing.place.middle + standing.place.half * sideways * self.side
        local = np.array([x, near + depth * (far - near), standing.place.surface])
        return standing.to_world(local)

    def where(self, kind: str) -> Array:
        """Where the grip of a resting object is, in the body's frame."""
        return self.body(self.keys[kind].rest)

    def grip_of(self, kind: str) -> Array:
        """Where one hand holds a thing, off its origin."""
        return np.array(self.things[kind].grip)

    def _lay(self, prop: Prop) -> ThingKey:
        standing = self.home.standings[self.script.places[prop.place]]
        thing = self.things[prop.kind]
        rest, heading = self.spot(*prop.spot, standing), standing.yaw
        if prop.inside:
            rest = standing.to_world(np.array(standing.place.doors[prop.inside].inside))
        if prop.kind in ("broom", "mop"):
            rest = standing.to_world(np.array([0.8 * self.side, -0.05, 0.0]))
        rest = rest + np.array([0.0, 0.0, thing.rest])
        return ThingKey("", rest, heading, np.zeros(3), np.zeros(3), thing.opening)

    # --- what changes

    def phase(
        self,
        name: str,
        seconds: float,
        *,
        dominant: Array | None = None,
        other: Array | None = None,
        hands: Mapping[str, Array] | None = None,  # the same by name, "dominant" or "other"
        gaze: Array | None = None,
        lean: float | None = None,
        sit: float | None = None,
        seat: float | None = None,
        root: Array | None = None,
        rise: float | None = None,
        hop: float | None = None,
        wobble: float = 0.012,
        stretch: float = 1.0,
    ) -> None:
        """Add a phase that ends with these hands, this gaze and this posture; what is not given stays as it is."""
        change: dict[str, Any] = {"dominant": dominant, "other": other, **(hands or {})}
        change = {which: place + self.rng.normal(0, wobble, 3) for which, place in change.items() if place is not None}
        if gaze is not None:
            change["gaze"] = gaze + self.rng.normal(0, 0.03, 3)
        change.update({"lean": lean, "sit": sit, "seat": seat, "root": root, "rise": rise, "hop": hop})
        self.posture = replace(self.posture, **{key: value for key, value in change.items() if value is not None})
        state = dict(self.keys), dict(self.doors)
        self.phases.append(Phase(self.step, name, seconds, stretch, self.posture, *state, self.using))

    def grip(self, dominant: bool | None = None, other: bool | None = None) -> None:
        """Close or open the hands from now on."""
        now = self.posture.grips
        self.posture = replace(
            self.posture, grips=(now[0] if dominant is None else dominant, now[1] if other is None else other)
        )

    def set(self, kind: str, **change: float | str | Array) -> None:
        """Change an object's state from the next phase on (its end)."""
        self.keys[kind] = replace(self.keys[kind], **change)  # type: ignore[arg-type]

    def carry(
        self, kind: str, carrier: str, turn: tuple[float, float, float] = (0, 0, 0), offset: Array | None = None
    ) -> None:
        """From the next phase on, the object goes with a hand, or with both."""
        self.set(kind, carrier=carrier, turn=np.array(turn, float), offset=np.zeros(3) if offset is None else offset)
        self.grip(True if carrier in ("dominant", "both") else None, True if carrier in ("other", "both") else None)

    def leave(self, kind: str, rest: Array) -> None:
        """From the next phase on, the object rests at a point of the room; the hands that held it open."""
        carrier = self.keys[kind].carrier
        heading = self.posture.root[2]
        self.set(kind, carrier="", rest=rest, heading=heading, offset=np.zeros(3), turn=np.zeros(3))
        self.grip(False if carrier in ("dominant", "both") else None, False if carrier in ("other", "both") else None)

    def held(self) -> str:
        """The object in the hands, or ""."""
        return next((kind for kind, key in self.keys.items() if key.carrier), "")

    def pause(self) -> None:
        """A pause between actions, of a new length in every performance; the eyes wander."""
        using, self.using, self.step = self.using, self.held(), -1
        away = self.front(*self.rng.normal([0.0, 0.9, -0.25], [0.5, 0.2, 0.25]))
        drift = self.rng.normal(0, 0.02, 3)
        self.phase(
            "pause",
            0.35,
            dominant=self.posture.dominant + drift,
            gaze=away if self.rng.random() < 0.4 else self.posture.gaze,
        )
        self.using = using

"""Choreographies of the common verbs: take, put, hold, open, close, sit, stand and walk.

A choreography gets the stage and a step of the script, and adds phases. What is drawn from the step's own seed is the
same in every performance of the script; what the stage draws differs from one to the next.
"""

from __future__ import annotations

import numpy as np

from actor_observer.playhouse.acting.motion import Array
from actor_observer.playhouse.acting.scripting.scripts import Step
from actor_observer.playhouse.acting.stage import Stage
from actor_observer.playhouse.home.parts import Thing
from actor_observer.playhouse.home.places import Door

__all__ = ["HELD", "close", "hold", "lift", "nearest_turn", "open_up", "put", "sit", "stand", "take", "up", "walk"]

# How a thing is held in front of the body: (x, y, dz from the shoulders), (yaw, pitch, roll).
HELD: dict[str, tuple[tuple[float, float, float], tuple[float, float, float]]] = {
    "phone": ((0.06, 0.33, -0.24), (0.0, 0.85, 0.0)),
    "book": ((0.0, 0.36, -0.28), (0.0, 0.75, 0.0)),
    "remote": ((0.12, 0.36, -0.30), (0.0, 0.3, 0.0)),
    "picture": ((0.0, 0.38, -0.22), (0.0, -0.35, 0.0)),
    "pillow": ((0.0, 0.34, -0.30), (0.0, 0.9, 0.0)),
    "broom": ((0.20, 0.28, -0.45), (0.0, 0.1, -0.1)),
    "mop": ((0.20, 0.28, -0.45), (0.0, 0.1, -0.1)),
    "plate": ((0.08, 0.38, -0.28), (0.0, 0.3, 0.0)),
    "clothes": ((0.0, 0.40, -0.28), (0.0, 0.9, 0.0)),
    "towel": ((0.0, 0.40, -0.28), (0.0, 0.9, 0.0)),
    "blanket": ((0.0, 0.40, -0.30), (0.0, 0.8, 0.0)),
    "box": ((0.0, 0.38, -0.32), (0.0, 0.0, 0.0)),
    "bag": ((0.0, 0.36, -0.36), (0.0, 0.0, 0.0)),
}
_DEFAULT = ((0.12, 0.36, -0.28), (0.0, 0.0, 0.0))  # in front of the chest, a little to the right


def up(metres: float) -> Array:
    """A vector of this many metres upwards."""
    return np.array([0.0, 0.0, metres])


def _hands(stage: Stage, kind: str, at: Array) -> dict[str, Array]:
    """Where the hands are that carry a thing gripped at a point: one hand, or both at its sides."""
    half = np.array([stage.things[kind].span / 2, 0.0, 0.0])
    return {"dominant": at + half, "other": at - half} if half[0] else {"dominant": at + stage.grip_of(kind)}


def lift(stage: Stage, kind: str, seconds: float = 0.8) -> None:
    """Bring a carried thing to where it is held."""
    at, turn = HELD.get(kind, _DEFAULT)
    point = stage.front(*at)
    stage.set(kind, turn=np.array(turn))
    stage.phase("lift", seconds, hands=_hands(stage, kind, point), gaze=point)


def take(stage: Stage, step: Step) -> None:
    """Look, reach, and lift a thing to where it is held."""
    kind = step.thing
    at = stage.where(kind)
    stage.phase("look", 0.45, gaze=at)
    stage.phase("reach", 0.95, hands=_hands(stage, kind, at + up(0.01)), gaze=at, wobble=0.004)
    stage.carry(kind, "both" if stage.things[kind].span else "dominant", offset=-stage.grip_of(kind))
    lift(stage, kind, 0.85)


def put(stage: Stage, step: Step) -> None:
    """Put what is held onto the surface, into a container, or back into its corner."""
    kind, rng = step.thing, step.rng()
    if kind in ("broom", "mop"):
        world = stage.standing.to_world(np.array([0.8 * stage.side, -0.05, stage.things[kind].rest]))
    elif step.into:
        world = stage.keys[step.into].rest + np.array([*rng.normal(0, 0.03, 2), 0.02])
    else:
        world = stage.spot(_free_lane(stage, kind, rng), rng.uniform(0.2, 0.8)) + up(stage.things[kind].rest)
    at = stage.body(world)
    stage.phase("look", 0.4, gaze=at)
    if step.into:
        stage.phase("over", 0.6, hands=_hands(stage, kind, at + up(0.22)), gaze=at)
    stage.set(kind, turn=np.zeros(3))
    stage.phase("lower", 0.9, hands=_hands(stage, kind, at), gaze=at, wobble=0.004)
    stage.leave(kind, world)
    stage.phase("back", 0.75, dominant=stage.rest_hand(1), other=stage.rest_hand(-1), gaze=stage.front(0.0, 0.8, -0.4))


def _free_lane(stage: Stage, kind: str, rng: np.random.Generator) -> float:
    """The sideways place on the surface that is farthest from what is already there."""
    lanes = rng.permutation([-0.8, -0.4, 0.0, 0.4, 0.8])
    taken = [key.rest for other, key in stage.keys.items() if other != kind and not key.carrier]
    gap = [min((float(np.linalg.norm(stage.spot(lane, 0.5) - rest)) for rest in taken), default=1.0) for lane in lanes]
    good = [lane for lane, metres in zip(lanes, gap, strict=True) if metres > 0.22]
    return float(good[0] if good else lanes[int(np.argmax(gap))])


def hold(stage: Stage, step: Step) -> None:
    """Turn a thing about in the hands and look at it."""
    kind, rng = step.thing, step.rng()
    at, turn = HELD.get(kind, _DEFAULT)
    for _ in range(step.strokes):
        point = stage.front(*(np.array(at) + rng.normal(0, [0.06, 0.03, 0.06])))
        stage.set(kind, turn=np.array(turn) + rng.normal(0, [0.35, 0.2, 0.2]))
        stage.phase("turn", float(rng.uniform(0.8, 1.3)), hands=_hands(stage, kind, point), gaze=point)
    lift(stage, kind, 0.6)


def lid(thing: Thing, opening: float) -> Array:
    """Where the free edge of a thing's lid or cover is, relative to the thing."""
    hinge = thing.hinge
    assert hinge is not None, f"a {thing.kind} does not open"
    angle = hinge.closed + (hinge.opened - hinge.closed) * opening
    half = hinge.geoms[0].size
    if hinge.axis == "x":
        edge = np.array([0.0, -2 * half[1] * np.cos(angle), -2 * half[1] * np.sin(angle)])
    else:
        edge = np.array([2 * half[0] * np.cos(angle), 0.0, -2 * half[0] * np.sin(angle)])
    return np.asarray(edge + np.array(hinge.pivot))


def open_up(stage: Stage, step: Step) -> None:
    """Open a door, a lid or a book."""
    _swing(stage, step, 0.0, 1.0)


def close(stage: Stage, step: Step) -> None:
    """Close a door, a lid or a book."""
    _swing(stage, step, 1.0, 0.0)


def _swing(stage: Stage, step: Step, start: float, end: float) -> None:
    if step.thing in stage.doors:
        _swing_door(stage, stage.standing.place.doors[step.thing], step.thing, start, end)
    elif stage.keys[step.thing].carrier:
        _swing_cover(stage, step.thing, start, end)
    else:
        _swing_lid(stage, step.thing, start, end)


def _swing_door(stage: Stage, door: Door, name: str, start: float, end: float) -> None:
    """The hand that is free, or nearer, pulls or pushes the door by its handle."""
    held = stage.held()
    both = bool(held) and stage.keys[held].carrier == "both"
    width = np.array([stage.things[held].span, 0.0, 0.0]) if both else np.zeros(3)
    if both:  # use the dominant hand meanwhile
        stage.set(held, carrier="dominant", offset=-width / 2)
    free = "other" if held or stage.here(door.grip(0.0))[0] < -0.1 else "dominant"
    grip = stage.here(door.grip(start))
    stage.phase("look", 0.5, gaze=grip)
    stage.phase("reach", 0.8, gaze=grip, hands={free: grip})
    stage.grip(**{free: True})
    for part in (0.35, 0.7, 1.0):
        opening = start + (end - start) * part
        stage.doors[name] = opening
        grip = stage.here(door.grip(opening))
        look = stage.here(np.array(door.inside)) if end > start and any(door.inside) else grip
        stage.phase("swing", 0.38, gaze=look, wobble=0.003, hands={free: grip})
    stage.grip(**{free: both})
    back = stage.posture.dominant - width if both else stage.rest_hand(1 if free == "dominant" else -1)
    stage.phase("back", 0.6, hands={free: back})
    if both:
        stage.set(held, carrier="both", offset=np.zeros(3))


def _swing_lid(stage: Stage, kind: str, start: float, end: float) -> None:
    """A lid of something that stands on a surface."""
    at, thing = stage.where(kind), stage.things[kind]
    mirror = np.array([stage.side, 1.0, 1.0])  # lids are not mirrored for the left-handed
    edge = at + lid(thing, start) * mirror
    stage.phase("look", 0.5, gaze=at)
    stage.phase("reach", 0.8, dominant=edge, gaze=at)
    for part in (0.5, 1.0):
        opening = start + (end - start) * part
        stage.set(kind, opening=opening)
        stage.phase("swing", 0.5, dominant=at + lid(thing, opening) * mirror, gaze=at, wobble=0.004)
    stage.phase("back", 0.7, dominant=stage.front(0.2, 0.3, -0.35), gaze=at)


def _swing_cover(stage: Stage, kind: str, start: float, end: float) -> None:
    """A book in the hands: the other hand holds its spine while the dominant one turns the cover."""
    at, turn = HELD[kind]
    spine = stage.front(*at)
    stage.carry(kind, "other", turn, offset=np.array([0.05, 0.0, 0.0]))
    stage.grip(dominant=False)
    side = np.array([0.16, -0.02, 0.02])
    other = spine - np.array([0.05, 0.0, 0.0])
    first = side if start < end else side * [-1, 1, 1]
    stage.phase("grasp", 0.55, dominant=spine + first, other=other, gaze=spine)
    stage.set(kind, opening=(start + end) / 2)
    stage.phase("turn", 0.5, dominant=spine + np.array([0.0, -0.06, 0.15]), gaze=spine, wobble=0.004)
    stage.set(kind, opening=end)
    stage.phase("turn", 0.5, dominant=spine + (side * [-1, 1, 1] if start < end else side), gaze=spine, wobble=0.004)
    stage.phase("grasp", 0.4, dominant=spine + side, gaze=spine)
    stage.carry(kind, "both", turn)
    if end < start:
        lift(stage, kind, 0.4)


def sit(stage: Stage, step: Step) -> None:
    """Lower onto the seat behind."""
    stage.phase("look", 0.4, gaze=stage.front(0.4 * stage.side, 0.1, -0.7), lean=0.12)
    hands = {} if stage.held() else {"dominant": stage.front(0.2, 0.25, -0.5), "other": stage.front(-0.2, 0.25, -0.5)}
    stage.phase("lower", 1.2, sit=0.75, lean=0.5, seat=stage.standing.place.seat, hands=hands)
    stage.phase("settle", 0.6, sit=1.0, lean=0.0, gaze=stage.front(0.0, 0.9, -0.75))
    _hands_home(stage, 0.4)


def stand(stage: Stage, step: Step) -> None:
    """Rise from the seat."""
    stage.phase("lean", 0.5, lean=0.55, gaze=stage.front(0.0, 0.8, -0.5))
    stage.phase("rise", 1.1, sit=0.1, lean=0.25)
    stage.phase("settle", 0.4, sit=0.0, lean=0.0, gaze=stage.front(0.0, 1.2, 0.2))
    _hands_home(stage, 0.4)


def _hands_home(stage: Stage, seconds: float) -> None:
    """Let free hands hang; bring what is carried back to where it is held."""
    kind = stage.held()
    if kind:
        lift(stage, kind, seconds)
    else:
        stage.phase("rest", seconds, dominant=stage.rest_hand(1), other=stage.rest_hand(-1))


def walk(stage: Stage, step: Step) -> None:
    """Walk out of the current place, across the room, into the next: the same number of phases in every home."""
    target = stage.home.standings[stage.script.places[step.place]]
    goal = stage.arrive(target)
    here = stage.posture.root
    way = [_way_out(stage.standing.place.seat, here, goal), _way_out(target.place.seat, goal, here), goal[:2]]
    legs = np.diff([here[:2], *way], axis=0)
    headings = [float(np.arctan2(dy, dx) - np.pi / 2) for dx, dy in legs]
    headings[2] = goal[2]  # the last steps are taken facing the place
    _hands_home(stage, 0.3)
    yaw = nearest_turn(here[2], headings[0])
    first = 0.4 + 0.7 * abs(yaw - here[2])
    stage.phase("turn", 0.5, root=np.array([*here[:2], yaw]), gaze=_ahead(stage), stretch=first)
    for point, leg, heading in zip(way, legs, [*headings[1:], goal[2]], strict=True):
        turned = nearest_turn(yaw, heading)
        slow = 0.4 + 1.35 * float(np.hypot(*leg)) + 0.35 * abs(turned - yaw)
        stage.phase("go", 0.75, root=np.array([*point, turned]), gaze=_ahead(stage), stretch=slow)
        yaw = turned
    stage.standing = target
    stage.phase("arrive", 0.5, gaze=stage.front(0.0, 0.7, -0.4), seat=target.place.seat)


def _ahead(stage: Stage) -> Array:
    """Where one looks while walking: ahead and slightly down, or at what one carries."""
    return stage.front(0.0, 1.2, -0.55 + stage.rng.normal(0, 0.15))


def _way_out(seat: float, root: Array, towards: Array) -> Array:
    """A point beside a place with a seat, or behind one without, that is free of furniture."""
    right, forward = np.array([np.cos(root[2]), np.sin(root[2])]), np.array([-np.sin(root[2]), np.cos(root[2])])
    if not seat:
        return np.asarray(root[:2] - 0.35 * forward)
    sideways = 0.75 * np.sign((towards[:2] - root[:2]) @ right or 1.0)
    return np.asarray(root[:2] + sideways * right)


def nearest_turn(yaw: float, wanted: float) -> float:
    """The heading `wanted` by the shorter way round from `yaw`.

    >>> round(nearest_turn(6.0, 0.0), 2)
    6.28
    """
    return float(yaw + (wanted - yaw + np.pi) % (2 * np.pi) - np.pi)

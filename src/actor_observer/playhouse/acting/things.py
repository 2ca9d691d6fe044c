"""Where the objects, lids and doors are at any time: at rest, or with the hands that carry them."""

from __future__ import annotations

import numpy as np

from actor_observer.playhouse.acting.body import Bodies, Poses
from actor_observer.playhouse.acting.motion import Array, min_jerk, turn_matrix
from actor_observer.playhouse.acting.performance import Performance, Whole
from actor_observer.playhouse.acting.stage import ThingKey
from actor_observer.playhouse.home.parts import Hinge

__all__ = ["moved_doors", "pose_things"]

SETTLE = 0.3  # share of a phase in which a thing passes from rest to hand or back


def pose_things(performance: Performance, times: Array, bodies: Bodies) -> Poses:
    """Poses in the room of every object, its lid, and every door of the script's places."""
    phase, share = performance.at(times)
    poses: Poses = {}
    for kind, thing in performance.things.items():
        keys = [performance.start[1][kind], *(p.things[kind] for p in performance.phases)]
        at, turn = _pose_thing(performance, keys, phase, share, bodies)
        poses[kind] = (at, turn)
        if thing.hinge:
            poses[f"{kind}_lid"] = _pose_lid(thing.hinge, at, turn, _eased([key.opening for key in keys], phase, share))
    for name, opened in performance.start[2].items():
        standing = next(s for s in performance.home.standings.values() if name in s.place.doors)
        hinge = standing.place.doors[name].hinge
        opening = _eased([opened, *(p.doors[name] for p in performance.phases)], phase, share)
        at = np.broadcast_to([standing.x, standing.y, 0.0], (len(times), 3))
        turn = np.broadcast_to(turn_matrix(np.array([standing.yaw, 0.0, 0.0])), (len(times), 3, 3))
        poses[f"door_{name}"] = _pose_lid(hinge, at, turn, opening)
    return poses


def moved_doors(performance: Performance) -> set[str]:
    """Names of the bodies of doors that somebody opens or closes."""
    doors = performance.start[2]
    return {f"door_{name}" for name in doors if any(phase.doors[name] != doors[name] for phase in performance.phases)}


def _eased(values: list[float], phase: Whole, share: Array) -> Array:
    row = np.array(values)
    return np.asarray(row[phase] + (row[phase + 1] - row[phase]) * min_jerk(share))


def _pose_lid(hinge: Hinge, at: Array, turn: Array, opening: Array) -> tuple[Array, Array]:
    angle = hinge.closed + (hinge.opened - hinge.closed) * opening
    c, s, zero, one = np.cos(angle), np.sin(angle), 0 * angle, 0 * angle + 1
    rows = {
        "x": [[one, zero, zero], [zero, c, -s], [zero, s, c]],
        "y": [[c, zero, s], [zero, one, zero], [-s, zero, c]],
        "z": [[c, -s, zero], [s, c, zero], [zero, zero, one]],
    }[hinge.axis]
    swing = np.stack([np.stack(row, -1) for row in rows], -2)
    return at + np.einsum("tij,j->ti", turn, np.array(hinge.pivot)), turn @ swing


def _pose_thing(
    performance: Performance, keys: list[ThingKey], phase: Whole, share: Array, bodies: Bodies
) -> tuple[Array, Array]:
    side = performance.actor.dominant_side
    flip, spin = np.array([side, 1.0, 1.0]), np.array([side, 1.0, side])
    carriers = np.array([key.carrier for key in [*keys, keys[-1]]])
    before, now, after = carriers[phase], carriers[phase + 1], carriers[phase + 2]
    rest = np.array([key.rest for key in [*keys, keys[-1]]])
    heading = np.array([key.heading for key in [*keys, keys[-1]]])
    offset, turn = np.array([key.offset for key in keys]) * flip, np.array([key.turn for key in keys]) * spin

    def carried(carrier: Array, shift: Array) -> Array:
        dominant, other = bodies.grips[:, 0], bodies.grips[:, 1]
        middle = (dominant + other) / 2
        base = np.where(
            (carrier == "dominant")[:, None], dominant, np.where((carrier == "other")[:, None], other, middle)
        )
        return np.asarray(base + np.einsum("tij,tj->ti", bodies.frame, shift))

    eased, start, end = (min_jerk(x)[:, None] for x in (share, share / SETTLE, (share - 1 + SETTLE) / SETTLE))
    same = (before == now)[:, None]
    shift = np.where(same, offset[phase] + (offset[phase + 1] - offset[phase]) * eased, offset[phase + 1])
    place = carried(now, shift)
    old = np.where((before == "")[:, None], rest[phase], carried(before, offset[phase]))
    place = np.where(same, place, old + (place - old) * start)
    yaw = np.arctan2(bodies.frame[:, 1, 0], bodies.frame[:, 0, 0])

    def lying(row: Whole) -> Array:
        relative = (heading[row] - yaw + np.pi) % (2 * np.pi) - np.pi
        return np.stack([relative, 0 * yaw, 0 * yaw], -1)

    angles = turn[phase] + (turn[phase + 1] - turn[phase]) * eased
    from_rest = ((before == "") & (now != ""))[:, None]
    angles = np.where(from_rest, lying(phase) + (turn[phase + 1] - lying(phase)) * eased, angles)
    to_rest = ((now != "") & (after == ""))[:, None]
    place = np.where(to_rest, place + (rest[phase + 2 - (phase + 2 >= len(rest))] - place) * end, place)
    angles = np.where(to_rest, angles + (lying(np.minimum(phase + 2, len(rest) - 1)) - angles) * end, angles)
    resting = (now == "")[:, None]
    place = np.where(resting, rest[phase + 1], place)
    angles = np.where(resting, lying(phase + 1), angles)
    return place, bodies.frame @ turn_matrix(angles)

"""The two cameras: one between the actor's eyes, one in the room."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from actor_observer.pairs.manifest import View
from actor_observer.playhouse.acting.body import Bodies
from actor_observer.playhouse.acting.motion import Array, Drift, unit
from actor_observer.playhouse.acting.performance import Performance
from actor_observer.playhouse.acting.spells import Spell, strength

__all__ = ["Camera", "Eye", "draw_camera", "follow", "head_turn", "place_camera", "place_passer", "zoom"]


@dataclass(frozen=True)
class Camera:
    """A camera's own properties, drawn once per take."""

    view: View
    fov: float  # head camera: vertical, degrees; room camera: metres of height it keeps in view
    tilt: float  # of the head camera, downwards, radians
    sway: Drift  # hand-held shake or head drift, 3 dims
    jolt: Drift  # fast shake, felt in blur spells only
    gain: tuple[float, float, float]  # of red, green and blue
    gamma: float


@dataclass(frozen=True)
class Eye:
    """Where the room camera stands, and how much it follows the actor (0: not at all)."""

    at: tuple[float, float, float]
    aim: tuple[float, float, float]
    follow: float


def draw_camera(view: View, length: float, rng: np.random.Generator) -> Camera:
    """A camera for a take.

    >>> draw_camera("first", 30.0, np.random.default_rng(0)).view
    'first'
    """
    fov = rng.uniform(78, 88) if view == "first" else rng.uniform(1.45, 1.85)
    red, blue = rng.normal(1.0, 0.05, 2)
    level = rng.uniform(0.88, 1.12)
    return Camera(
        view,
        float(fov),
        float(rng.uniform(0.12, 0.28)),
        Drift.random(rng, length, 1.3, 3),
        Drift.random(rng, length, 0.12, 3),
        (float(level * red), float(level), float(level * blue)),
        float(rng.uniform(0.72, 1.02)),
    )


def head_turn(performance: Performance, camera: Camera, spells: tuple[Spell, ...], times: Array) -> Array:
    """Head motion that is not part of the task (T, 3): restlessness, and looking away in spells."""
    turn = performance.actor.head_restless * camera.sway(times) * np.array([1.0, 0.8, 0.4])
    if performance.glances:
        turn = turn + performance.glances(times)
    for spell in spells:
        share = strength(spell, times)[:, None]
        if spell.cause == "away":
            sideways, upwards, choice = spell.ways
            up = choice > 0.2  # to the ceiling, or to a side
            goal = (
                [0.5 * sideways, 1.25 + 0.15 * upwards, 0.0]
                if up
                else [np.copysign(1.45, sideways), 0.55 + 0.2 * upwards, 0.0]
            )
            turn = turn + share * np.array(goal)
        if spell.cause == "blur":
            turn = turn + share * camera.jolt(times) * np.array([0.30, 0.25, 0.10])
    return np.asarray(turn)


def _rotation(forward: Array) -> Array:
    """Camera frames (T, 3, 3), x right, y forward, z up, without roll."""
    forward = unit(forward)
    right = unit(np.cross(forward, [0.0, 0.0, 1.0]))
    return np.stack([right, forward, np.cross(right, forward)], axis=-1)


def place_camera(
    camera: Camera, eye: Eye | None, performance: Performance, spells: tuple[Spell, ...], times: Array, bodies: Bodies
) -> tuple[Array, Array]:
    """Camera places (T, 3) and frames (T, 3, 3)."""
    if eye is None:
        c, s = np.cos(camera.tilt), np.sin(camera.tilt)
        down = np.array([[1, 0, 0], [0, c, s], [0, -s, c]], float)
        return bodies.eyes, bodies.look @ down
    aim = follow(performance, times, eye)
    way = aim - np.array(eye.at)
    yaw, pitch = np.arctan2(way[:, 1], way[:, 0]), np.arctan2(way[:, 2], np.hypot(way[:, 0], way[:, 1]))
    sway = camera.sway(times)
    yaw, pitch = yaw + 0.012 * sway[:, 0], pitch + 0.010 * sway[:, 1]
    for spell in spells:
        share = strength(spell, times)
        if spell.cause == "out":
            yaw = yaw + share * np.copysign(0.75 + 0.2 * spell.ways[1], spell.ways[0])
        if spell.cause == "blur":
            jolt = camera.jolt(times)
            yaw, pitch = yaw + share * 0.16 * jolt[:, 0], pitch + share * 0.12 * jolt[:, 1]
    forward = np.stack([np.cos(yaw) * np.cos(pitch), np.sin(yaw) * np.cos(pitch), np.sin(pitch)], axis=-1)
    return np.broadcast_to(np.array(eye.at), forward.shape), _rotation(forward)


def place_passer(eye: Eye | None, frames: Array, spells: tuple[Spell, ...], times: Array) -> Array:
    """Where the passer-by is (T, 3); under the floor while there is none."""
    place = np.tile(np.array([0.0, 0.0, -50.0]), (len(times), 1))
    if eye is None:
        return place
    for spell in (spell for spell in spells if spell.cause == "hidden"):
        inside = (times > spell.start) & (times < spell.end)
        u = (times - spell.start) / (spell.end - spell.start)
        # In from one side, a stop in front of the lens, out on the other.
        across = np.copysign(1.0, spell.ways[0]) * (1.6 * (u - 0.5) ** 3 * 8 + 0.12 * spell.ways[1])
        right, forward = frames[:, :, 0], frames[:, :, 1]
        at = np.array(eye.at) + forward * (0.75 + 0.1 * spell.ways[2]) + right * across[:, None]
        at[:, 2] = eye.at[2] - 0.25
        place = np.where(inside[:, None], at, place)
    return place


def follow(performance: Performance, times: Array, eye: Eye) -> Array:
    """The point aimed at (T, 3): the actor's chest, smoothed over two seconds and partly followed."""
    if not eye.follow:
        return np.tile(np.array(eye.aim), (len(times), 1))
    total = np.zeros((len(times), 3))
    for lag in (-1.0, -0.5, 0.0, 0.5, 1.0):
        tracks = performance.tracks(np.clip(times + lag, 0.0, performance.length))
        c, s = np.cos(tracks.root[:, 2]), np.sin(tracks.root[:, 2])
        ahead = np.stack([-s, c], -1) * 0.22
        height = 1.12 * performance.actor.scale + (tracks.seat + 0.38 - 1.12 * performance.actor.scale) * tracks.sit
        total += np.concatenate([tracks.root[:, :2] + ahead, height[:, None]], axis=-1)
    aim = np.array(eye.aim)
    return np.asarray(aim + eye.follow * (total / 5 - aim))


def zoom(camera: Camera, eye: Eye | None, performance: Performance, times: Array) -> Array:
    """Vertical field of view (T,) in degrees: a room camera keeps the actor at about the same size."""
    if eye is None:
        return np.full(len(times), camera.fov)
    far = np.linalg.norm(follow(performance, times, eye) - np.array(eye.at), axis=1)
    return np.asarray(np.clip(np.degrees(2 * np.arctan(camera.fov / 2 / far)), 30.0, 62.0))

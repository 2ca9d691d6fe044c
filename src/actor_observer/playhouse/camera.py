"""The two cameras: one between the actor's eyes, one in the room."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from actor_observer.pairs.manifest import View
from actor_observer.playhouse.body import Bodies, Poses, pose_body
from actor_observer.playhouse.motion import Array, Drift, quaternions, unit
from actor_observer.playhouse.performance import Performance
from actor_observer.playhouse.scene import Scene, load_mujoco
from actor_observer.playhouse.spells import Spell, strength
from actor_observer.playhouse.things import pose_things

__all__ = ["Camera", "Eye", "choose_room_camera", "draw_camera", "head_turn", "place_camera", "place_passer", "zoom"]


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
    """What the head does beside the task (T, 3): its restlessness, and looking away in spells."""
    turn = performance.actor.head_restless * camera.sway(times) * np.array([1.0, 0.8, 0.4])
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
    aim = _follow(performance, times, eye)
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
    """Where the one who walks through the picture is (T, 3); under the floor while there is none."""
    place = np.tile(np.array([0.0, 0.0, -50.0]), (len(times), 1))
    for spell in spells if eye is not None else ():
        if spell.cause != "hidden":
            continue
        assert eye is not None
        inside = (times > spell.start) & (times < spell.end)
        u = (times - spell.start) / (spell.end - spell.start)
        # In from one side, a stop before the lens, out on the other.
        across = np.copysign(1.0, spell.ways[0]) * (1.6 * (u - 0.5) ** 3 * 8 + 0.12 * spell.ways[1])
        right, forward = frames[:, :, 0], frames[:, :, 1]
        at = np.array(eye.at) + forward * (0.75 + 0.1 * spell.ways[2]) + right * across[:, None]
        at[:, 2] = eye.at[2] - 0.25
        place = np.where(inside[:, None], at, place)
    return place


def _follow(performance: Performance, times: Array, eye: Eye) -> Array:
    """The point aimed at (T, 3): the chest of the actor, smoothed over two seconds and followed in part."""
    total = np.zeros((len(times), 3))
    for lag in (-1.0, -0.5, 0.0, 0.5, 1.0):
        tracks = performance.tracks(np.clip(times + lag, 0.0, performance.length))
        c, s = np.cos(tracks.root[:, 2]), np.sin(tracks.root[:, 2])
        ahead = np.stack([-s, c], -1) * 0.22
        height = 1.12 * performance.actor.scale + (tracks.seat + 0.38 - 1.12 * performance.actor.scale) * tracks.sit
        total += np.concatenate([tracks.root[:, :2] + ahead, height[:, None]], axis=-1)
    aim = np.array(eye.aim)
    return np.asarray(aim + eye.follow * (total / 5 - aim))


def choose_room_camera(performance: Performance, scene: Scene, rng: np.random.Generator) -> Eye:
    """Of five dozen random places, the one that sees hands and face best at all places of the script."""
    times = np.linspace(0.5, performance.length - 0.5, 14)
    bodies = pose_body(performance, times, np.zeros((len(times), 3)))
    poses = {**bodies.limbs, **pose_things(performance, times, bodies)}
    middle = _follow(performance, times, Eye((0, 0, 0), (0, 0, 1), 1.0))
    root = performance.tracks(times).root
    ahead = np.stack([-np.sin(root[:, 2]), np.cos(root[:, 2])], -1)
    layout = performance.home.layout
    eyes, costs = [], []
    for _ in range(60):
        anchor = int(rng.integers(len(times)))
        angle = root[anchor, 2] + np.pi / 2 + rng.choice([-1, 1]) * rng.uniform(0.35, 2.3)
        far = rng.uniform(1.9, 2.8)
        at = np.array(
            [middle[anchor, 0] + far * np.cos(angle), middle[anchor, 1] + far * np.sin(angle), rng.uniform(1.35, 2.05)]
        )
        way = at[:2] - middle[:, :2]
        near = np.linalg.norm(way, axis=1)
        outside = max(0.0, abs(at[0]) - layout.width / 2 - 0.4) + max(0.0, abs(at[1]) - layout.depth / 2 - 0.4)
        behind = np.maximum(0.0, -0.1 - (way * ahead).sum(1) / near)
        costs.append(
            0.5 * outside
            + np.mean(0.4 * behind + 0.5 * np.maximum(0, 1.5 - near) + 0.2 * np.maximum(0, near - 3.0))
            + rng.normal(0, 0.03)
        )
        eyes.append(
            Eye((float(at[0]), float(at[1]), float(at[2])), tuple(middle.mean(0)), float(rng.uniform(0.8, 0.97)))
        )
    seen = _seen(scene, np.array([eye.at for eye in eyes]), bodies, poses)  # (E, T)
    near_end = np.linalg.norm(root[:, :2] - root[0, :2], axis=1) < 0.6
    groups = [group for group in (near_end, ~near_end) if group.any()]
    worst = np.min([seen[:, group].mean(1) for group in groups], axis=0)
    return eyes[int(np.argmax(0.5 * seen.mean(1) + 0.5 * worst - np.array(costs)))]


def _seen(scene: Scene, eyes: Array, bodies: Bodies, poses: Poses) -> Array:
    """How much of hands and face is in plain sight from each of E places at each of T times (E, T), 0 … 1."""
    mujoco: Any = load_mujoco()
    seen = np.zeros((len(eyes), len(bodies.eyes)))
    order = [scene.names.index(name) for name in poses]
    places = np.stack([place for place, _ in poses.values()], axis=1)
    turns = quaternions(np.stack([turn for _, turn in poses.values()], axis=1))
    for t in range(len(bodies.eyes)):
        scene.data.mocap_pos[order], scene.data.mocap_quat[order] = places[t], turns[t]
        mujoco.mj_kinematics(scene.model, scene.data)
        for weight, point in ((0.55, bodies.grips[t, 0]), (0.25, bodies.grips[t, 1]), (0.2, bodies.eyes[t])):
            for e, at in enumerate(eyes):
                way = point - at
                far = float(np.linalg.norm(way))
                hit = mujoco.mj_ray(scene.model, scene.data, at, way / far, None, 1, -1, np.zeros(1, np.int32))
                seen[e, t] += weight * (hit < 0 or hit > far - 0.16)
    return seen


def zoom(camera: Camera, eye: Eye | None, performance: Performance, times: Array) -> Array:
    """Vertical field of view (T,) in degrees: a room camera keeps the actor at about the same size."""
    if eye is None:
        return np.full(len(times), camera.fov)
    far = np.linalg.norm(_follow(performance, times, eye) - np.array(eye.at), axis=1)
    return np.asarray(np.clip(np.degrees(2 * np.arctan(camera.fov / 2 / far)), 30.0, 62.0))

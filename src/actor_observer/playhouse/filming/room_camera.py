"""Where the room camera stands: of many random places, the one that sees hands and face best."""

from __future__ import annotations

import numpy as np

from actor_observer.playhouse.acting.body import Bodies, Poses, pose_body
from actor_observer.playhouse.acting.motion import Array, quaternions, unit
from actor_observer.playhouse.acting.performance import Performance
from actor_observer.playhouse.acting.things import pose_things
from actor_observer.playhouse.filming.camera import Eye, follow
from actor_observer.playhouse.filming.scene import Scene, load_mujoco
from actor_observer.playhouse.filming.shots import Shot

__all__ = ["choose_room_camera", "choose_shot_camera"]

TRIES, MOMENTS = 60, 14  # places that are tried, and moments looked at from each


def choose_room_camera(performance: Performance, scene: Scene, rng: np.random.Generator) -> Eye:
    """A place near the actor, not behind their back, with a free view of all places of the script."""
    times = np.linspace(0.5, performance.length - 0.5, MOMENTS)
    bodies = pose_body(performance, times, np.zeros((len(times), 3)))
    poses = {**bodies.limbs, **pose_things(performance, times, bodies)}
    middle = follow(performance, times, Eye((0, 0, 0), (0, 0, 1), 1.0))
    root = performance.tracks(times).root
    eyes, costs = [], []
    for _ in range(TRIES):
        anchor = int(rng.integers(len(times)))
        angle = root[anchor, 2] + np.pi / 2 + rng.choice([-1, 1]) * rng.uniform(0.35, 2.3)
        far, (x, y, _) = rng.uniform(1.9, 2.8), middle[anchor]
        at = float(x + far * np.cos(angle)), float(y + far * np.sin(angle)), float(rng.uniform(1.35, 2.05))
        costs.append(_cost(performance, at, middle, root) + rng.normal(0, 0.03))
        eyes.append(Eye(at, tuple(middle.mean(0)), float(rng.uniform(0.8, 0.97))))
    seen = _seen(scene, np.array([eye.at for eye in eyes]), bodies, poses)  # (E, T)
    at_start = np.linalg.norm(root[:, :2] - root[0, :2], axis=1) < 0.6  # the first place, and the other one
    worst = np.min([seen[:, group].mean(1) for group in (at_start, ~at_start) if group.any()], axis=0)
    return eyes[int(np.argmax(0.5 * seen.mean(1) + 0.5 * worst - np.array(costs)))]


def choose_shot_camera(
    performance: Performance,
    scene: Scene,
    shot: Shot,
    size: tuple[int, int],
    rng: np.random.Generator,
    also: tuple[Performance, ...] = (),
    window: tuple[float, float] | None = None,
) -> Eye:
    """A place for the room camera of a shot: as far as it wants, where the actor is in the picture most of the time.

    `also` names others whom it should see, `window` when it runs (all the time if not given).
    """
    start, end = window or (0.0, performance.length)
    times = np.linspace(start + 0.5, end - 0.5, MOMENTS)
    bodies = pose_body(performance, times, np.zeros((len(times), 3)))
    poses = {**bodies.limbs, **pose_things(performance, times, bodies)}
    middle = follow(performance, times, Eye((0, 0, 0), (0, 0, 1), 1.0))
    up = np.tan(np.radians(shot.lens.field(size)) / 2)  # half the picture's height, a metre away
    far = min(max(shot.height / 2 / up, 1.4), 8.0)
    chase = {"fixed": (0.0, 0.0), "hand-held": (0.3, 1.0), "panning": (0.0, 0.9)}[shot.hold]
    people = [bodies, *(pose_body(other, times, np.zeros((MOMENTS, 3))) for other in also)]
    eyes, inside = [], np.zeros((len(people), TRIES, MOMENTS))
    for number in range(TRIES):
        anchor = (middle.mean(axis=0) + middle[int(rng.integers(MOMENTS))]) / 2
        angle, height = rng.uniform(0, 2 * np.pi), rng.uniform(0.7, 2.3)
        at = float(anchor[0] + far * np.cos(angle)), float(anchor[1] + far * np.sin(angle)), float(height)
        aim = anchor + rng.normal(0, 0.08 * shot.height, 3) * [1, 1, 0.5]
        eye = Eye(at, (float(aim[0]), float(aim[1]), float(aim[2])), float(rng.uniform(*chase)))
        eyes.append(eye)
        aims = follow(performance, times, eye)
        inside[:, number] = [_inside(eye, aims, each, up * size[0] / size[1], up) for each in people]
    seen = np.array([_seen(scene, np.array([eye.at for eye in eyes]), each, poses) for each in people])  # (P, E, T)
    worth = (inside * (0.3 + 0.7 * seen)).mean(axis=(0, 2))
    return eyes[int(np.argmax(worth + rng.uniform(0, 0.15, TRIES)))]


def _inside(eye: Eye, aims: Array, bodies: Bodies, right: float, up: float) -> Array:
    """Share of head and hips (T,) that lies in the picture of a camera at each time, 0 … 1."""
    forward = unit(aims - np.array(eye.at))
    level = unit(np.cross(forward, [0.0, 0.0, 1.0]))
    share = np.zeros(len(aims))
    for points in (bodies.eyes, bodies.limbs["pelvis"][0]):
        way = points - np.array(eye.at)
        ahead = np.maximum((way * forward).sum(1), 1e-3)
        x, y = (way * level).sum(1) / ahead, (way * np.cross(level, forward)).sum(1) / ahead
        share += 0.5 * ((np.abs(x) < 0.95 * right) & (np.abs(y) < 0.95 * up))
    return share


def _cost(performance: Performance, at: tuple[float, float, float], middle: Array, root: Array) -> float:
    """The penalty of a place: far outside the room, behind the actor, too near or too far."""
    layout = performance.home.layout
    way = np.array(at[:2]) - middle[:, :2]
    near = np.linalg.norm(way, axis=1)
    ahead = np.stack([-np.sin(root[:, 2]), np.cos(root[:, 2])], -1)
    outside = max(0.0, abs(at[0]) - layout.width / 2 - 0.4) + max(0.0, abs(at[1]) - layout.depth / 2 - 0.4)
    behind = np.maximum(0.0, -0.1 - (way * ahead).sum(1) / near)
    distance = 0.5 * np.maximum(0, 1.5 - near) + 0.2 * np.maximum(0, near - 3.0)
    return float(0.5 * outside + np.mean(0.4 * behind + distance))


def _seen(scene: Scene, eyes: Array, bodies: Bodies, poses: Poses) -> Array:
    """How much of hands and face is in plain sight from each of E places at each of T times (E, T), 0 … 1."""
    mujoco = load_mujoco()
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

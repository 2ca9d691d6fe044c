"""The actor's body: from hands, gaze and root to the pose of every limb, for all times at once.

Frames: `z` of a limb's frame runs along the bone. Shapes of the limbs are in `body_geoms`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from actor_observer.playhouse.acting.actors import Actor
from actor_observer.playhouse.acting.motion import Array, frame_from_z, unit
from actor_observer.playhouse.acting.performance import Performance, Tracks
from actor_observer.playhouse.acting.stage import SEAT_BACK
from actor_observer.playhouse.home.geoms import Geom, ball, box, capsule, ellipsoid

__all__ = ["Bodies", "Poses", "body_geoms", "pose_body"]

THIGH, SHIN, ANKLE = 0.43, 0.42, 0.08  # metres, of a person of 1.73
SPINE, SHOULDER, UPPER, FORE, HAND = 0.49, 0.185, 0.30, 0.26, 0.085  # likewise
HIDDEN = np.array([0.0, 0.0, -50.0])  # where a hand shape waits while the other one is shown

Poses = dict[str, tuple[Array, Array]]  # name -> places (T, 3), rotations (T, 3, 3), in the room


@dataclass(frozen=True)
class Bodies:
    """The posed actor: limbs, and what cameras and objects need to know about them."""

    limbs: Poses
    grips: Array  # (T, 2, 3) dominant, other, in the room
    eyes: Array  # (T, 3)
    look: Array  # (T, 3, 3) head: x right, y forward, z up
    hands: Array  # (T, 2, 3) relative to the chest, in arm lengths, x towards the dominant hand
    frame: Array  # (T, 3, 3) the body's frame in the room


def _two_bones(root: Array, goal: Array, upper: float, lower: float, pole: Array) -> tuple[Array, Array]:
    """Elbow (or knee) and end of a limb that reaches for a goal as far as it can, bending towards the pole."""
    way = goal - root
    far = np.linalg.norm(way, axis=-1, keepdims=True)
    reach = np.clip(far, abs(upper - lower) + 0.02, (upper + lower) * 0.999)
    line = unit(way)
    end = root + line * reach
    along = (upper**2 - lower**2 + reach**2) / (2 * reach)
    out = np.sqrt(np.maximum(upper**2 - along**2, 0.0))
    bend = unit(pole - line * (pole * line).sum(-1, keepdims=True))
    return root + line * along + bend * out, end


def _torso(tracks: Tracks, scale: float, standing: float) -> tuple[Array, Array]:
    """Pelvis and direction of the spine, leaning as far as the hands' goals need."""
    seated = tracks.seat + 0.10 * scale
    height = standing + (seated - standing) * tracks.sit + tracks.rise + tracks.hop
    lean = tracks.lean.copy()
    arm = (UPPER + FORE + HAND) * scale * 0.97
    for _ in range(4):
        pelvis = np.stack([0 * lean, -SEAT_BACK * tracks.sit - 0.10 * np.sin(lean), height], axis=-1)
        spine = np.stack([0 * lean, np.sin(lean), np.cos(lean)], axis=-1)
        lacking = np.zeros_like(lean)
        for side in (0, 1):
            shoulder = pelvis + spine * SPINE * scale
            shoulder[:, 0] += (1 - 2 * side) * SHOULDER * scale
            miss = np.linalg.norm(tracks.hands[:, side] - shoulder, axis=-1) - arm
            lacking = np.maximum(lacking, miss)
        lean = np.clip(lean + np.maximum(lacking, 0.0) * 1.3, -0.2, 1.35)
    return pelvis, spine


def pose_body(performance: Performance, times: Array, head_turn: Array) -> Bodies:
    """Pose the actor at times (T,). `head_turn` (T, 3) is what the head does beside the task: yaw, pitch, roll."""
    actor, tracks = performance.actor, performance.tracks(times)
    scale, side = actor.scale, actor.dominant_side
    hip = (THIGH + SHIN + ANKLE) * scale * 0.985
    bob = 0.015 * np.cos(4 * np.pi * tracks.walked / (1.3 * scale)) * np.clip(tracks.speed, 0, 1)
    pelvis, spine = _torso(tracks, scale, hip)
    pelvis = pelvis + np.stack([0 * bob, 0 * bob, bob], axis=-1)
    chest = pelvis + spine * SPINE * scale
    limbs: Poses = {}
    right = np.broadcast_to([1.0, 0.0, 0.0], spine.shape)
    forward = np.cross(spine, right)
    limbs["pelvis"] = limbs["torso"] = (pelvis, np.stack([right, forward, spine], axis=-1))

    flip = np.array([side, 1.0, 1.0])  # body's frame (dominant side first) to right-left
    grips = np.empty_like(tracks.hands)
    for number, sign in enumerate((side, -side)):  # dominant, other
        name, goal = "r" if sign > 0 else "l", tracks.hands[:, number] * flip
        grips[:, number] = _arm(limbs, name, sign, chest, right, goal, tracks.grips[:, number], scale)
    _legs(limbs, tracks, pelvis, right, scale)
    turn = head_turn + tracks.nod[:, None] * np.array([0.0, 1.0, 0.0])
    eyes, look = _head(limbs, tracks.gaze * flip, chest, spine, actor, turn, scale)

    c, s = np.cos(tracks.root[:, 2]), np.sin(tracks.root[:, 2])
    zero, one = 0 * c, 0 * c + 1
    frame = np.stack([np.stack([c, -s, zero], -1), np.stack([s, c, zero], -1), np.stack([zero, zero, one], -1)], -2)
    ground = np.concatenate([tracks.root[:, :2], zero[:, None]], axis=-1)

    def room(points: Array) -> Array:
        return np.asarray(ground + np.einsum("tij,tj->ti", frame, points))

    arm = (UPPER + FORE + HAND) * scale
    relative = (grips - chest[:, None]) * flip / arm
    limbs = {name: (room(at), frame @ turn) for name, (at, turn) in limbs.items()}
    for name in ("r", "l"):  # two shapes per hand; the one not in use waits under the floor
        closed = tracks.grips[:, 0 if (side > 0) == (name == "r") else 1][:, None] > 0.5
        at, turn = limbs.pop(f"hand_{name}")
        limbs[f"open_{name}"] = (np.where(closed, HIDDEN, at), turn)
        limbs[f"fist_{name}"] = (np.where(closed, at, HIDDEN), turn)
    in_room = np.stack([room(grips[:, 0]), room(grips[:, 1])], axis=1)
    return Bodies(limbs, in_room, room(eyes), frame @ look, relative, frame)


def _arm(
    limbs: Poses, name: str, sign: float, chest: Array, right: Array, goal: Array, closed: Array, scale: float
) -> Array:
    """Pose one arm; returns where its grip ends up."""
    shoulder = chest + sign * SHOULDER * scale * right - np.array([0.0, 0.0, 0.02])
    guess = shoulder + np.array([sign * 0.10, -0.05, -0.20])
    hand = unit(goal - guess) * np.array([1.0, 1.0, 0.55])  # hands are held flatter than forearms
    hand = unit(hand)
    # Elbows hang down and out; those of raised arms point out, so that they never flip over.
    raised = np.clip((unit(goal - shoulder)[:, 2:] + 0.3) / 0.9, 0.0, 1.0)
    pole = (1 - raised) * np.array([sign * 0.55, -0.35, -0.75]) + raised * np.array([sign * 1.0, 0.1, -0.15])
    elbow, wrist = _two_bones(shoulder, goal - hand * HAND * scale, UPPER * scale, FORE * scale, pole)
    limbs[f"upper_{name}"] = (shoulder, frame_from_z(elbow - shoulder, right))
    limbs[f"fore_{name}"] = (elbow, frame_from_z(wrist - elbow, right))
    # An open palm faces down, a closed one faces the other hand.
    palm = np.where(closed[:, None] > 0.5, [-sign * 0.9, 0.0, -0.3], [-sign * 0.15, 0.0, -1.0])
    limbs[f"hand_{name}"] = (wrist, frame_from_z(hand, palm))
    return np.asarray(wrist + hand * HAND * scale)


def _legs(limbs: Poses, tracks: Tracks, pelvis: Array, right: Array, scale: float) -> None:
    stride = np.clip(tracks.speed, 0.0, 1.0)
    for name, sign in (("r", 1.0), ("l", -1.0)):
        hip = pelvis + sign * 0.095 * scale * right
        turn = 2 * np.pi * tracks.walked / (1.3 * scale) + (np.pi if sign > 0 else 0.0)
        y = 0.28 * scale * stride * np.sin(turn) + tracks.sit * 0.22
        z = ANKLE * scale + 0.09 * stride * np.maximum(np.cos(turn), 0.0) + tracks.hop
        ankle = np.stack([np.full_like(y, sign * 0.11 * scale), y, z], axis=-1)
        pole = np.broadcast_to([sign * 0.1, 1.0, 0.05], ankle.shape)
        knee, ankle = _two_bones(hip, ankle, THIGH * scale, SHIN * scale, pole)
        limbs[f"thigh_{name}"] = (hip, frame_from_z(knee - hip, right))
        limbs[f"shin_{name}"] = (knee, frame_from_z(ankle - knee, right))
        toes = np.broadcast_to([sign * 0.12, 1.0, 0.0], ankle.shape)
        limbs[f"foot_{name}"] = (
            ankle,
            np.stack(
                [unit(np.cross(toes, [0.0, 0.0, 1.0])), unit(toes), np.broadcast_to([0.0, 0.0, 1.0], toes.shape)],
                axis=-1,
            ),
        )


def _head(
    limbs: Poses, gaze: Array, chest: Array, spine: Array, actor: Actor, extra: Array, scale: float
) -> tuple[Array, Array]:
    """Turn the head towards the gaze as far as a neck allows; returns the eyes and where they look."""
    neck = chest + spine * 0.07 * scale
    base = neck + np.array([0.0, 0.03, 0.13]) * scale
    ahead = np.maximum(gaze[:, 1] - base[:, 1], 0.32)  # what is under the chin does not turn the head around
    yaw = np.arctan2(gaze[:, 0] - base[:, 0], ahead) * actor.head_follow
    way = unit(np.stack([gaze[:, 0] - base[:, 0], ahead, gaze[:, 2] - base[:, 2]], axis=-1))
    pitch = np.arcsin(np.clip(way[:, 2], -1, 1)) * actor.head_follow
    yaw = np.clip(yaw, -1.1, 1.1) + extra[:, 0]
    pitch = np.clip(np.clip(pitch, -1.05, 0.6) + extra[:, 1], -1.2, 1.2)
    roll = extra[:, 2]
    forward = np.stack([np.sin(yaw) * np.cos(pitch), np.cos(yaw) * np.cos(pitch), np.sin(pitch)], axis=-1)
    level = np.stack([np.cos(yaw), -np.sin(yaw), 0 * yaw], axis=-1)
    top = np.cross(level, forward)
    right = level * np.cos(roll)[:, None] + top * np.sin(roll)[:, None]
    look = np.stack([right, forward, np.cross(right, forward)], axis=-1)
    limbs["head"] = (neck, look)
    eyes = neck + np.einsum("tij,j->ti", look, np.array([0.0, 0.115, 0.135]) * scale)
    return eyes, look


def body_geoms(actor: Actor) -> dict[str, list[Geom]]:
    """The shapes of every limb, in the limb's own frame."""
    s, g = actor.scale, actor.girth
    skin, shirt, trousers = actor.skin, actor.shirt, actor.trousers
    sleeve = shirt if actor.sleeves_long else skin
    shin = trousers if actor.trousers_long else skin
    dark = tuple(c * 0.75 for c in actor.trousers)
    belt = (dark[0], dark[1], dark[2])
    geoms = {
        "pelvis": [
            ellipsoid(0.165 * s * g, 0.115 * s * g, 0.12 * s, (0, 0, 0), trousers),
            ellipsoid(0.15 * s * g, 0.11 * s * g, 0.03, (0, 0, 0.09), belt),
        ],
        "torso": [
            ellipsoid(0.15 * s * g, 0.105 * s * g, 0.20 * s, (0, 0, 0.20 * s), shirt),
            ellipsoid(0.185 * s * g, 0.115 * s * g, 0.17 * s, (0, 0.005, 0.38 * s), shirt),
            capsule(0.062 * s * g, (-0.15 * s, 0, 0.48 * s), (0.15 * s, 0, 0.48 * s), shirt),
            capsule(0.048 * s, (0, 0, 0.50 * s), (0, 0.01, 0.58 * s), skin),
        ],
        "head": _head_geoms(actor),
    }
    for side in ("r", "l"):
        geoms[f"upper_{side}"] = [
            capsule(0.047 * s * g, (0, 0, 0), (0, 0, UPPER * s), sleeve),
            capsule(0.061 * s * g, (0, 0, 0), (0, 0, 0.13 * s), shirt),
        ]
        geoms[f"fore_{side}"] = [
            capsule(0.037 * s * g, (0, 0, 0), (0, 0, FORE * s - 0.02), sleeve),
            capsule(0.028 * s, (0, 0, 0.15 * s), (0, 0, FORE * s), skin),
        ]
        geoms[f"thigh_{side}"] = [capsule(0.078 * s * g, (0, 0, 0), (0, 0, THIGH * s), trousers)]
        geoms[f"shin_{side}"] = [capsule(0.052 * s * g, (0, 0, 0), (0, 0, SHIN * s), shin)]
        geoms[f"foot_{side}"] = [
            ellipsoid(0.048 * s, 0.135 * s, 0.05 * s, (0, 0.06 * s, -0.035 * s), actor.shoes),
            box(0.08 * s, 0.25 * s, 0.02, (0, 0.06 * s, -0.07 * s), (0.12, 0.12, 0.12)),
        ]
        thumb = -1.0 if side == "r" else 1.0
        geoms[f"open_{side}"] = _hand(s, skin, thumb, curl=0.15)
        geoms[f"fist_{side}"] = _hand(s, skin, thumb, curl=1.0)
    return geoms


def _hand(s: float, skin: tuple[float, float, float], thumb: float, curl: float) -> list[Geom]:
    """Palm, four fingers of two bones, and a thumb. The palm faces +y; the fingers bend that way."""
    palm = [box(0.078 * s, 0.030 * s, 0.085 * s, (0, 0, 0.045 * s), skin), ball(0.030 * s, (0, 0, 0.01), skin)]
    fingers = []
    for x in (-0.030, -0.010, 0.010, 0.030):
        knuckle = (x * s, 0.0, 0.088 * s)
        middle = (x * s, 0.045 * s * np.sin(curl), (0.088 + 0.045 * np.cos(curl)) * s)
        tip = (x * s, middle[1] + 0.035 * s * np.sin(2 * curl), middle[2] + 0.035 * s * np.cos(2 * curl))
        fingers += [capsule(0.0105 * s, knuckle, middle, skin), capsule(0.0095 * s, middle, tip, skin)]
    root = (thumb * 0.035 * s, 0.005, 0.03 * s)
    joint = (thumb * (0.068 - 0.02 * curl) * s, 0.02 * s + 0.02 * curl * s, 0.065 * s)
    end = (thumb * (0.070 - 0.045 * curl) * s, 0.03 * s + 0.03 * curl * s, 0.10 * s)
    return [*palm, *fingers, capsule(0.013 * s, root, joint, skin), capsule(0.011 * s, joint, end, skin)]


def _head_geoms(actor: Actor) -> list[Geom]:
    s, skin, hair = actor.scale, actor.skin, actor.hair
    face = [
        ellipsoid(0.078 * s, 0.095 * s, 0.115 * s, (0, 0.03 * s, 0.13 * s), skin),
        ellipsoid(0.014, 0.02, 0.02, (0, 0.125 * s, 0.11 * s), skin),
    ]
    eyes = [ball(0.012, (x * s, 0.115 * s, 0.145 * s), (0.95, 0.95, 0.95)) for x in (-0.03, 0.03)]
    eyes += [ball(0.007, (x * s, 0.124 * s, 0.145 * s), (0.1, 0.08, 0.06)) for x in (-0.03, 0.03)]
    mouth = [ellipsoid(0.024, 0.01, 0.007, (0, 0.112 * s, 0.075 * s), (0.65, 0.3, 0.28))]
    cap = [
        ellipsoid(0.086 * s, 0.098 * s, 0.10 * s, (0, 0.012 * s, 0.165 * s), hair),
        ellipsoid(0.08 * s, 0.05 * s, 0.1 * s, (0, -0.035 * s, 0.13 * s), hair),
    ]
    if actor.hair_long:
        cap += [ellipsoid(0.09 * s, 0.045 * s, 0.16 * s, (0, -0.05 * s, 0.04 * s), hair)]
    return [*face, *eyes, *mouth, *cap]

"""Choreographies of the kitchen: drink, pour, eat, cook, wash, take medicine."""

from __future__ import annotations

import numpy as np

from actor_observer.playhouse.acting.moves import HELD, lift, up
from actor_observer.playhouse.acting.scripting.scripts import Step
from actor_observer.playhouse.acting.stage import Stage

__all__ = ["cook", "drink", "eat", "medicine", "pour", "wash"]


def drink(stage: Stage, step: Step) -> None:
    """Raise to the mouth, tip, sip, lower; more than once."""
    rng, kind = step.rng(), step.thing
    drop, tip = (-0.04, 0.75) if kind == "cup" else (-0.12, 1.15)
    for _ in range(max(1, step.strokes // 2)):
        stage.set(kind, turn=np.array([0.0, 0.3, 0.0]))
        stage.phase(
            "raise",
            0.9,
            dominant=stage.front(0.05, 0.26, drop + 0.08),
            gaze=stage.front(0.0, 0.9, 0.1),
            other=stage.rest_hand(-1),
        )
        stage.set(kind, turn=np.array([0.0, tip, 0.0]))
        stage.phase(
            "sip",
            float(rng.uniform(1.0, 1.6)),
            dominant=stage.front(0.05, 0.23, drop + 0.14),
            gaze=stage.front(0.0, 0.9, 0.55),
        )
        lift(stage, kind, float(rng.uniform(0.8, 1.2)))


def pour(stage: Stage, step: Step) -> None:
    """Tip the bottle over the cup that the other hand holds."""
    rng = step.rng()
    cup = stage.where("cup")
    over = cup + np.array([0.19, -0.02, 0.16]) + stage.grip_of("bottle")
    stage.phase("aim", 1.0, dominant=over, other=cup, gaze=cup, wobble=0.006)
    stage.grip(other=True)
    stage.set("bottle", turn=np.array([0.0, 0.0, -1.6]))
    stage.phase("tip", 0.6, dominant=over, gaze=cup, wobble=0.005)
    for _ in range(step.strokes):
        stage.phase(
            "pour",
            float(rng.uniform(0.4, 0.7)),
            dominant=over + rng.normal(0, [0.006, 0.006, 0.015]),
            gaze=cup,
            wobble=0.003,
        )
    stage.set("bottle", turn=np.zeros(3))
    stage.phase("untip", 0.5, dominant=over + up(0.03), gaze=cup)
    stage.grip(other=False)
    stage.phase("back", 0.7, other=stage.rest_hand(-1), dominant=stage.front(0.15, 0.36, -0.3))


def eat(stage: Stage, step: Step) -> None:
    """Bite, lower, chew and look about."""
    rng = step.rng()
    for _ in range(max(1, step.strokes)):
        stage.phase("raise", 0.7, dominant=stage.front(0.07, 0.26, 0.0), gaze=stage.front(0.0, 0.9, -0.25))
        stage.phase("bite", 0.4, dominant=stage.front(0.06, 0.22, 0.05), gaze=stage.front(0.0, 0.8, -0.2))
        low = stage.front(*rng.normal([0.10, 0.34, -0.24], 0.03))
        stage.phase(
            "chew",
            float(rng.uniform(0.6, 1.2)),
            dominant=low,
            gaze=stage.front(*rng.normal([0.0, 0.9, -0.35], [0.25, 0.1, 0.1])),
        )


def medicine(stage: Stage, step: Step) -> None:
    """Shake a pill into the other palm and swallow it."""
    rng, palm = step.rng(), stage.front(-0.06, 0.34, -0.28)
    stage.phase("open", 0.8, dominant=palm + np.array([0.10, 0.0, 0.12]), other=palm, gaze=palm)
    for _ in range(step.strokes):
        stage.set("medicine", turn=np.array([0.0, 0.0, -2.0 + rng.normal(0, 0.2)]))
        stage.phase(
            "shake",
            float(rng.uniform(0.3, 0.55)),
            dominant=palm + np.array([0.07, 0.0, 0.10]) + rng.normal(0, 0.02, 3),
            gaze=palm,
        )
    stage.set("medicine", turn=np.zeros(3))
    stage.phase(
        "swallow",
        0.8,
        other=stage.front(-0.02, 0.17, 0.08),
        dominant=stage.front(0.18, 0.34, -0.3),
        gaze=stage.front(0.0, 0.9, 0.45),
    )
    stage.phase("swallow", 0.7, other=stage.front(-0.02, 0.19, 0.07), gaze=stage.front(0.0, 0.9, 0.3))
    stage.phase("back", 0.6, other=stage.rest_hand(-1), gaze=stage.posture.dominant)


def cook(stage: Stage, step: Step) -> None:
    """Take the spoon, stir the pan, lay the spoon down."""
    rng, pan, spoon = step.rng(), stage.where("pan"), stage.where("spoon")
    handle = pan + np.array([-0.24 * stage.side, 0.0, 0.03])
    off = "other" if handle[0] < pan[0] else ""
    stage.phase("reach", 0.9, dominant=spoon, gaze=spoon, hands={"other": handle} if off else {})
    stage.grip(other=bool(off))
    stage.carry("spoon", "dominant", (0.0, 0.25, -0.3))
    stage.phase("aim", 0.7, dominant=pan + up(0.24), gaze=pan)
    for _ in range(step.strokes):
        stage.set("spoon", turn=rng.normal([0.0, 0.25, -0.3], 0.2))
        point = pan + np.array([*rng.normal(0, 0.055, 2), 0.205])
        stage.phase("stir", float(rng.uniform(0.4, 0.85)), dominant=point, gaze=pan)
    world = stage.keys["spoon"].rest
    stage.set("spoon", turn=np.zeros(3))
    stage.phase("lower", 0.7, dominant=stage.body(world), gaze=spoon, wobble=0.004)
    stage.leave("spoon", world)
    stage.phase("back", 0.6, dominant=stage.rest_hand(1), other=stage.rest_hand(-1))


def wash(stage: Stage, step: Step) -> None:
    """Over the basin: the other hand holds the dish, the dominant one scrubs it."""
    kind, rng = step.thing, step.rng()
    basin = stage.here(np.array(stage.standing.place.basin))
    dish, sponge = np.clip(basin, [-0.4, 0.3, 0.0], [0.4, 0.5, 2.0]) + up(0.10), stage.where("sponge")
    stage.phase(
        "pass",
        0.7,
        dominant=stage.front(0.02, 0.36, -0.32),
        other=stage.front(-0.06, 0.36, -0.32),
        gaze=stage.front(0.0, 0.36, -0.32),
    )
    stage.carry(kind, "other", (0.0, 0.6, 0.3), offset=np.array([0.08, 0.0, 0.0]))
    stage.grip(dominant=False)
    stage.phase("reach", 0.8, dominant=sponge, other=dish - np.array([0.1, 0.0, 0.0]), gaze=sponge)
    stage.carry("sponge", "dominant", (0.0, 0.4, 0.0))
    for _ in range(step.strokes):
        point = dish + rng.normal([0.0, -0.02, 0.04], [0.05, 0.03, 0.03])
        stage.phase(
            "scrub",
            float(rng.uniform(0.4, 0.8)),
            dominant=point,
            other=dish - np.array([0.1, 0, 0]) + rng.normal(0, 0.015, 3),
            gaze=dish,
        )
    world = stage.keys["sponge"].rest
    stage.phase("lower", 0.6, dominant=stage.body(world), gaze=sponge, wobble=0.004)
    stage.leave("sponge", world)
    stage.phase(
        "pass",
        0.6,
        dominant=stage.front(0.04, 0.36, -0.3),
        other=stage.front(-0.05, 0.36, -0.3),
        gaze=stage.front(0, 0.36, -0.3),
    )
    stage.carry(kind, "dominant", HELD.get(kind, HELD["plate"])[1], offset=-stage.grip_of(kind))
    stage.grip(other=False)
    stage.phase("back", 0.5, dominant=stage.front(0.10, 0.36, -0.28), other=stage.rest_hand(-1))

"""Choreographies of cleaning and tidying: wipe, spray, sweep, fold."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from actor_observer.playhouse.acting.motion import Array, turn_matrix
from actor_observer.playhouse.acting.moves import lid, lift, up
from actor_observer.playhouse.acting.scripting.scripts import Step
from actor_observer.playhouse.acting.stage import Stage

__all__ = ["fold", "pane", "spray", "sweep", "wipe"]


def _strokes(
    stage: Stage, step: Step, points: Callable[[np.random.Generator], Array], seconds: tuple[float, float], name: str
) -> None:
    """Move the dominant hand in irregular strokes between points, each at least a hand's width from the last."""
    rng = step.rng()
    last = stage.posture.dominant
    for _ in range(step.strokes):
        point = max((points(rng) for _ in range(2)), key=lambda p: float(np.linalg.norm(p - last)))
        stage.phase(name, float(rng.uniform(*seconds)), dominant=point, gaze=point)
        last = point


def wipe(stage: Stage, step: Step) -> None:
    """Wipe the surface with a cloth in irregular strokes."""
    stage.set("cloth", turn=np.zeros(3))
    edge = stage.body(stage.spot(-0.75, 0.1)) + up(0.05)
    stage.phase("lower", 0.8, dominant=stage.body(stage.spot(0.2, 0.5)) + up(0.03), other=edge)
    _strokes(
        stage,
        step,
        lambda rng: stage.body(stage.spot(rng.uniform(-0.7, 1.0), rng.uniform(0.0, 1.3))) + up(0.03),
        (0.55, 1.0),
        "wipe",
    )
    lift(stage, "cloth", 0.6)
    stage.phase("back", 0.4, other=stage.rest_hand(-1))


def pane(stage: Stage, step: Step) -> None:
    """Wash the glass of a window with a cloth."""
    stage.set("cloth", turn=np.array([0.0, 1.4, 0.0]))
    _strokes(
        stage,
        step,
        lambda rng: stage.here(np.array([rng.uniform(-0.4, 0.4), 0.68, rng.uniform(1.2, 1.75)])),
        (0.6, 1.1),
        "wipe",
    )
    lift(stage, "cloth", 0.8)


def spray(stage: Stage, step: Step) -> None:
    """Aim a spray bottle here and there, and squirt."""
    rng = step.rng()
    for _ in range(step.strokes):
        point = stage.front(*rng.normal([0.05, 0.46, -0.30], [0.16, 0.03, 0.06]))
        aim = stage.body(stage.spot(*rng.uniform([-0.8, 0.5], [0.8, 1.5])))
        stage.set("spray", turn=np.array([rng.normal(0, 0.3), -0.45, 0.0]))
        stage.phase("aim", float(rng.uniform(0.4, 0.7)), dominant=point, gaze=aim)
        stage.phase("squirt", 0.2, dominant=point + np.array([0, -0.02, 0.015]), gaze=aim, wobble=0.004)
        stage.phase("squirt", 0.2, dominant=point, gaze=aim, wobble=0.004)
    lift(stage, "spray", 0.6)


def sweep(stage: Stage, step: Step) -> None:
    """Turn to the free floor, sweep about, turn back."""
    kind, rng = step.thing, step.rng()
    x, y, yaw = stage.posture.root
    away = yaw + stage.side * rng.uniform(2.0, 2.6)
    stage.phase("turn", 1.0, root=np.array([x, y, away]), gaze=stage.front(0.0, 0.9, -0.9))
    for _ in range(step.strokes):
        turn = np.array([rng.normal(0, 0.25), rng.uniform(0.35, 0.65), rng.normal(0, 0.35)])
        low = np.array(
            [rng.normal(0.02, 0.13), rng.uniform(0.26, 0.42), 0.93 * np.cos(turn[1]) * np.cos(turn[2]) + 0.08]
        )
        high = low + turn_matrix(turn) @ np.array([0.0, 0.0, 0.30])
        brush = low - turn_matrix(turn) @ np.array([0.0, 0.0, 0.9])
        stage.set(kind, turn=turn)
        stage.grip(other=True)
        stage.phase("sweep", float(rng.uniform(0.6, 1.1)), dominant=low, other=high, gaze=brush, lean=0.12)
    stage.grip(other=False)
    stage.phase(
        "turn", 1.0, root=np.array([x, y, yaw]), other=stage.rest_hand(-1), lean=0.0, gaze=stage.front(0.2, 0.8, -0.5)
    )
    lift(stage, kind, 0.4)


def fold(stage: Stage, step: Step) -> None:
    """Lay one half onto the other, then smooth it."""
    kind, rng = step.thing, step.rng()
    at, thing, mirror = stage.where(kind), stage.things[kind], np.array([stage.side, 1.0, 1.0])
    hand, helper = ("other", "dominant") if stage.side > 0 else ("dominant", "other")
    edge = at + lid(thing, 1.0) * mirror * 0.8
    far = np.array([0.0, 0.1, 0.0])
    stage.phase(
        "reach",
        0.9,
        gaze=at,
        hands={hand: edge - far + up(0.02), helper: edge * [0.5, 1, 1] + at * [0.5, 0, 0] + far + up(0.02)},
    )
    stage.grip(True, True)
    for part in (0.5, 0.15, 0.0):
        stage.set(kind, opening=part)
        edge = at + lid(thing, part) * mirror * 0.85
        stage.phase(
            "fold", 0.5, gaze=at, wobble=0.005, hands={hand: edge - far + up(0.02), helper: edge + far + up(0.02)}
        )
    stage.grip(False, False)
    middle = at + np.array([thing.span / 4 * stage.side, 0.0, 0.06])
    for _ in range(step.strokes):
        shift = rng.normal(0, [0.08, 0.06, 0.01])
        hands = {
            "dominant": middle + shift + np.array([0.07, 0, 0]),
            "other": middle + shift * [1, -1, 1] - np.array([0.07, 0, 0]),
        }
        stage.phase("smooth", float(rng.uniform(0.5, 0.9)), gaze=middle, hands=hands)
    stage.phase("back", 0.7, dominant=stage.rest_hand(1), other=stage.rest_hand(-1))

"""Choreographies of work and leisure: read, write, type, phone, and small things around the house."""

from __future__ import annotations

import numpy as np

from actor_observer.playhouse.acting.moves import HELD, lift, up
from actor_observer.playhouse.acting.scripting.scripts import Step
from actor_observer.playhouse.acting.stage import Stage

__all__ = ["hug", "look", "mirror", "read", "shoes", "switch", "talk", "text", "type_on", "watch", "window", "write"]


def read(stage: Stage, step: Step) -> None:
    """Read both pages; turn a page now and then."""
    rng = step.rng()
    spine, page = stage.front(*HELD["book"][0]), np.array([0.15, 0.0, 0.0])
    for number in range(step.strokes):
        for x, dz in ((-0.08, 0.05), (0.09, -0.06)):
            shift = rng.normal(0, 0.02, 3)
            stage.phase(
                "read",
                float(rng.uniform(0.5, 0.8)),
                dominant=spine + page + shift,
                other=spine - page + shift,
                gaze=spine + np.array([x, 0.0, dz]),
            )
        if number % 2:
            stage.carry("book", "other", HELD["book"][1], offset=page)
            stage.grip(dominant=False)
            stage.phase("page", 0.4, dominant=spine + np.array([0.04, -0.06, 0.14]), gaze=spine)
            stage.phase("page", 0.4, dominant=spine + np.array([-0.12, -0.04, 0.06]), gaze=spine)
            stage.phase("page", 0.4, dominant=spine + page, gaze=spine)
            stage.carry("book", "both", HELD["book"][1])


def text(stage: Stage, step: Step) -> None:
    """Hold the phone and tap on it with the other hand."""
    rng = step.rng()
    lift(stage, "phone", 0.5)
    phone = stage.posture.dominant
    for _ in range(2 * step.strokes):
        tap = phone + np.array([*rng.normal([-0.05, 0.0], [0.03, 0.03]), rng.choice([0.02, 0.09])])
        stage.phase(
            "tap",
            float(rng.uniform(0.22, 0.45)),
            dominant=phone + rng.normal(0, 0.008, 3),
            other=tap,
            gaze=phone,
            wobble=0.005,
        )
    stage.phase("back", 0.5, other=stage.rest_hand(-1))


def talk(stage: Stage, step: Step) -> None:
    """Hold the phone to the ear, look about, gesture with the other hand."""
    rng = step.rng()
    stage.set("phone", turn=np.array([1.3, 1.2, 0.0]))
    ear = stage.front(0.14, 0.05, 0.17)
    stage.phase("raise", 0.9, dominant=ear, gaze=stage.front(0.1, 1.2, 0.0))
    for _ in range(step.strokes):
        gesture = stage.front(*rng.normal([-0.22, 0.36, -0.22], [0.10, 0.05, 0.10]))
        look = stage.front(*rng.normal([0.0, 1.2, -0.3], [0.5, 0.1, 0.2]))
        stage.phase("talk", float(rng.uniform(0.8, 1.6)), dominant=ear, other=gesture, gaze=look, wobble=0.008)
    lift(stage, "phone", 0.8)
    stage.phase("back", 0.4, other=stage.rest_hand(-1))


def type_on(stage: Stage, step: Step) -> None:
    """Type with both hands, looking at the screen and at times at the keys."""
    rng, at = step.rng(), stage.where("laptop")
    keys, screen = at + np.array([0.0, 0.01, 0.045]), at + np.array([0.0, 0.14, 0.14])
    stage.phase(
        "reach", 0.8, dominant=keys + np.array([0.09, 0, 0.02]), other=keys + np.array([-0.09, 0, 0.02]), gaze=screen
    )
    for _ in range(2 * step.strokes):
        here = [
            keys + np.array([x + rng.normal(0, 0.03), rng.normal(0.01, 0.03), rng.choice([0.0, 0.025])])
            for x in (0.08, -0.08)
        ]
        stage.phase(
            "type",
            float(rng.uniform(0.2, 0.45)),
            dominant=here[0],
            other=here[1],
            gaze=screen if rng.random() < 0.6 else keys,
            wobble=0.004,
        )
    stage.phase("back", 0.6, dominant=stage.rest_hand(1), other=stage.rest_hand(-1), gaze=screen)


def write(stage: Stage, step: Step) -> None:
    """Take the pen, write line by line, lay the pen down."""
    rng, at, pen = step.rng(), stage.where("notebook"), stage.where("pen")
    stage.phase("reach", 0.8, dominant=pen, other=at + np.array([-0.1, -0.06, 0.02]), gaze=pen)
    stage.carry("pen", "dominant", (0.0, 0.5, 0.4))
    stage.phase("aim", 0.7, dominant=at + np.array([-0.05, 0.06, 0.09]), gaze=at)
    for number in range(2 * step.strokes):
        x, y = (-0.06, 0.06)[number % 2] + rng.normal(0, 0.012), 0.07 - 0.07 * number / step.strokes
        stage.phase(
            "write",
            float(rng.uniform(0.25, 0.5)),
            dominant=at + np.array([x, y, 0.085]),
            gaze=at + np.array([x, y, 0]),
            wobble=0.004,
        )
    world = stage.keys["pen"].rest
    stage.set("pen", turn=np.zeros(3))
    stage.phase("lower", 0.7, dominant=stage.body(world), gaze=pen, wobble=0.004)
    stage.leave("pen", world)
    stage.phase("back", 0.6, dominant=stage.rest_hand(1), other=stage.rest_hand(-1))


def hug(stage: Stage, step: Step) -> None:
    """Press the pillow to the chest and rock it."""
    rng, half = step.rng(), np.array([0.17, 0.06, 0.0])
    for _ in range(step.strokes):
        chest = stage.front(*rng.normal([0.0, 0.24, -0.20], [0.04, 0.02, 0.05]))
        stage.set("pillow", turn=np.array([rng.normal(0, 0.2), 1.3, rng.normal(0, 0.15)]))
        stage.phase(
            "hug",
            float(rng.uniform(0.8, 1.4)),
            dominant=chest + half,
            other=chest - half * [1, -1, 1],
            gaze=chest + up(0.05),
        )
    lift(stage, "pillow", 0.7)


def look(stage: Stage, step: Step) -> None:
    """Hold a picture up with both hands and look at it."""
    rng = step.rng()
    for _ in range(step.strokes):
        point = stage.front(*rng.normal([0.0, 0.36, -0.15], [0.05, 0.03, 0.05]))
        side = np.array([0.13, 0.0, 0.0])
        stage.set("picture", turn=np.array([rng.normal(0, 0.2), -0.25 + rng.normal(0, 0.15), 0.0]))
        stage.phase("look", float(rng.uniform(0.9, 1.6)), dominant=point + side, other=point - side, gaze=point)
    lift(stage, "picture", 0.6)


def watch(stage: Stage, step: Step) -> None:
    """Point the remote control at the television and press."""
    rng, screen = step.rng(), stage.here(np.array(stage.standing.place.sights["television"]))
    for _ in range(step.strokes):
        point = stage.front(*rng.normal([0.12, 0.46, -0.20], [0.04, 0.02, 0.04]))
        stage.phase("point", float(rng.uniform(0.6, 1.0)), dominant=point, gaze=screen * [1, 1, 0.8])
        stage.phase("press", 0.25, dominant=point + np.array([0, 0.03, -0.01]), gaze=screen * [1, 1, 0.8])
    lift(stage, "remote", 0.7)


def shoes(stage: Stage, step: Step) -> None:
    """Bend down and pull the shoe on with both hands."""
    rng = step.rng()
    foot = np.array([0.12, 0.34, 0.12])
    both = {"dominant": foot + np.array([0.05, -0.02, 0.06]), "other": foot + np.array([-0.09, -0.02, 0.06])}
    stage.phase("reach", 1.1, gaze=foot, lean=0.75, hands=both)
    for _ in range(step.strokes):
        pull = rng.normal([0.0, -0.02, 0.05], [0.02, 0.02, 0.03])
        stage.phase(
            "pull",
            float(rng.uniform(0.4, 0.8)),
            gaze=foot,
            dominant=both["dominant"] + pull,
            other=both["other"] + pull * [-1, 1, 1],
        )
    x, y, yaw = stage.posture.root
    right = np.array([np.cos(yaw), np.sin(yaw)]) * foot[0] * stage.side
    ahead = np.array([-np.sin(yaw), np.cos(yaw)]) * (foot[1] + 0.04)
    stage.leave("shoe", np.array([x + right[0] + ahead[0], y + right[1] + ahead[1], 0.05]))
    stage.phase(
        "back", 0.9, lean=0.0, dominant=stage.rest_hand(1), other=stage.rest_hand(-1), gaze=stage.front(0, 0.9, -0.4)
    )


def switch(stage: Stage, step: Step) -> None:
    """Reach under the shade of a lamp and press."""
    at = stage.where("lamp")
    stage.phase("look", 0.4, gaze=at + up(0.2))
    stage.phase("reach", 0.9, dominant=at + np.array([0.0, -0.05, 0.24]), gaze=at + up(0.2))
    stage.phase("press", 0.3, dominant=at + np.array([0.0, -0.03, 0.22]), gaze=at + up(0.25))
    stage.phase("press", 0.3, dominant=at + np.array([0.0, -0.06, 0.22]), gaze=at + up(0.25))
    stage.phase("back", 0.8, dominant=stage.rest_hand(1), gaze=at + up(0.25))


def window(stage: Stage, step: Step) -> None:
    """Look out, one hand on the sill, the other on the glass."""
    rng, glass = step.rng(), stage.here(np.array(stage.standing.place.sights["window"]))
    sill = stage.body(stage.spot(-0.6, 0.1)) + up(0.05)
    for _ in range(step.strokes):
        touch = np.clip(glass + rng.normal([0.2, -0.12, -0.1], [0.1, 0.02, 0.1]), [-0.5, 0.3, 1.1], [0.5, 0.66, 1.7])
        away = glass + rng.normal([0.0, 0.6, 0.05], [0.35, 0.05, 0.15])
        hand = {"dominant": touch} if not stage.held() else {}
        stage.phase("look", float(rng.uniform(1.0, 1.7)), other=sill, gaze=away, hands=hand)
    stage.phase("back", 0.7, other=stage.rest_hand(-1), hands={} if stage.held() else {"dominant": stage.rest_hand(1)})


def mirror(stage: Stage, step: Step) -> None:
    """Look into the mirror and comb the hair with both hands."""
    rng, glass = step.rng(), stage.here(np.array(stage.standing.place.sights["mirror"]))
    before = {"dominant": stage.front(0.22, 0.34, -0.05), "other": stage.front(-0.22, 0.34, -0.05)}
    stage.phase("raise", 0.6, hands=before, gaze=glass)
    for _ in range(step.strokes):
        hair = stage.front(*rng.normal([0.10, 0.10, 0.30], [0.03, 0.05, 0.05]))
        other = stage.front(*rng.normal([-0.11, 0.12, 0.25], [0.03, 0.05, 0.08]))
        stage.phase("comb", float(rng.uniform(0.6, 1.1)), dominant=hair, other=other, gaze=glass)
    stage.phase("lower", 0.5, hands=before, gaze=glass)
    stage.phase("back", 0.6, dominant=stage.rest_hand(1), other=stage.rest_hand(-1), gaze=glass)

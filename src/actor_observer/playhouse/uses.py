"""Choreographies of what one does with a thing: drink, pour, read, type, wipe, sweep, …"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from actor_observer.playhouse.motion import Array, turn_matrix
from actor_observer.playhouse.moves import HELD, close, hold, lid, lift, open_up, put, sit, stand, take, up, walk
from actor_observer.playhouse.scripts import Step
from actor_observer.playhouse.stage import Stage

__all__ = ["CHOREOGRAPHIES"]


def _free(step: Step) -> np.random.Generator:
    return np.random.default_rng(step.seed)


def drink(stage: Stage, step: Step) -> None:
    rng, kind = _free(step), step.thing
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
    rng = _free(step)
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


def read(stage: Stage, step: Step) -> None:
    rng = _free(step)
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
    rng = _free(step)
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
    rng = _free(step)
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
    rng, at = _free(step), stage.where("laptop")
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
    rng, at, pen = _free(step), stage.where("notebook"), stage.where("pen")
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


def _strokes(
    stage: Stage, step: Step, points: Callable[[np.random.Generator], Array], seconds: tuple[float, float], name: str
) -> None:
    """Irregular strokes of the dominant hand between points, none nearer than a hand's width to the last."""
    rng = _free(step)
    last = stage.posture.dominant
    for _ in range(step.strokes):
        point = max((points(rng) for _ in range(2)), key=lambda p: float(np.linalg.norm(p - last)))
        stage.phase(name, float(rng.uniform(*seconds)), dominant=point, gaze=point)
        last = point


def wipe(stage: Stage, step: Step) -> None:
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
    rng = _free(step)
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
    kind, rng = step.thing, _free(step)
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


def eat(stage: Stage, step: Step) -> None:
    rng = _free(step)
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
    rng, palm = _free(step), stage.front(-0.06, 0.34, -0.28)
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
    rng, pan, spoon = _free(step), stage.where("pan"), stage.where("spoon")
    handle = pan + np.array([-0.24 * stage.side, 0.0, 0.03])
    off = "other" if handle[0] < pan[0] else ""
    stage.phase("reach", 0.9, dominant=spoon, gaze=spoon, **({"other": handle} if off else {}))
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
    kind, rng = step.thing, _free(step)
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


def fold(stage: Stage, step: Step) -> None:
    """Lay one half onto the other, then smooth it."""
    kind, rng = step.thing, _free(step)
    at, thing, mirror = stage.where(kind), stage.things[kind], np.array([stage.side, 1.0, 1.0])
    hand, helper = ("other", "dominant") if stage.side > 0 else ("dominant", "other")
    edge = at + lid(thing, 1.0) * mirror * 0.8
    far = np.array([0.0, 0.1, 0.0])
    stage.phase(
        "reach",
        0.9,
        gaze=at,
        **{hand: edge - far + up(0.02), helper: edge * [0.5, 1, 1] + at * [0.5, 0, 0] + far + up(0.02)},
    )
    stage.grip(True, True)
    for part in (0.5, 0.15, 0.0):
        stage.set(kind, opening=part)
        edge = at + lid(thing, part) * mirror * 0.85
        stage.phase("fold", 0.5, gaze=at, wobble=0.005, **{hand: edge - far + up(0.02), helper: edge + far + up(0.02)})
    stage.grip(False, False)
    middle = at + np.array([thing.span / 4 * stage.side, 0.0, 0.06])
    for _ in range(step.strokes):
        shift = rng.normal(0, [0.08, 0.06, 0.01])
        hands = {
            "dominant": middle + shift + np.array([0.07, 0, 0]),
            "other": middle + shift * [1, -1, 1] - np.array([0.07, 0, 0]),
        }
        stage.phase("smooth", float(rng.uniform(0.5, 0.9)), gaze=middle, **hands)
    stage.phase("back", 0.7, dominant=stage.rest_hand(1), other=stage.rest_hand(-1))


def hug(stage: Stage, step: Step) -> None:
    rng, half = _free(step), np.array([0.17, 0.06, 0.0])
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
    rng = _free(step)
    for _ in range(step.strokes):
        point = stage.front(*rng.normal([0.0, 0.36, -0.15], [0.05, 0.03, 0.05]))
        side = np.array([0.13, 0.0, 0.0])
        stage.set("picture", turn=np.array([rng.normal(0, 0.2), -0.25 + rng.normal(0, 0.15), 0.0]))
        stage.phase("look", float(rng.uniform(0.9, 1.6)), dominant=point + side, other=point - side, gaze=point)
    lift(stage, "picture", 0.6)


def watch(stage: Stage, step: Step) -> None:
    rng, screen = _free(step), stage.here(np.array(stage.standing.place.sights["television"]))
    for _ in range(step.strokes):
        point = stage.front(*rng.normal([0.12, 0.46, -0.20], [0.04, 0.02, 0.04]))
        stage.phase("point", float(rng.uniform(0.6, 1.0)), dominant=point, gaze=screen * [1, 1, 0.8])
        stage.phase("press", 0.25, dominant=point + np.array([0, 0.03, -0.01]), gaze=screen * [1, 1, 0.8])
    lift(stage, "remote", 0.7)


def shoes(stage: Stage, step: Step) -> None:
    rng = _free(step)
    foot = np.array([0.12, 0.34, 0.12])
    both = {"dominant": foot + np.array([0.05, -0.02, 0.06]), "other": foot + np.array([-0.09, -0.02, 0.06])}
    stage.phase("reach", 1.1, gaze=foot, lean=0.75, **both)
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
    at = stage.where("lamp")
    stage.phase("look", 0.4, gaze=at + up(0.2))
    stage.phase("reach", 0.9, dominant=at + np.array([0.0, -0.05, 0.24]), gaze=at + up(0.2))
    stage.phase("press", 0.3, dominant=at + np.array([0.0, -0.03, 0.22]), gaze=at + up(0.25))
    stage.phase("press", 0.3, dominant=at + np.array([0.0, -0.06, 0.22]), gaze=at + up(0.25))
    stage.phase("back", 0.8, dominant=stage.rest_hand(1), gaze=at + up(0.25))


def window(stage: Stage, step: Step) -> None:
    rng, glass = _free(step), stage.here(np.array(stage.standing.place.sights["window"]))
    sill = stage.body(stage.spot(-0.6, 0.1)) + up(0.05)
    for _ in range(step.strokes):
        touch = np.clip(glass + rng.normal([0.2, -0.12, -0.1], [0.1, 0.02, 0.1]), [-0.5, 0.3, 1.1], [0.5, 0.66, 1.7])
        away = glass + rng.normal([0.0, 0.6, 0.05], [0.35, 0.05, 0.15])
        hand = {"dominant": touch} if not stage.held() else {}
        stage.phase("look", float(rng.uniform(1.0, 1.7)), other=sill, gaze=away, **hand)
    stage.phase("back", 0.7, other=stage.rest_hand(-1), **({} if stage.held() else {"dominant": stage.rest_hand(1)}))


def mirror(stage: Stage, step: Step) -> None:
    rng, glass = _free(step), stage.here(np.array(stage.standing.place.sights["mirror"]))
    for _ in range(step.strokes):
        hair = stage.front(*rng.normal([0.10, 0.10, 0.30], [0.03, 0.05, 0.05]))
        other = stage.front(*rng.normal([-0.11, 0.12, 0.25], [0.03, 0.05, 0.08]))
        stage.phase("comb", float(rng.uniform(0.6, 1.1)), dominant=hair, other=other, gaze=glass)
    stage.phase("back", 0.8, dominant=stage.rest_hand(1), other=stage.rest_hand(-1), gaze=glass)


CHOREOGRAPHIES: dict[str, Callable[[Stage, Step], None]] = {
    **{
        "take": take,
        "put": put,
        "hold": hold,
        "open": open_up,
        "close": close,
        "sit": sit,
        "stand": stand,
        "walk": walk,
    },
    **{"drink": drink, "pour": pour, "read": read, "text": text, "talk": talk, "type": type_on, "write": write},
    **{"wipe": wipe, "pane": pane, "spray": spray, "sweep": sweep, "eat": eat, "medicine": medicine, "cook": cook},
    **{"wash": wash, "fold": fold, "hug": hug, "look": look, "watch": watch, "shoes": shoes, "switch": switch},
    **{"window": window, "mirror": mirror},
}

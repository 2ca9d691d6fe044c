"""Whole-body movement beside the household actions: walk about, crouch, reach up, jump, throw, exercise, dance.

Each move adds phases to the stage. They belong to no step of the script, so they carry no label. Hands and gaze are
given for an upright body; `rise` (knees bent or on tiptoe) and `hop` (off the floor) take them along.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from actor_observer.playhouse.acting.motion import Array
from actor_observer.playhouse.acting.moves import nearest_turn, sit, stand
from actor_observer.playhouse.acting.scripting.scripts import Step
from actor_observer.playhouse.acting.stage import Stage
from actor_observer.playhouse.home.free_floor import clearance, free_spots, way_round

__all__ = ["MOVES", "Lively", "can_move", "go", "move_about"]

Rng = np.random.Generator


@dataclass(frozen=True)
class Lively:
    """How much a performance moves about between the actions of its script; drawn when a set is planned."""

    moves: tuple[str, ...]  # names in MOVES
    before: float  # seconds of movement before the first action
    between: float  # odds of some movement after each action
    after: float  # seconds after the last action
    gait: float  # how strongly steps are felt: a factor around one
    glances: tuple[float, float]  # seconds between quick turns of the head, and a factor on their size
    bystanders: tuple[str, ...] = ()  # other actors in the room
    round: bool = field(default=False, repr=False)  # walks round the furniture; not in the repr, as in TakePlan


def _hands(stage: Stage, x: float, y: float, dz: float) -> dict[str, Array]:
    """Both hands at mirrored points relative to the shoulders."""
    return {"dominant": stage.front(x, y, dz), "other": stage.front(-x, y, dz)}


def _rest(stage: Stage, seconds: float) -> None:
    """Upright again, arms hanging, eyes ahead."""
    hands = {"dominant": stage.rest_hand(1), "other": stage.rest_hand(-1)}
    stage.phase("rest", seconds, hands=hands, gaze=stage.front(0, 1.2, -0.1), lean=0.0, rise=0.0, hop=0.0)


def go(stage: Stage, goal: Array, rng: Rng, heading: float | None = None) -> None:
    """Turn towards a point (2,) of the floor, walk there, and turn to `heading` if it is given."""
    here = stage.posture.root
    for point in way_round(stage.home, here[:2], goal) if stage.round else (goal,):
        _go_straight(stage, point, rng)
    if heading is not None:
        yaw = nearest_turn(stage.posture.root[2], heading)
        seconds = 0.25 + 0.35 * abs(yaw - stage.posture.root[2])
        stage.phase("turn", seconds, root=np.array([*stage.posture.root[:2], yaw]))


def _go_straight(stage: Stage, goal: Array, rng: Rng) -> None:
    here = stage.posture.root
    way = goal - here[:2]
    far = float(np.linalg.norm(way))
    if far > 0.05:
        yaw = nearest_turn(here[2], float(np.arctan2(way[1], way[0]) - np.pi / 2))
        ahead = stage.front(0.0, 1.4, rng.normal(-0.35, 0.2))
        stage.phase("turn", 0.25 + 0.35 * abs(yaw - here[2]), root=np.array([*here[:2], yaw]), gaze=ahead)
        stage.phase("go", 0.5 + far / rng.uniform(0.55, 1.0), root=np.array([*goal, yaw]))


def _stroll(stage: Stage, rng: Rng) -> None:
    """Walk from one free spot to the next."""
    for spot in free_spots(stage.home, rng, int(rng.integers(2, 5)), stage.posture.root[None, :2]):
        go(stage, spot, rng)
        if rng.random() < 0.4:
            _wait(stage, rng)


def _wait(stage: Stage, rng: Rng) -> None:
    """Stand still for seconds; perhaps the eyes wander."""
    for _ in range(int(rng.integers(1, 4))):
        stage.phase(
            "wait", float(rng.uniform(0.8, 3.0)), gaze=stage.front(*rng.normal([0, 1.2, -0.2], [0.5, 0.1, 0.3]))
        )


def _crouch(stage: Stage, rng: Rng) -> None:
    """Down to something on the floor, busy there, and up again."""
    down = float(rng.uniform(0.35, 0.5))
    at = np.array([rng.normal(0.05, 0.12), 0.45, down + 0.08])  # the body goes down by `down`, and takes it along
    stage.phase("look", 0.4, gaze=at)
    stage.phase("crouch", float(rng.uniform(0.7, 1.2)), rise=-down, lean=0.5, dominant=at, other=at - [0.2, 0, -0.05])
    for _ in range(int(rng.integers(1, 6))):
        busy = at + rng.normal(0, [0.1, 0.06, 0.04])
        stage.phase("busy", float(rng.uniform(0.3, 0.9)), dominant=busy, gaze=busy)
    _rest(stage, float(rng.uniform(0.7, 1.3)))


def _reach_up(stage: Stage, rng: Rng) -> None:
    """Both hands, or one, up high, on tiptoe."""
    high = stage.front(rng.normal(0.1, 0.1), 0.25, 0.55)
    stage.phase("look", 0.35, gaze=high)
    other = {"other": high - np.array([0.3, 0.0, 0.0])} if rng.random() < 0.5 else {}
    stage.phase("reach", float(rng.uniform(0.6, 1.0)), hands={"dominant": high, **other}, rise=0.02, gaze=high)
    for _ in range(int(rng.integers(1, 4))):
        stage.phase("busy", float(rng.uniform(0.3, 0.8)), dominant=high + rng.normal(0, [0.12, 0.04, 0.05]))
    _rest(stage, 0.8)


def _jump(stage: Stage, rng: Rng) -> None:
    """Gather, leap with swinging arms, land soft."""
    for _ in range(int(rng.integers(1, 6))):
        height, arms = float(rng.uniform(0.08, 0.32)), float(rng.uniform(-0.3, 0.5))
        stage.phase(
            "gather", float(rng.uniform(0.3, 0.5)), rise=-0.22, lean=0.35, hands=_hands(stage, 0.25, -0.2, -0.5)
        )
        up = float(np.sqrt(2 * height / 9.81))  # seconds from the floor to the highest point
        stage.phase("leap", 0.25 + up, rise=0.02, hop=height, lean=0.0, hands=_hands(stage, 0.25, 0.35, arms))
        stage.phase("land", 0.15 + up, rise=-0.15, hop=0.0, lean=0.2, hands=_hands(stage, 0.3, 0.25, -0.3))
        stage.phase("settle", 0.35, rise=0.0, lean=0.05)
    _rest(stage, 0.4)


def _throw(stage: Stage, rng: Rng) -> None:
    """Wind up, throw, follow through; the trunk turns with it."""
    target = stage.front(rng.normal(0, 0.2), 2.5, rng.normal(0, 0.3))
    for _ in range(int(rng.integers(1, 5))):
        x, y, yaw = stage.posture.root
        back, on = yaw - 0.5 * stage.side, yaw + 0.25 * stage.side
        arm, aim = stage.front(0.42, -0.18, 0.15), stage.front(-0.1, 0.45, 0.0)
        stage.phase(
            "wind up",
            float(rng.uniform(0.5, 0.9)),
            dominant=arm,
            other=aim,
            gaze=target,
            root=np.array([x, y, back]),
            rise=-0.06,
        )
        stage.phase("throw", 0.22, dominant=stage.front(0.1, 0.55, 0.15), root=np.array([x, y, on]), lean=0.2, rise=0.0)
        stage.phase("follow", 0.3, dominant=stage.front(-0.15, 0.35, -0.4), other=stage.rest_hand(-1), lean=0.35)
        stage.phase("settle", 0.6, root=np.array([x, y, yaw]), lean=0.0)
    _rest(stage, 0.5)


def _turn_round(stage: Stage, rng: Rng) -> None:
    """Turn on the spot, once or a few times."""
    for _ in range(int(rng.integers(1, 4))):
        x, y, yaw = stage.posture.root
        angle = float(rng.choice([-1, 1]) * rng.uniform(0.8, 2 * np.pi))
        stage.phase("turn round", 0.3 + abs(angle) / rng.uniform(1.8, 3.5), root=np.array([x, y, yaw + angle]))
        stage.phase("stop", float(rng.uniform(0.3, 1.5)))


def _squats(stage: Stage, rng: Rng) -> None:
    """Down and up in an even beat."""
    down, beat = float(rng.uniform(0.22, 0.42)), float(rng.uniform(0.5, 1.0))
    reach = float(rng.uniform(0.2, 0.5))
    for _ in range(int(rng.integers(4, 11))):
        stage.phase("down", beat, rise=-down, lean=0.5, hands=_hands(stage, 0.15, reach, -0.1))
        stage.phase("up", beat * 0.9, rise=0.0, lean=0.03, hands=_hands(stage, 0.25, 0.1, -0.5))
    _rest(stage, 0.5)


def _arm_swings(stage: Stage, rng: Rng) -> None:
    """Arms up and down, or open and closed, in an even beat; perhaps with a hop at each, as in jumping jacks."""
    ends = [
        ((0.20, 0.05, 0.58), (0.26, 0.07, -0.57)),
        ((0.60, 0.1, -0.02), (0.1, 0.5, -0.02)),
        ((0.62, 0.05, 0.05), (0.26, 0.07, -0.57)),
    ]
    there, back = ends[int(rng.integers(len(ends)))]
    beat, hop = float(rng.uniform(0.3, 0.7)), float(rng.choice([0.0, 0.0, 0.07]))
    for number in range(2 * int(rng.integers(5, 13))):
        end = there if number % 2 == 0 else back
        if hop:
            middle = (np.array(there) + np.array(back)) / 2 + np.array([0.15, 0.0, 0.0])
            stage.phase("hop", beat / 2, hands=_hands(stage, *middle), hop=hop, rise=0.0)
        stage.phase("swing", beat / 2 if hop else beat, hands=_hands(stage, *end), hop=0.0, rise=-0.05 if hop else 0.0)
    _rest(stage, 0.5)


def _dribble(stage: Stage, rng: Rng) -> None:
    """One hand beats down at hip height, as with a ball, now on the spot, now a few steps on."""
    beat, low = float(rng.uniform(0.18, 0.32)), float(rng.uniform(0.5, 0.62))
    x = float(rng.uniform(0.22, 0.35))
    for number in range(int(rng.integers(8, 25))):
        gaze = stage.front(0.2, 1.0, -0.7) if number % 3 == 0 else None
        stage.phase("push", beat, dominant=stage.front(x, 0.32, -low), rise=-0.12, lean=0.22, gaze=gaze)
        root = stage.posture.root + np.array([*rng.normal(0, 0.05, 2), rng.normal(0, 0.15)])
        stage.phase("lift", beat, dominant=stage.front(x, 0.30, -low + 0.24), rise=-0.09, root=_inside(stage, root))
    _rest(stage, 0.5)


def _within_reach(sign: int, point: Array) -> Array:
    """A point relative to the shoulders, drawn in to where the arm of one side gets without bending the trunk."""
    shoulder = np.array([0.185 * sign, 0.0, 0.0])
    way = point - shoulder
    return np.asarray(shoulder + way * min(1.0, 0.48 / float(np.linalg.norm(way))))


def _dance(stage: Stage, rng: Rng) -> None:
    """Irregular movement of everything at a beat that is not kept quite."""
    beat, lively = float(rng.uniform(0.32, 0.65)), float(rng.uniform(0.5, 1.2))
    for _ in range(int(rng.integers(8, 28))):
        step = np.array([*rng.normal(0, 0.10 * lively, 2), rng.normal(0, 0.45 * lively)])
        hands = {
            which: stage.front(*_within_reach(sign, rng.normal([0.28 * sign, 0.25, -0.2], [0.16, 0.14, 0.28 * lively])))
            for which, sign in (("dominant", 1), ("other", -1))
            if rng.random() < 0.8
        }
        stage.phase(
            "dance",
            beat * float(rng.choice([1.0, 1.0, 2.0, 0.8])),
            hands=hands,
            root=_inside(stage, stage.posture.root + step),
            rise=-float(rng.uniform(0.0, 0.16 * lively)),
            hop=float(rng.random() < 0.15) * 0.05,
            lean=float(rng.normal(0.05, 0.1 * lively)),
            gaze=stage.front(*rng.normal([0, 1.2, -0.2], [0.4, 0.1, 0.3])),
        )
    _rest(stage, 0.6)


def _gesture(stage: Stage, rng: Rng) -> None:
    """Talk with the hands, shifting weight."""
    for _ in range(int(rng.integers(5, 16))):
        point = stage.front(*rng.normal([0.2, 0.32, -0.3], [0.1, 0.06, 0.12]))
        both = {"other": point * [-1, 1, 1] + rng.normal(0, 0.04, 3)} if rng.random() < 0.6 else {}
        lean = float(rng.normal(0.03, 0.03))
        stage.phase("gesture", float(rng.uniform(0.3, 0.9)), hands={"dominant": point, **both}, lean=lean)
    _rest(stage, 0.6)


MOVES: dict[str, Callable[[Stage, Rng], None]] = {
    **{"stroll": _stroll, "wait": _wait, "crouch": _crouch, "reach up": _reach_up, "jump": _jump, "throw": _throw},
    **{"turn round": _turn_round, "squats": _squats, "arm swings": _arm_swings, "dribble": _dribble},
    **{"dance": _dance, "gesture": _gesture},
}


def _inside(stage: Stage, root: Array) -> Array:
    """The new root if it is clear of the furniture, else the old place with the new heading."""
    old = stage.posture.root
    return root if clearance(stage.home, root[None, :2])[0] > 0.4 else np.array([*old[:2], root[2]])


def can_move(stage: Stage) -> bool:
    """Whether nothing is in the actor's hands, nor half open before them."""
    return not stage.held() and not any(stage.doors.values())


def move_about(stage: Stage, lively: Lively, seconds: float, rng: Rng) -> None:
    """Leave the place for the free floor, make moves for about so many seconds, and come back."""
    step, using = stage.step, stage.using
    stage.step, stage.using = -1, ""
    seated, began = stage.posture.sit > 0.5, len(stage.phases)
    here = stage.posture.root
    pose = Step("", "", 0, 0, 0)
    if seated:
        stand(stage, pose)
    while sum(phase.seconds for phase in stage.phases[began:]) < seconds:
        spot = free_spots(stage.home, rng, 1)[0]
        inwards = float(np.arctan2(-spot[1], -spot[0]) - np.pi / 2)  # who faces a wall sees little
        go(stage, spot, rng, inwards + float(rng.normal(0, 0.9)))
        for name in rng.choice(lively.moves, int(rng.integers(1, 3))):
            MOVES[str(name)](stage, rng)
    go(stage, here[:2], rng, here[2])
    if seated:
        sit(stage, pose)
    stage.step, stage.using = step, using

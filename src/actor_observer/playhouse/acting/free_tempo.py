"""Free tempo: people who act a script pause, hurry, look for things, try again, and do something else before and after.

How long an action takes has a log-normal distribution, as times of human tasks have (surgery: Strum, May and Vargas,
Anesthesiology 92, 2000; answers in tests: van der Linden, J. Educ. Behav. Stat. 31, 2006). σ = 0.5 is our
choice: no study of household actions was at hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from actor_observer.pairs.clock import Clock
from actor_observer.playhouse.acting.actors import Actor
from actor_observer.playhouse.acting.motion import Array
from actor_observer.playhouse.acting.performance import Performance, finish, play_step
from actor_observer.playhouse.acting.scripting.scripts import Script
from actor_observer.playhouse.acting.stage import Phase, Posture, Stage
from actor_observer.playhouse.acting.whole_body import MOVES, Lively, can_move, move_about
from actor_observer.playhouse.home.homes import Home

__all__ = ["Free", "free_clock", "perform_freely"]

SIGMA = 0.5  # of the logarithm of how long an action takes
HURRY, DAWDLE = 0.35, 3.0  # factors beyond which movement would look odd
INTERLUDE, RETRY = 0.25, 0.25  # odds of something in between after an action; of a second try in one that reaches
LONGEST = 70.0  # seconds
EXTRA = ("interlude", "retry")  # names of phases that other performances of the script do not have
CALM = ("wait", "turn round")
LEAST = 1e-3  # seconds between two anchors of a clock
Rng = np.random.Generator


@dataclass(frozen=True)
class Free:
    """What one performance makes of its script; drawn when a set is planned."""

    order: tuple[int, ...]  # steps of the script, as they are played
    before: float  # seconds that the camera runs before the first, about
    after: float  # and after the last
    away: bool  # whether the actor moves about the room before


def perform_freely(script: Script, home: Home, actor: Actor, looks: int, seed: list[int], free: Free) -> Performance:
    """Let an actor play a script in this order, and take the time that it takes."""
    rng = np.random.default_rng([*seed, 13])
    first = script.steps[free.order[0]]
    stage = Stage(script, home, actor, looks, rng, 0 if first.verb == "walk" else first.place)
    around = Lively(CALM, 0.0, 0.0, 0.0, 0.0, (2.0, 1.0), round=True)
    stage.round = True
    _besides(stage, free.before, free.away, around, rng)
    for place, number in enumerate(free.order):
        following = free.order[place + 1 :][:1]
        began = len(stage.phases)
        play_step(stage, number, script.steps[following[0]].place if following else None)
        if rng.random() < RETRY:
            _try_again(stage, began, rng)
        if following and rng.random() < INTERLUDE:
            _interlude(stage, rng)
    _besides(stage, free.after, False, around, rng)
    return finish(stage, _seconds(stage.phases, actor.pace, rng), rng)


def _besides(stage: Stage, seconds: float, away: bool, around: Lively, rng: Rng) -> None:
    """Something else for so long: on the spot, or about the room."""
    began = len(stage.phases)
    stage.step, stage.using = -1, stage.held()
    if away and can_move(stage):
        move_about(stage, around, 1.0, rng)
    least = len(stage.phases)

    def spent() -> float:
        return sum(phase.seconds for phase in stage.phases[began:])

    while spent() < seconds:
        MOVES["gesture" if can_move(stage) and rng.random() < 0.3 else "wait"](stage, rng)
    while len(stage.phases) > max(least, 1) and spent() - stage.phases[-1].seconds > seconds:
        stage.phases.pop()
        stage.posture = stage.phases[-1].posture
    if len(stage.phases) > began and can_move(stage):
        stage.phase("rest", 0.5, dominant=stage.rest_hand(1), other=stage.rest_hand(-1))
    _rename(stage, began, "interlude")


def _interlude(stage: Stage, rng: Rng) -> None:
    """Between two actions: look for the next thing, think, or scratch one's chin."""
    began = len(stage.phases)
    stage.step, stage.using = -1, stage.held()
    kind = rng.choice(["look for", "think", "scratch"])
    if kind == "look for":
        for _ in range(int(rng.integers(2, 6))):
            gaze = stage.front(*rng.normal([0.0, 0.8, -0.45], [0.5, 0.2, 0.2]))
            stage.phase("look", float(rng.uniform(0.4, 1.0)), gaze=gaze)
    elif kind == "think" or stage.held():
        MOVES["wait"](stage, rng)
    else:
        back, chin = stage.posture.other, np.array([-0.06, 0.24, -0.06])
        for _ in range(int(rng.integers(1, 4))):
            stage.phase("scratch", float(rng.uniform(0.6, 1.0)), other=stage.front(*(chin + rng.normal(0, 0.03, 3))))
        stage.phase("back", 0.8, other=back)
    _rename(stage, began, "interlude")


def _rename(stage: Stage, began: int, name: str) -> None:
    stage.phases[began:] = [replace(phase, name=name) for phase in stage.phases[began:]]


def _try_again(stage: Stage, began: int, rng: Rng) -> None:
    """Before the first reach of a step: reach some of the way, and withdraw."""
    at = next((n for n in range(began, len(stage.phases)) if stage.phases[n].name == "reach"), None)
    if at is None:
        return
    before = stage.phases[at - 1] if at else None
    start = (before.posture, before.things, before.doors) if before else stage.start
    goal, using = stage.phases[at].posture, stage.phases[at].using
    step = stage.phases[at].step
    tries = []
    for _ in range(int(rng.integers(1, 3))):
        there, back = float(rng.uniform(0.55, 0.9)), float(rng.uniform(0.0, 0.3))
        for share, seconds in ((there, 0.5 + 0.4 * there), (back, float(rng.uniform(0.4, 1.2)))):
            posture = _between(start[0], goal, share)
            tries.append(Phase(step, "retry", seconds, 1.0, posture, start[1], start[2], using))
    stage.phases[at:at] = tries


def _between(start: Posture, goal: Posture, share: float) -> Posture:
    """Hands and gaze some of the way from one posture to another; the rest as at the start."""
    moved = {
        name: getattr(start, name) + share * (getattr(goal, name) - getattr(start, name))
        for name in ("dominant", "other", "gaze", "lean")
    }
    return replace(start, **moved)


def _seconds(phases: list[Phase], pace: float, rng: Rng) -> Array:
    """How long each phase takes: one factor for each action, a small one for each phase, and pauses of any length."""
    nominal = np.array([phase.seconds * phase.stretch for phase in phases])
    step = np.array([phase.step for phase in phases])
    action = np.exp(rng.normal(-(SIGMA**2) / 2, SIGMA, step.max(initial=0) + 1))
    besides = np.maximum(np.exp(rng.normal(-0.08, 0.4, len(phases))), 0.8)
    factor = np.where(step < 0, besides, action[np.maximum(step, 0)])
    seconds = nominal * pace * np.clip(factor * np.exp(rng.normal(0, 0.15, len(phases))), HURRY, DAWDLE)
    pauses = np.array([phase.name == "pause" for phase in phases])
    seconds = np.where(pauses, np.clip(np.exp(rng.normal(np.log(0.4), 0.9, len(phases))), 0.1, 5.0), seconds)
    seconds = np.maximum(seconds, 0.1)
    return np.asarray(seconds * min(1.0, LONGEST / seconds.sum()))


def free_clock(third: Performance, first: Performance) -> Clock:
    """The clock between two free performances of one script: exact where both do the same, in pieces.

    Actions that both play correspond phase by phase, and the pause between two actions that follow each other in both.
    All else has no counterpart: second tries, what somebody does in between, before or after, actions that one of them
    leaves out, and a walk to another place.
    """
    mine, theirs = (dict(_keyed(one)) for one in (third, first))
    spans = [(*_span(third, mine[key]), *_span(first, theirs[key])) for key in mine if key in theirs]
    pieces: list[list[tuple[float, float]]] = []
    ends = None
    for a, b, c, d in sorted(spans):  # third-person start and end, first-person start and end
        if ends == (a, c):
            pieces[-1].append((b, d))
        else:
            slope = (d - c) / (b - a)
            skip = LEAST * max(1.0, 1 / slope) if pieces else 0.0  # no moment may belong to two pieces
            pieces.append([(round(a + skip, 6), round(c + skip * slope, 6)), (b, d)])
        ends = (b, d)
    return Clock.of_pieces(pieces)


def _keyed(performance: Performance) -> Iterator[tuple[tuple[object, ...], int]]:
    """What each phase is, in words that mean the same in every performance of the script, and its number."""
    phases, script = performance.phases, performance.script
    played = [number for number in dict.fromkeys(phase.step for phase in phases) if number >= 0]
    place = {number: n for n, number in enumerate(played)}
    count: dict[int, int] = {}
    last = -1
    for n, phase in enumerate(phases):
        if phase.name in EXTRA:
            continue
        if phase.step < 0:  # a pause
            following = played[place[last] + 1 :][:1] if last >= 0 else played[:1]
            if last >= 0 and following:
                yield ("pause", last, *following), n
            continue
        last = phase.step
        count[last] = count.get(last, 0) + 1
        step = script.steps[last]
        beyond = played[place[last] + 1 :][:1] if step.verb == "walk" else ()
        way = (script.steps[beyond[0]].place, script.steps[played[place[last] - 1]].place) if beyond else ()
        yield (last, count[last], phase.name, *way), n


def _span(performance: Performance, number: int) -> tuple[float, float]:
    return float(performance.ends[number]), float(performance.ends[number + 1])

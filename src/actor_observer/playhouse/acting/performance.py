"""A performance: one actor plays one script in one home, with timing of its own.

Time inside a phase runs evenly, so the clock between two performances is exact when it is pinned at the phases' ends.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from actor_observer.pairs.clock import Clock
from actor_observer.pairs.manifest import Action
from actor_observer.playhouse.acting.actors import Actor
from actor_observer.playhouse.acting.choreography import CHOREOGRAPHIES
from actor_observer.playhouse.acting.gait import add_gait
from actor_observer.playhouse.acting.glances import Glances
from actor_observer.playhouse.acting.motion import Array, Drift, min_jerk
from actor_observer.playhouse.acting.scripting.scripts import Script
from actor_observer.playhouse.acting.stage import Phase, Posture, Stage, ThingKey
from actor_observer.playhouse.acting.whole_body import Lively, can_move, move_about
from actor_observer.playhouse.home.homes import Home
from actor_observer.playhouse.home.parts import Thing

Whole = NDArray[np.int64]
SHORTEST, LONGEST = 16.0, 40.0  # seconds; actors who would be faster or slower adapt

LIVELY_LOOSENESS = 0.18  # of timing: hurried whole-body movement looks unnatural

__all__ = [
    "LIVELY_LOOSENESS",
    "Performance",
    "Tracks",
    "clock_between",
    "finish",
    "perform",
    "play_step",
    "time_phases",
]


@dataclass(frozen=True)
class Tracks:
    """The actor at T times, in the body's frame of stage.py."""

    hands: Array  # (T, 2, 3) grips: dominant, other
    gaze: Array  # (T, 3)
    lean: Array  # (T,)
    sit: Array  # (T,)
    seat: Array  # (T,)
    root: Array  # (T, 3)
    walked: Array  # (T,) metres walked so far, which the legs follow
    speed: Array  # (T,) metres per second
    grips: Array  # (T, 2) 0 or 1
    rise: Array  # (T,) metres: the body lifted, knees bent if negative
    hop: Array  # (T,) metres: feet off the floor
    nod: Array  # (T,) radians: pitch of the head from steps


@dataclass(frozen=True)
class Performance:
    """Phases with their times. Everything about any moment follows from them, before any pixel is drawn."""

    script: Script
    home: Home
    actor: Actor
    things: dict[str, Thing]
    phases: tuple[Phase, ...]
    ends: Array  # (P + 1,) seconds: starts with 0
    start: tuple[Posture, dict[str, ThingKey], dict[str, float]]
    drifts: tuple[Drift, Drift]  # of the hands (6), of the gaze (3)
    gait: float = 0.0  # how strongly steps are felt in the whole body
    glances: Glances | None = None  # quick turns of the head

    @property
    def length(self) -> float:
        return float(self.ends[-1])

    def at(self, times: Array) -> tuple[Whole, Array]:
        """Which phase (T,) and how far into it (T,), 0 … 1."""
        phase = np.searchsorted(self.ends, times, side="right").astype(np.int64) - 1
        phase = np.clip(phase, 0, len(self.phases) - 1)
        return phase, np.clip((times - self.ends[phase]) / (self.ends[phase + 1] - self.ends[phase]), 0.0, 1.0)

    @cached_property
    def _keys(self) -> Array:
        """The postures at the ends of the phases as rows (P + 1, 17); the first is the start."""
        postures = [self.start[0], *(phase.posture for phase in self.phases)]
        return np.array(
            [[*p.dominant, *p.other, *p.gaze, p.lean, p.sit, p.seat, *p.root, p.rise, p.hop] for p in postures]
        )

    def tracks(self, times: Array) -> Tracks:
        phase, share = self.at(times)
        eased = min_jerk(share)[:, None]
        rows = self._keys[phase] + (self._keys[phase + 1] - self._keys[phase]) * eased
        steps = np.linalg.norm(np.diff(self._keys[:, 12:14], axis=0), axis=1)
        gone = np.concatenate([[0.0], np.cumsum(steps)])
        seconds = np.diff(self.ends)
        hands = (rows[:, :6] + 0.006 * self.drifts[0](times)).reshape(-1, 2, 3)
        gaze = rows[:, 6:9] + 0.05 * self.drifts[1](times)
        lifted = rows[:, 15] + rows[:, 16]
        hands[..., 2] += lifted[:, None]
        gaze[:, 2] += lifted
        grips = np.array([p.posture.grips for p in self.phases], float)[phase]
        tracks = Tracks(
            hands=hands,
            gaze=gaze,
            lean=rows[:, 9],
            sit=rows[:, 10],
            seat=rows[:, 11],
            root=rows[:, 12:15],
            walked=gone[phase] + steps[phase] * eased[:, 0],
            speed=steps[phase] / seconds[phase] * 30 * share**2 * (1 - share) ** 2,
            grips=grips,
            rise=rows[:, 15],
            hop=rows[:, 16],
            nod=np.zeros(len(rows)),
        )
        return add_gait(tracks, self.gait, self.actor.scale, self.actor.dominant_side) if self.gait else tracks

    def progress(self, times: Array) -> tuple[Whole, Array]:
        """Step of the script (T,), -1 in pauses, and how far the action has come (T,), 0 … 1.

        Progress counts nominal seconds, so it is the same at corresponding moments of two performances.
        """
        phase, share = self.at(times)
        step = np.array([p.step for p in self.phases])
        nominal = np.array([p.seconds if p.name != "retry" else 0.0 for p in self.phases])  # a second try gains nothing
        total = np.array([nominal[step == s].sum() for s in step])
        before = np.array([nominal[:i][step[:i] == s].sum() for i, s in enumerate(step)])
        done = (before[phase] + share * nominal[phase]) / total[phase]
        return step[phase], np.where(step[phase] < 0, 0.0, done)

    def actions(self) -> tuple[Action, ...]:
        """The labels a patient annotator would give, in this performance's seconds."""
        step = np.array([phase.step for phase in self.phases])
        found = []
        for number, item in enumerate(self.script.steps):
            rows = np.flatnonzero(step == number)
            if not len(rows):  # left out
                continue
            found.append(
                Action(item.label, round(float(self.ends[rows[0]]), 2), round(float(self.ends[rows[-1] + 1]), 2))
            )
        return tuple(sorted(found, key=lambda action: action.start))

    def in_use(self, times: Array) -> list[str]:
        """The object in use at each time, or ""."""
        return [self.phases[int(i)].using for i in self.at(times)[0]]


def _seconds(
    phases: list[Phase], pace: float, looseness: float, rng: np.random.Generator, longest: float = LONGEST
) -> Array:
    """How long each phase takes in this performance: a slow random warp, and pauses of any length."""
    nominal = np.array([phase.seconds * phase.stretch for phase in phases])
    middle = np.cumsum(nominal) - nominal / 2
    warp = Drift.random(rng, float(nominal.sum()), 5.0, 1)(middle)[:, 0]
    quick = rng.normal(0, 0.10, len(phases))
    seconds = nominal * pace * np.exp(looseness * warp + quick)
    pauses = np.array([phase.step < 0 and phase.name == "pause" for phase in phases])
    long = rng.random(len(phases)) < 0.35
    drawn = np.where(long, rng.uniform(0.8, 0.8 + 6 * looseness, len(phases)), rng.uniform(0.15, 0.5, len(phases)))
    drawn = np.where(pauses, drawn, np.maximum(seconds, 0.12))
    total = drawn.sum()
    return np.asarray(drawn * (np.clip(total, SHORTEST, longest) / total))


def perform(
    script: Script,
    home: Home,
    actor: Actor,
    looks: int,
    seed: list[int],
    looseness: float = 0.33,
    lively: Lively | None = None,
) -> Performance:
    """Let an actor play a script in a home. `looks` picks the objects' looks, `seed` the performance.

    With `lively` the actor also moves about between the actions, and the performance may last longer.
    """
    rng = np.random.default_rng(seed)
    stage = Stage(script, home, actor, looks, rng)
    stage.round = lively.round if lively else False
    stage.pause()
    if lively and lively.before:
        move_about(stage, lively, lively.before, rng)
    for number in range(len(script.steps)):
        play_step(stage, number)
        if lively and can_move(stage):
            last = number == len(script.steps) - 1
            seconds = lively.after if last else 6.0 * float(rng.random() < lively.between)
            if seconds:
                move_about(stage, lively, seconds, rng)
    return time_phases(stage, LIVELY_LOOSENESS if lively else looseness, rng, lively)


def play_step(stage: Stage, number: int, place: int | None = None) -> None:
    """Play one step of the stage's script, and pause. A walk leads to another `place` than the script's, if given."""
    step = stage.script.steps[number]
    if place is not None and step.verb == "walk":
        step = replace(step, place=place)
    stage.step, stage.using = number, step.thing if step.thing in stage.things else ""
    CHOREOGRAPHIES[step.verb](stage, step)
    stage.pause()


def time_phases(stage: Stage, looseness: float, rng: np.random.Generator, lively: Lively | None = None) -> Performance:
    """The performance of what was played on a stage: every phase gets its time, and the body its small movements."""
    longest = LONGEST if lively is None else np.inf
    return finish(stage, _seconds(stage.phases, stage.actor.pace, looseness, rng, longest), rng, lively)


def finish(stage: Stage, seconds: Array, rng: np.random.Generator, lively: Lively | None = None) -> Performance:
    """The performance of phases that take so many seconds (P,)."""
    ends = np.concatenate([[0.0], np.cumsum(seconds)])
    length = float(ends[-1])
    drifts = Drift.random(rng, length, 0.7, 6), Drift.random(rng, length, 1.1, 3)
    gait, glances = (lively.gait, Glances.random(rng, length, *lively.glances)) if lively else (0.0, None)
    phases, ends = tuple(stage.phases), np.round(ends, 4)
    return Performance(
        stage.script, stage.home, stage.actor, stage.things, phases, ends, stage.start, drifts, gait, glances
    )


def clock_between(third: Performance, first: Performance) -> Clock:
    """The exact clock between two performances of one script, pinned at the end of every phase."""
    return Clock(tuple((float(a), float(b)) for a, b in zip(third.ends, first.ends, strict=True)))

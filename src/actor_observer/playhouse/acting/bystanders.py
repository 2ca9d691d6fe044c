"""Bystanders: other people in the room, who move about for themselves and wear no camera."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from actor_observer.playhouse.acting.actors import Actor
from actor_observer.playhouse.acting.performance import LIVELY_LOOSENESS, Performance, time_phases
from actor_observer.playhouse.acting.scripting.scripts import Script
from actor_observer.playhouse.acting.stage import Stage
from actor_observer.playhouse.acting.whole_body import MOVES, Lively, go
from actor_observer.playhouse.home.free_floor import free_spots

__all__ = ["stand_by"]

STAY = tuple(name for name in MOVES if name != "stroll")  # who walked about would walk through the actor


def stand_by(performance: Performance, actor: Actor, seed: list[int]) -> Performance:
    """What somebody else in the room does for as long as a performance lasts, out of its actor's way."""
    rng = np.random.default_rng([*seed, 11])
    home = performance.home
    stage = Stage(Script((next(iter(home.standings)),), (), (), False), home, actor, 0, rng)
    roots = np.array([phase.posture.root[:2] for phase in performance.phases])
    spots = free_spots(home, rng, 2, roots)
    root = np.array([*spots[0], rng.uniform(-np.pi, np.pi)])
    stage.posture = replace(stage.posture, root=root, gaze=stage.front(0, 1.2, -0.2))
    stage.start = (stage.posture, *stage.start[1:])
    moves = tuple(str(name) for name in rng.choice(STAY, 3, replace=False))
    while sum(phase.seconds for phase in stage.phases) < 1.4 * performance.length:
        MOVES[str(rng.choice([*moves, "wait"]))](stage, rng)
        if rng.random() < 0.15:
            go(stage, spots[int(rng.integers(2))], rng)
    lively = Lively(moves, 0.0, 0.0, 0.0, float(rng.uniform(0.6, 1.4)), (1.5, 1.0))
    return time_phases(stage, LIVELY_LOOSENESS, rng, lively)

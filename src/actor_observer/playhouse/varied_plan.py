"""Vary a plan of pairs filmed together: what people do, and which cameras record it how.

Made for learning motion that holds for real recordings: no two cameras, rooms full of people or compressions alike.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from actor_observer.playhouse.acting.actors import cast_of
from actor_observer.playhouse.acting.whole_body import MOVES, Lively
from actor_observer.playhouse.filming.shots import FRAME_RATES, draw_shot
from actor_observer.playhouse.set_plan import PairPlan, SetPlan, TakePlan, performance_of

__all__ = ["DRIFT", "draw_lively", "vary"]

DRIFT = 100e-6  # two cameras' clocks differ by at most this share
SHARED = 0.4  # of the performance is in both recordings, at least


def vary(plan: SetPlan, seed: int) -> SetPlan:
    """A plan of `plan_together` with every pair's performance and cameras drawn anew from the seed.

    >>> from actor_observer.playhouse import plan_together
    >>> pair = vary(plan_together(pairs=1, seed=0), 0).pairs[0]
    >>> pair.third.fps != pair.first.fps, abs(pair.first.rate - 1) <= 1e-4
    (True, True)
    """
    pairs = (_vary(pair, np.random.default_rng([seed, 103, number])) for number, pair in enumerate(plan.pairs))
    return replace(plan, pairs=tuple(pairs))


def _vary(pair: PairPlan, rng: np.random.Generator) -> PairPlan:
    lively, kept = draw_lively(pair.third, rng)
    script = replace(pair.third.script, steps=pair.third.script.steps[:kept])
    third, first = (replace(take, lively=lively, script=script) for take in (pair.third, pair.first))
    length = performance_of(third).length
    drawn = rng.permutation(FRAME_RATES)
    rates = drawn[0], drawn[drawn != drawn[0]][0]
    takes = []
    for take, fps, (start, end) in zip((third, first), rates, _windows(length, rng), strict=True):
        shot = draw_shot(take.view, end - start, float(fps), rng, (*take.filming, 9))
        takes.append(replace(take, fps=float(fps), offset=round(start, 3), rate=1.0, shot=shot))
    drift = round(float(1 + rng.uniform(-DRIFT, DRIFT)), 7)
    return PairPlan(replace(takes[0], head_shot=takes[1].shot), replace(takes[1], rate=drift))


def draw_lively(take: TakePlan, rng: np.random.Generator) -> tuple[Lively, int]:
    """What is done besides the script, and how many actions of the script are played."""
    active = rng.random() < 0.5  # mostly whole-body movement; else mostly the script
    moves = tuple(str(name) for name in rng.choice(list(MOVES), int(rng.integers(2, 6)), replace=False))
    others = [actor.name for actor in cast_of(take.split) if actor.name != take.actor]
    count = min(int(rng.choice([0, 1, 2], p=[0.5, 0.3, 0.2])), len(others))
    lively = Lively(
        moves=moves,
        before=round(float(rng.uniform(15, 30) if active else rng.choice([0.0, 6.0])), 1),
        between=0.5 if active else 0.15,
        after=round(float(rng.choice([0.0, rng.uniform(2, 10)])), 1),
        gait=round(float(rng.uniform(0.5, 1.6)), 2),
        glances=(round(float(rng.uniform(0.9, 4.0)), 2), round(float(rng.uniform(0.3, 1.2)), 2)),
        bystanders=tuple(str(name) for name in rng.choice(others, count, replace=False)) if count else (),
    )
    return lively, 1 + int(rng.integers(2)) if active else len(take.script.steps)


def _windows(length: float, rng: np.random.Generator) -> tuple[tuple[float, float], tuple[float, float]]:
    """When each camera runs: from somewhere to somewhere, with enough of it shared."""
    while True:
        spans = rng.uniform(0.55, 1.0, 2) * length
        starts = rng.uniform(0, length - spans)
        if min(starts + spans) - max(starts) > SHARED * length and abs(starts[0] - starts[1]) > 0.2:
            (a, b), (c, d) = zip(starts, starts + spans, strict=True)
            return (float(a), float(b)), (float(c), float(d))

"""Loosen a plan of separate performances: every one in an order and a time of its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from actor_observer.playhouse.acting.free_tempo import Free
from actor_observer.playhouse.acting.scripting.orders import draw_order
from actor_observer.playhouse.set_plan import PairPlan, SetPlan, TakePlan

__all__ = ["loosen"]

SOON = 0.4  # how often a camera is started, or stopped, within two seconds of the action
EARLY, LATE = (3.0, 10.0), (2.0, 8.0)  # else: seconds that it runs before and after


def loosen(plan: SetPlan, seed: int) -> SetPlan:
    """A plan of `plan_set` whose performances have their own order, omissions, starts and ends.

    >>> from actor_observer.playhouse import plan_set
    >>> pair = loosen(plan_set(pairs=1, seed=0, tempo="steady"), 0).pairs[0]
    >>> pair.third.free != pair.first.free
    True
    """
    pairs = []
    for number, pair in enumerate(plan.pairs):
        rng = np.random.default_rng([seed, 105, number])
        usual = tuple(range(len(pair.third.script.steps)))
        order = draw_order(pair.third.script, rng)
        turned = rng.permutation([True, False])  # in one of the two; the other plays it as it is written
        takes = [
            _loosen(take, order if turn else usual, rng)
            for take, turn in zip((pair.third, pair.first), turned, strict=True)
        ]
        other = _loosen(pair.different, draw_order(pair.different.script, rng), rng) if pair.different else None
        pairs.append(PairPlan(takes[0], takes[1], other))
    rng = np.random.default_rng([seed, 106])
    labelled = tuple(_loosen(take, draw_order(take.script, rng), rng) for take in plan.labelled)
    return replace(plan, pairs=tuple(pairs), labelled=labelled)


def _loosen(take: TakePlan, order: tuple[int, ...], rng: np.random.Generator) -> TakePlan:
    before, after = (
        float(rng.uniform(0.2, 2.0) if rng.random() < SOON else rng.uniform(*long)) for long in (EARLY, LATE)
    )
    return replace(take, free=Free(order, round(before, 2), round(after, 2), bool(rng.random() < 0.25)))

"""Spells: stretches of a take that show nothing useful, as real recordings have them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from actor_observer.pairs.manifest import View
from actor_observer.playhouse.acting.motion import Array, min_jerk

__all__ = ["CAUSES", "Spell", "draw_spells", "fewer", "strength"]

# What may spoil a stretch, and how often. `away`: the head turns to a wall or the ceiling. `out`: the room camera
# points past the actor. `hidden`: somebody walks through the picture.
CAUSES: dict[View, dict[str, float]] = {
    "first": {"away": 0.62, "blur": 0.20, "exposure": 0.18},
    "third": {"hidden": 0.40, "out": 0.25, "exposure": 0.20, "blur": 0.15},
}
SHARE: dict[View, float] = {"first": 0.19, "third": 0.24}  # of the take; hands also leave the picture by themselves
EASE = 0.35  # seconds in which a spell comes and goes


@dataclass(frozen=True)
class Spell:
    """A spoilt stretch, in the take's seconds, and the free choices of how."""

    cause: str
    start: float
    end: float
    ways: tuple[float, float, float]  # each in -1 … 1


def draw_spells(view: View, length: float, rng: np.random.Generator) -> tuple[Spell, ...]:
    """Spread spells over a take.

    >>> spells = draw_spells("first", 600.0, np.random.default_rng(0))
    >>> 0.1 < sum(spell.end - spell.start for spell in spells) / 600.0 < 0.3
    True
    """
    spells: list[Spell] = []
    share, now = SHARE[view], 0.0
    names, odds = list(CAUSES[view]), np.array(list(CAUSES[view].values()))
    while True:
        long = float(rng.uniform(0.9, 2.6))
        now += float(rng.exponential(1.75 * (1 - share) / share * 0.8) + 0.35)
        if now + long > length:
            return tuple(spells)
        ways = rng.uniform(-1, 1, 3)
        spells.append(
            Spell(
                str(rng.choice(names, p=odds)),
                round(now, 3),
                round(now + long, 3),
                (float(ways[0]), float(ways[1]), float(ways[2])),
            )
        )
        now += long


def fewer(spells: tuple[Spell, ...], hold: str, rng: np.random.Generator) -> tuple[Spell, ...]:
    """Some of the spells: those that fit how a camera is held. A camera on a stand neither shakes nor turns away.

    >>> fewer((Spell("out", 1.0, 3.0, (0, 0, 0)),), "fixed", np.random.default_rng(0))
    ()
    """
    odds = {"away": 0.5, "hidden": 0.3, "out": 0.2, "blur": 0.2, "exposure": 0.15}
    still = ("out", "blur") if hold == "fixed" else ()
    return tuple(spell for spell in spells if rng.random() < odds[spell.cause] and spell.cause not in still)


def strength(spell: Spell, times: Array) -> Array:
    """How strong a spell is at times (T,): it eases in and out, and is full in between.

    >>> strength(Spell("away", 1.0, 3.0, (0, 0, 0)), np.array([0.0, 2.0, 3.5])).tolist()
    [0.0, 1.0, 0.0]
    """
    return min_jerk((times - spell.start) / EASE) * min_jerk((spell.end - times) / EASE)

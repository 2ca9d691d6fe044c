"""The cast: who plays, their build, clothes and habits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from actor_observer.pairs.manifest import Split
from actor_observer.playhouse.home.colours import Colour, hue

__all__ = ["CAST", "Actor", "actor_named", "cast_of", "people_of"]

Plays = Literal["pairs", "labelled", "events"]  # where; `labelled`: takes that carry labels and belong to no pair


@dataclass(frozen=True)
class Actor:
    """One person. Lengths are in metres; habits are factors around one."""

    name: str
    split: Split
    plays: Plays
    height: float  # of the whole body
    girth: float  # factor on the width of torso and limbs
    right_handed: bool
    pace: float  # factor on every duration
    head_follow: float  # how far the head turns towards what the hands do: 0.7 … 1
    head_restless: float  # how much the head drifts, in radians
    skin: Colour
    hair: Colour
    hair_long: bool
    shirt: Colour
    sleeves_long: bool
    trousers: Colour
    trousers_long: bool
    shoes: Colour

    @property
    def scale(self) -> float:
        return self.height / 1.73

    @property
    def dominant_side(self) -> float:
        """+1 when the dominant hand is on the right (x > 0 in the body's frame), else -1."""
        return 1.0 if self.right_handed else -1.0


# Red, green and blue, drawn from with equal chances.
_SKINS = ((0.96, 0.80, 0.69), (0.87, 0.67, 0.53), (0.76, 0.57, 0.42), (0.55, 0.38, 0.26), (0.40, 0.27, 0.19))
# Likewise.
_HAIRS = ((0.10, 0.08, 0.07), (0.30, 0.18, 0.10), (0.62, 0.45, 0.22), (0.55, 0.53, 0.52), (0.45, 0.16, 0.08))


def _actor(number: int, split: Split, plays: Plays) -> Actor:
    rng = np.random.default_rng([71, number])  # the cast is the same in every set, whatever its seed
    skin, hair = _SKINS[number % len(_SKINS)], _HAIRS[int(rng.integers(len(_HAIRS)))]
    return Actor(
        name=f"P{number:02d}",
        split=split,
        plays=plays,
        height=float(rng.uniform(1.58, 1.86)),
        girth=float(rng.uniform(0.9, 1.18)),
        right_handed=number % 4 != 2,
        pace=float(rng.uniform(0.88, 1.15)),
        head_follow=float(rng.uniform(0.8, 1.0)),
        head_restless=float(rng.uniform(0.04, 0.10)),
        skin=skin,
        hair=hair,
        hair_long=bool(rng.random() < 0.5),
        shirt=hue(rng.random(), rng.uniform(0.15, 0.8), rng.uniform(0.35, 0.95)),
        sleeves_long=bool(rng.random() < 0.5),
        trousers=hue(rng.random(), rng.uniform(0.1, 0.5), rng.uniform(0.15, 0.55)),
        trousers_long=bool(rng.random() < 0.75),
        shoes=hue(rng.random(), rng.uniform(0.0, 0.6), rng.uniform(0.15, 0.9)),
    )


# New people go to the end: who somebody is follows from the number, and older sets are made again by it.
_PARTS: tuple[tuple[Split, Plays, int], ...] = (
    ("train", "pairs", 8),
    ("validation", "pairs", 2),
    ("test", "pairs", 4),
    ("train", "labelled", 4),
    ("train", "events", 8),
    ("validation", "events", 6),
    ("test", "events", 6),
)
CAST: tuple[Actor, ...] = tuple(
    _actor(number, split, plays)
    for number, (split, plays) in enumerate(
        ((split, plays) for split, plays, count in _PARTS for _ in range(count)), start=1
    )
)


def cast_of(split: Split, labelled_only: bool = False) -> tuple[Actor, ...]:
    """The actors of a split's pairs; `labelled_only` ones never play in a training pair.

    >>> [len(cast_of(split)) for split in ("train", "validation", "test")], len(cast_of("train", labelled_only=True))
    ([8, 2, 4], 4)
    """
    plays = "labelled" if labelled_only else "pairs"
    return tuple(actor for actor in CAST if actor.split == split and actor.plays == plays)


def people_of(split: Split) -> tuple[Actor, ...]:
    """Everybody of a split who may be in the room in events: the actors of its pairs, and others.

    >>> [len(people_of(split)) for split in ("train", "validation", "test")]
    [16, 8, 10]
    """
    return tuple(actor for actor in CAST if actor.split == split and actor.plays != "labelled")


def actor_named(name: str) -> Actor:
    """One of the cast.

    >>> actor_named("P09").split
    'validation'
    """
    return next(actor for actor in CAST if actor.name == name)

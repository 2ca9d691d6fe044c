"""The things actors handle: 28 kinds, in looks that differ between the splits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from actor_observer.playhouse.home import house_things as house
from actor_observer.playhouse.home import kitchen_things as kitchen
from actor_observer.playhouse.home.colours import hue
from actor_observer.playhouse.home.parts import Look, Thing

__all__ = ["KINDS", "build_thing"]

KINDS: dict[str, Callable[[Look], Thing]] = {
    "cup": kitchen.cup,
    "bottle": kitchen.bottle,
    "book": house.book,
    "phone": house.phone,
    "laptop": house.laptop,
    "plate": kitchen.plate,
    "bowl": kitchen.bowl,
    "pan": kitchen.pan,
    "spoon": kitchen.spoon,
    "broom": kitchen.broom,
    "mop": kitchen.mop,
    "cloth": kitchen.cloth,
    "towel": lambda k: house.fabric("towel", 0.44, 0.30, 0.020, k),
    "blanket": lambda k: house.fabric("blanket", 0.56, 0.40, 0.034, k),
    "clothes": house.clothes,
    "bag": house.bag,
    "box": house.chest,
    "pillow": house.pillow,
    "shoe": house.shoe,
    "sandwich": kitchen.sandwich,
    "medicine": kitchen.medicine,
    "remote": house.remote,
    "lamp": house.lamp,
    "picture": house.picture,
    "spray": kitchen.spray,
    "notebook": house.notebook,
    "pen": house.pen,
    "sponge": kitchen.sponge,
}


# Flat and small things are held by an edge, so that the hand does not hide them.
_GRIPS = {
    "plate": (0.105, -0.03, 0.01),
    "bowl": (0.085, -0.02, 0.02),
    "sandwich": (0.05, -0.03, -0.01),
    "cup": (0.045, -0.015, 0.0),
    "phone": (0.035, -0.03, -0.02),
    "bottle": (0.03, -0.02, 0.0),
    "spray": (0.025, -0.02, 0.03),
}


def build_thing(kind: str, look: int) -> Thing:
    """The object of a kind in one of its looks (any whole number; each split owns its own range).

    >>> build_thing("cup", 3).kind, build_thing("cup", 3) == build_thing("cup", 3)
    ('cup', True)
    """
    rng = np.random.default_rng([73, sorted(KINDS).index(kind), look])
    base = rng.random()
    thing = KINDS[kind](
        Look(
            main=hue(base, rng.uniform(0.35, 0.9), rng.uniform(0.45, 0.95)),
            second=hue(base + rng.uniform(0.25, 0.75), rng.uniform(0.1, 0.8), rng.uniform(0.4, 0.95)),
            accent=hue(rng.random(), rng.uniform(0.5, 0.95), rng.uniform(0.5, 0.95)),
            size=float(rng.uniform(0.88, 1.15)),
        )
    )
    return replace(thing, grip=_GRIPS.get(kind, thing.grip))

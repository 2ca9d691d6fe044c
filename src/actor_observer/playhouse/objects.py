"""The things actors handle: 25 kinds, each a few primitive shapes, in looks that differ between the splits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from actor_observer.playhouse.actors import Colour, hue
from actor_observer.playhouse.geoms import Geom, ball, box, capsule, cylinder, ellipsoid

__all__ = ["KINDS", "Hinge", "Thing", "build_thing"]


@dataclass(frozen=True)
class Hinge:
    """A part that turns: a lid, a cover, a door leaf. Its shapes are placed relative to the pivot."""

    geoms: tuple[Geom, ...]
    pivot: tuple[float, float, float]
    axis: str  # "x", "y" or "z"
    closed: float  # radians
    opened: float


@dataclass(frozen=True)
class Thing:
    """A movable object. Its origin is where a hand grips it, `rest` metres above what it stands on."""

    kind: str
    geoms: tuple[Geom, ...]
    rest: float
    span: float = 0.0  # metres between the hands when both carry it; 0: one hand does
    hinge: Hinge | None = None
    opening: float = 0.0  # at the start: 0 closed, 1 open
    grip: tuple[float, float, float] = (0.0, 0.0, 0.0)  # of one hand, off the origin, x towards the dominant side


@dataclass(frozen=True)
class _Look:
    """The free choices of a look: three colours and a size factor."""

    main: Colour
    second: Colour
    accent: Colour
    size: float


def _cup(k: _Look) -> Thing:
    r, h = 0.042 * k.size, 0.11
    handle = [
        capsule(0.008, (r, 0, 0.03), (r + 0.03, 0, 0.0), k.main),
        capsule(0.008, (r + 0.03, 0, 0), (r, 0, -0.03), k.main),
    ]
    return Thing(
        "cup",
        (cylinder(r, h, (0, 0, 0), k.main), cylinder(r * 0.86, 0.004, (0, 0, h / 2), (0.2, 0.1, 0.06)), *handle),
        h / 2,
    )


def _bottle(k: _Look) -> Thing:
    body = (cylinder(0.04 * k.size, 0.19, (0, 0, 0), k.main), cylinder(0.042 * k.size, 0.07, (0, 0, 0), k.second))
    return Thing(
        "bottle",
        (*body, cylinder(0.016, 0.07, (0, 0, 0.13), k.main), cylinder(0.02, 0.025, (0, 0, 0.17), k.accent)),
        0.095,
    )


def _book(k: _Look) -> Thing:
    w, d = 0.155 * k.size, 0.22 * k.size
    page = (0.95, 0.93, 0.86)
    lines = [
        box(w * 0.7, 0.006, 0.002, (w * 0.5, y, 0.018), (0.25, 0.25, 0.3)) for y in (-0.06, -0.03, 0.0, 0.03, 0.06)
    ]
    block = (box(w, d, 0.006, (w / 2, 0, 0), k.main), box(w * 0.94, d * 0.94, 0.014, (w / 2, 0, 0.010), page), *lines)
    left = [
        box(w * 0.7, 0.006, 0.002, (w * 0.5, y, -0.006), (0.25, 0.25, 0.3)) for y in (-0.06, -0.03, 0.0, 0.03, 0.06)
    ]
    cover = (box(w, d, 0.006, (w / 2, 0, 0), k.main), box(w * 0.94, d * 0.94, 0.003, (w / 2, 0, -0.0035), page), *left)
    title = box(w * 0.6, d * 0.2, 0.002, (w / 2, 0.04, 0.0036), k.accent)
    return Thing("book", block, 0.005, 0.30, Hinge((*cover, title), (0, 0, 0.020), "y", 0.0, -2.9))


def _phone(k: _Look) -> Thing:
    shell = box(0.085, 0.165, 0.012, (0, 0, 0), (0.06, 0.06, 0.08))
    return Thing(
        "phone",
        (shell, box(0.074, 0.145, 0.004, (0, 0, 0.006), k.main), box(0.05, 0.03, 0.005, (0, 0.03, 0.0065), k.accent)),
        0.008,
    )


def _laptop(k: _Look) -> Thing:
    w, d = 0.34 * k.size, 0.23 * k.size
    keys = [box(w * 0.86, 0.022, 0.004, (0, y, 0.011), (0.1, 0.1, 0.12)) for y in (-0.01, 0.02, 0.05, 0.08)]
    base = (box(w, d, 0.02, (0, 0, 0), k.main), *keys, box(0.1, 0.06, 0.003, (0, -0.07, 0.011), k.second))
    screen = (
        box(w, d, 0.012, (0, -d / 2, 0), k.main),
        box(w * 0.93, d * 0.9, 0.004, (0, -d / 2, -0.006), (0.75, 0.85, 0.95)),
    )
    text = [
        box(w * s, 0.012, 0.005, (0, -d * 0.5 + y, -0.007), k.accent)
        for s, y in ((0.6, -0.05), (0.7, 0.0), (0.4, 0.05))
    ]
    return Thing("laptop", base, 0.012, w, Hinge((*screen, *text), (0, d / 2, 0.017), "x", 0.0, -1.85))


def _plate(k: _Look) -> Thing:
    r = 0.115 * k.size
    return Thing(
        "plate", (cylinder(r, 0.014, (0, 0, 0), k.main), cylinder(r * 0.68, 0.004, (0, 0, 0.008), k.second)), 0.008
    )


def _bowl(k: _Look) -> Thing:
    r = 0.085 * k.size
    return Thing(
        "bowl",
        (
            ellipsoid(r, r, 0.05, (0, 0, -0.01), k.main),
            cylinder(r * 0.98, 0.012, (0, 0, 0.01), k.main),
            cylinder(r * 0.86, 0.004, (0, 0, 0.017), k.accent),
        ),
        0.055,
    )


def _pan(k: _Look) -> Thing:
    r = 0.125 * k.size
    dark = (0.13, 0.13, 0.14)
    body = (cylinder(r, 0.045, (0, 0, 0), dark), cylinder(r * 0.88, 0.004, (0, 0, 0.022), k.accent))
    food = [
        ball(0.02, (0.05, 0.02, 0.025), k.main),
        ball(0.02, (-0.04, 0.05, 0.025), k.second),
        ball(0.018, (-0.01, -0.05, 0.025), k.main),
    ]
    return Thing("pan", (*body, *food, capsule(0.014, (-r, 0, 0.01), (-r - 0.17, 0, 0.03), dark)), 0.024)


def _spoon(k: _Look) -> Thing:
    return Thing(
        "spoon",
        (capsule(0.009, (0, 0, 0.06), (0, 0, -0.16), k.main), ellipsoid(0.028, 0.014, 0.036, (0, 0, -0.18), k.main)),
        0.02,
    )


def _broom(k: _Look) -> Thing:
    pole = capsule(0.014, (0, 0, 0.35), (0, 0, -0.86), k.main)
    return Thing(
        "broom",
        (pole, box(0.3, 0.06, 0.06, (0, 0, -0.87), k.second), box(0.32, 0.08, 0.14, (0, 0, -0.95), k.accent)),
        1.02,
    )


def _mop(k: _Look) -> Thing:
    strands = [
        capsule(0.025, (0, 0, -0.88), (x, y, -1.0), k.accent)
        for x, y in ((-0.13, 0.03), (-0.07, -0.06), (0, 0.08), (0.07, -0.05), (0.13, 0.04))
    ]
    return Thing("mop", (capsule(0.016, (0, 0, 0.35), (0, 0, -0.88), k.main), *strands), 1.02)


def _cloth(k: _Look) -> Thing:
    return Thing(
        "cloth",
        (box(0.19, 0.15, 0.016, (0, 0, 0), k.main), box(0.10, 0.16, 0.022, (0.03, 0, 0), k.second, (0, 0, 25))),
        0.012,
    )


def _fabric(kind: str, w: float, d: float, thick: float, k: _Look) -> Thing:
    """Towel, blanket and clothes: two halves that fold onto each other."""
    stripe = [box(w * 0.12, d * 1.005, thick * 1.1, (w * x, 0, 0), k.second) for x in (0.2, 0.38)]
    half = (box(w / 2, d, thick, (w / 4, 0, 0), k.main), *stripe)
    other = [box(w * 0.12, d * 1.005, thick * 1.1, (w * x, 0, 0), k.second) for x in (0.2, 0.38)]
    leaf = (box(w / 2, d, thick, (w / 4, 0, 0), k.main), *other)
    return Thing(kind, half, thick / 2 + 0.003, w, Hinge(leaf, (0, 0, thick * 0.55), "y", 0.0, -np.pi), 1.0)


def _clothes(k: _Look) -> Thing:
    thing = _fabric("clothes", 0.46, 0.30, 0.016, k)
    sleeve = box(0.16, 0.1, 0.016, (0.2, 0.17, 0), k.main, (0, 0, -35))
    assert thing.hinge
    hinge = Hinge((*thing.hinge.geoms, sleeve), thing.hinge.pivot, "y", thing.hinge.closed, thing.hinge.opened)
    return Thing("clothes", (*thing.geoms, sleeve), thing.rest, thing.span, hinge, 1.0)


def _bag(k: _Look) -> Thing:
    w, h = 0.30 * k.size, 0.28
    body = (box(w, 0.14, h, (0, 0, 0), k.main), box(w * 0.7, 0.15, h * 0.4, (0, 0, -0.05), k.second))
    straps = [
        capsule(0.012, (s * 0.08, y, h / 2), (s * 0.04, y, h / 2 + 0.1), k.accent)
        for s in (-1, 1)
        for y in (-0.06, 0.06)
    ]
    flap = (box(w * 1.02, 0.15, 0.025, (0, -0.07, 0), k.second),)
    return Thing("bag", (*body, *straps), h / 2, w, Hinge(flap, (0, 0.07, h / 2 + 0.012), "x", 0.0, -1.9))


def _box(k: _Look) -> Thing:
    w, d, h = 0.32 * k.size, 0.24, 0.16
    walls = [
        box(w, 0.012, h, (0, -d / 2, 0), k.main),
        box(w, 0.012, h, (0, d / 2, 0), k.main),
        box(0.012, d, h, (-w / 2, 0, 0), k.main),
        box(0.012, d, h, (w / 2, 0, 0), k.main),
        box(w, d, 0.012, (0, 0, -h / 2), k.second),
        box(0.05, 0.25, 0.02, (0, 0, -h / 2 + 0.02), k.accent),
    ]
    lid = (box(w, d, 0.012, (0, -d / 2, 0), k.second), box(0.05, d, 0.014, (0, -d / 2, 0), k.accent))
    return Thing("box", tuple(walls), h / 2, w, Hinge(lid, (0, d / 2, h / 2 + 0.008), "x", 0.0, -2.0))


def _pillow(k: _Look) -> Thing:
    stripes = [ellipsoid(0.03, 0.165, 0.088, (x, 0, 0), k.second) for x in (-0.1, 0.0, 0.1)]
    return Thing("pillow", (ellipsoid(0.25 * k.size, 0.17, 0.085, (0, 0, 0), k.main), *stripes), 0.085, 0.42)


def _shoe(k: _Look) -> Thing:
    body = (ellipsoid(0.05, 0.14, 0.04, (0, 0, 0), k.main), cylinder(0.045, 0.09, (0, -0.07, 0.04), k.main))
    return Thing(
        "shoe",
        (*body, box(0.09, 0.27, 0.022, (0, 0, -0.035), k.second), box(0.05, 0.06, 0.01, (0, 0.03, 0.038), k.accent)),
        0.046,
    )


def _sandwich(k: _Look) -> Thing:
    bread = (0.86, 0.68, 0.42)
    layers = (box(0.12, 0.12, 0.02, (0, 0, 0.022), bread), box(0.12, 0.12, 0.02, (0, 0, -0.022), bread))
    return Thing(
        "sandwich",
        (*layers, box(0.13, 0.13, 0.01, (0, 0, 0.006), k.main), box(0.125, 0.125, 0.01, (0, 0, -0.007), k.accent)),
        0.033,
    )


def _medicine(k: _Look) -> Thing:
    body = (
        cylinder(0.028 * k.size, 0.075, (0, 0, 0), k.main),
        cylinder(0.0285 * k.size, 0.035, (0, 0, 0), (0.95, 0.95, 0.95)),
    )
    return Thing("medicine", (*body, cylinder(0.031 * k.size, 0.028, (0, 0, 0.05), (0.97, 0.97, 0.97))), 0.04)


def _remote(k: _Look) -> Thing:
    dots = [cylinder(0.008, 0.006, (x, y, 0.012), k.accent) for x in (-0.012, 0.012) for y in (-0.05, -0.015, 0.02)]
    return Thing(
        "remote",
        (box(0.052, 0.19, 0.02, (0, 0, 0), (0.1, 0.1, 0.11)), *dots, cylinder(0.01, 0.007, (0, 0.07, 0.012), k.main)),
        0.011,
    )


def _lamp(k: _Look) -> Thing:
    shade = (cylinder(0.10, 0.05, (0, 0, 0.30), k.main), cylinder(0.075, 0.10, (0, 0, 0.33), k.main))
    return Thing(
        "lamp",
        (cylinder(0.07, 0.025, (0, 0, 0), k.second), cylinder(0.012, 0.28, (0, 0, 0.15), k.second), *shade),
        0.013,
    )


def _picture(k: _Look) -> Thing:
    art = (box(0.2, 0.006, 0.14, (0, -0.012, 0), (0.92, 0.92, 0.88)), ball(0.028, (0.05, -0.008, 0.03), k.accent))
    hills = (box(0.2, 0.008, 0.05, (0, -0.012, -0.045), k.second),)
    return Thing("picture", (box(0.25, 0.02, 0.19, (0, 0, 0), k.main), *art, *hills), 0.097, 0.24)


def _spray(k: _Look) -> Thing:
    head = (box(0.045, 0.1, 0.035, (0, 0.02, 0.14), k.accent), box(0.012, 0.02, 0.06, (0, 0.035, 0.1), k.accent))
    return Thing(
        "spray",
        (ellipsoid(0.045, 0.035, 0.10, (0, 0, 0), k.main), cylinder(0.02, 0.06, (0, 0, 0.10), k.second), *head),
        0.09,
    )


def _notebook(k: _Look) -> Thing:
    lines = [box(0.15, 0.004, 0.003, (0, y, 0.008), (0.45, 0.5, 0.7)) for y in (-0.07, -0.035, 0.0, 0.035, 0.07)]
    return Thing(
        "notebook",
        (box(0.2, 0.26, 0.012, (0, 0, 0), (0.96, 0.95, 0.9)), *lines, box(0.2, 0.03, 0.014, (0, 0.125, 0), k.main)),
        0.008,
    )


def _pen(k: _Look) -> Thing:
    return Thing(
        "pen",
        (
            capsule(0.008, (0, 0, 0.05), (0, 0, -0.07), k.main),
            capsule(0.004, (0, 0, -0.07), (0, 0, -0.085), (0.1, 0.1, 0.1)),
        ),
        0.01,
    )


def _sponge(k: _Look) -> Thing:
    return Thing(
        "sponge",
        (box(0.11, 0.07, 0.025, (0, 0, 0.008), k.main), box(0.11, 0.07, 0.012, (0, 0, -0.012), k.second)),
        0.02,
    )


KINDS: dict[str, Callable[[_Look], Thing]] = {
    "cup": _cup,
    "bottle": _bottle,
    "book": _book,
    "phone": _phone,
    "laptop": _laptop,
    "plate": _plate,
    "bowl": _bowl,
    "pan": _pan,
    "spoon": _spoon,
    "broom": _broom,
    "mop": _mop,
    "cloth": _cloth,
    "towel": lambda k: _fabric("towel", 0.44, 0.30, 0.020, k),
    "blanket": lambda k: _fabric("blanket", 0.56, 0.40, 0.034, k),
    "clothes": _clothes,
    "bag": _bag,
    "box": _box,
    "pillow": _pillow,
    "shoe": _shoe,
    "sandwich": _sandwich,
    "medicine": _medicine,
    "remote": _remote,
    "lamp": _lamp,
    "picture": _picture,
    "spray": _spray,
    "notebook": _notebook,
    "pen": _pen,
    "sponge": _sponge,
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
        _Look(
            main=hue(base, rng.uniform(0.35, 0.9), rng.uniform(0.45, 0.95)),
            second=hue(base + rng.uniform(0.25, 0.75), rng.uniform(0.1, 0.8), rng.uniform(0.4, 0.95)),
            accent=hue(rng.random(), rng.uniform(0.5, 0.95), rng.uniform(0.5, 0.95)),
            size=float(rng.uniform(0.88, 1.15)),
        )
    )
    return replace(thing, grip=_GRIPS.get(kind, thing.grip))

"""Objects of desk, sofa, bedroom and hall, as shapes."""

from __future__ import annotations

import math

from actor_observer.playhouse.home.geoms import ball, box, capsule, cylinder, ellipsoid
from actor_observer.playhouse.home.parts import Hinge, Look, Thing

__all__ = [
    "bag",
    "book",
    "chest",
    "clothes",
    "fabric",
    "lamp",
    "laptop",
    "notebook",
    "pen",
    "phone",
    "picture",
    "pillow",
    "remote",
    "shoe",
]


def book(k: Look) -> Thing:
    """With pages of lines and a cover that opens to the left."""
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


def phone(k: Look) -> Thing:
    """With a bright screen."""
    shell = box(0.085, 0.165, 0.012, (0, 0, 0), (0.06, 0.06, 0.08))
    return Thing(
        "phone",
        (shell, box(0.074, 0.145, 0.004, (0, 0, 0.006), k.main), box(0.05, 0.03, 0.005, (0, 0.03, 0.0065), k.accent)),
        0.008,
    )


def laptop(k: Look) -> Thing:
    """With keys and a screen that opens."""
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


def notebook(k: Look) -> Thing:
    """A pad with lines."""
    lines = [box(0.15, 0.004, 0.003, (0, y, 0.008), (0.45, 0.5, 0.7)) for y in (-0.07, -0.035, 0.0, 0.035, 0.07)]
    return Thing(
        "notebook",
        (box(0.2, 0.26, 0.012, (0, 0, 0), (0.96, 0.95, 0.9)), *lines, box(0.2, 0.03, 0.014, (0, 0.125, 0), k.main)),
        0.008,
    )


def pen(k: Look) -> Thing:
    """Held upright."""
    return Thing(
        "pen",
        (
            capsule(0.008, (0, 0, 0.05), (0, 0, -0.07), k.main),
            capsule(0.004, (0, 0, -0.07), (0, 0, -0.085), (0.1, 0.1, 0.1)),
        ),
        0.01,
    )


def fabric(kind: str, w: float, d: float, thick: float, k: Look) -> Thing:
    """Towel, blanket and clothes: two halves that fold onto each other."""
    stripe = [box(w * 0.12, d * 1.005, thick * 1.1, (w * x, 0, 0), k.second) for x in (0.2, 0.38)]
    half = (box(w / 2, d, thick, (w / 4, 0, 0), k.main), *stripe)
    other = [box(w * 0.12, d * 1.005, thick * 1.1, (w * x, 0, 0), k.second) for x in (0.2, 0.38)]
    leaf = (box(w / 2, d, thick, (w / 4, 0, 0), k.main), *other)
    return Thing(kind, half, thick / 2 + 0.003, w, Hinge(leaf, (0, 0, thick * 0.55), "y", 0.0, -math.pi), 1.0)


def clothes(k: Look) -> Thing:
    """A shirt with sleeves, in two halves that fold."""
    thing = fabric("clothes", 0.46, 0.30, 0.016, k)
    sleeve = box(0.16, 0.1, 0.016, (0.2, 0.17, 0), k.main, (0, 0, -35))
    assert thing.hinge
    hinge = Hinge((*thing.hinge.geoms, sleeve), thing.hinge.pivot, "y", thing.hinge.closed, thing.hinge.opened)
    return Thing("clothes", (*thing.geoms, sleeve), thing.rest, thing.span, hinge, 1.0)


def bag(k: Look) -> Thing:
    """With straps and a flap that opens."""
    w, h = 0.30 * k.size, 0.28
    body = (box(w, 0.14, h, (0, 0, 0), k.main), box(w * 0.7, 0.15, h * 0.4, (0, 0, -0.05), k.second))
    straps = [
        capsule(0.012, (s * 0.08, y, h / 2), (s * 0.04, y, h / 2 + 0.1), k.accent)
        for s in (-1, 1)
        for y in (-0.06, 0.06)
    ]
    flap = (box(w * 1.02, 0.15, 0.025, (0, -0.07, 0), k.second),)
    return Thing("bag", (*body, *straps), h / 2, w, Hinge(flap, (0, 0.07, h / 2 + 0.012), "x", 0.0, -1.9))


def chest(k: Look) -> Thing:
    """A box without a top, and a lid that opens."""
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


def pillow(k: Look) -> Thing:
    """With stripes."""
    stripes = [ellipsoid(0.03, 0.165, 0.088, (x, 0, 0), k.second) for x in (-0.1, 0.0, 0.1)]
    return Thing("pillow", (ellipsoid(0.25 * k.size, 0.17, 0.085, (0, 0, 0), k.main), *stripes), 0.085, 0.42)


def shoe(k: Look) -> Thing:
    """With a sole."""
    body = (ellipsoid(0.05, 0.14, 0.04, (0, 0, 0), k.main), cylinder(0.045, 0.09, (0, -0.07, 0.04), k.main))
    return Thing(
        "shoe",
        (*body, box(0.09, 0.27, 0.022, (0, 0, -0.035), k.second), box(0.05, 0.06, 0.01, (0, 0.03, 0.038), k.accent)),
        0.046,
    )


def remote(k: Look) -> Thing:
    """A remote control with buttons."""
    dots = [cylinder(0.008, 0.006, (x, y, 0.012), k.accent) for x in (-0.012, 0.012) for y in (-0.05, -0.015, 0.02)]
    return Thing(
        "remote",
        (box(0.052, 0.19, 0.02, (0, 0, 0), (0.1, 0.1, 0.11)), *dots, cylinder(0.01, 0.007, (0, 0.07, 0.012), k.main)),
        0.011,
    )


def lamp(k: Look) -> Thing:
    """A table lamp with a shade."""
    shade = (cylinder(0.10, 0.05, (0, 0, 0.30), k.main), cylinder(0.075, 0.10, (0, 0, 0.33), k.main))
    return Thing(
        "lamp",
        (cylinder(0.07, 0.025, (0, 0, 0), k.second), cylinder(0.012, 0.28, (0, 0, 0.15), k.second), *shade),
        0.013,
    )


def picture(k: Look) -> Thing:
    """A framed landscape."""
    art = (box(0.2, 0.006, 0.14, (0, -0.012, 0), (0.92, 0.92, 0.88)), ball(0.028, (0.05, -0.008, 0.03), k.accent))
    hills = (box(0.2, 0.008, 0.05, (0, -0.012, -0.045), k.second),)
    return Thing("picture", (box(0.25, 0.02, 0.19, (0, 0, 0), k.main), *art, *hills), 0.097, 0.24)

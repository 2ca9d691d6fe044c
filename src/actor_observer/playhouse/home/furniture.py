"""Places to act at: furniture around an actor who stands at the origin and faces +y."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from actor_observer.playhouse.home.geoms import Geom, ball, box, capsule, cylinder, ellipsoid
from actor_observer.playhouse.home.places import Place, hinged

__all__ = ["PLACES", "build_place"]

DARK, LIGHT = (0.16, 0.16, 0.18), (0.93, 0.93, 0.91)  # red, green, blue


def _legs(x: float, y0: float, y1: float, height: float, colour: str) -> list[Geom]:
    height -= 0.045  # under the board
    return [box(0.05, 0.05, height, (s * x, y, height / 2), colour) for s in (-1, 1) for y in (y0, y1)]


def _chair(seat: float) -> list[Geom]:
    back = [
        box(0.40, 0.04, 0.42, (0, -0.45, seat + 0.25), "wood2"),
        box(0.42, 0.40, 0.05, (0, -0.27, seat - 0.025), "cloth"),
    ]
    return [*back, *(box(0.04, 0.04, seat, (s * 0.18, y, seat / 2), "wood2") for s in (-1, 1) for y in (-0.44, -0.10))]


def _counter(rng: np.random.Generator) -> Place:
    h = 0.9
    base = [
        box(2.0, 0.58, h - 0.04, (0, 0.57, (h - 0.04) / 2), "wood"),
        box(2.04, 0.62, 0.04, (0, 0.56, h - 0.02), "stone"),
    ]
    fronts = [box(0.44, 0.012, 0.6, (x, 0.275, 0.45), "wood2") for x in (-0.72, -0.24, 0.24, 0.72)]
    stove = [box(0.5, 0.46, 0.012, (-0.68, 0.56, h + 0.004), DARK)]
    stove += [
        cylinder(0.08, 0.01, (-0.68 + dx, 0.56 + dy, h + 0.012), (0.35, 0.1, 0.08))
        for dx in (-0.12, 0.12)
        for dy in (-0.1, 0.1)
    ]
    sink = [
        box(0.44, 0.34, 0.02, (0.66, 0.54, h), "metal"),
        box(0.36, 0.26, 0.02, (0.66, 0.54, h + 0.003), (0.35, 0.37, 0.4)),
    ]
    tap = [
        capsule(0.015, (0.66, 0.76, h), (0.66, 0.76, h + 0.24), "metal"),
        capsule(0.013, (0.66, 0.76, h + 0.24), (0.66, 0.6, h + 0.22), "metal"),
    ]
    tiles = box(2.0, 0.02, 0.42, (0, 0.875, h + 0.22), "tiles")
    shell = [box(0.42, 0.28, 0.02, (-0.28, 0.74, z), "wood") for z in (1.36, 1.60, 1.86)]
    shell += [box(0.02, 0.28, 0.52, (x, 0.74, 1.61), "wood") for x in (-0.49, -0.07)]
    more = box(0.8, 0.3, 0.5, (0.42, 0.74, 1.61), "wood")
    door = hinged(0.49, 0.59, 0.42, 1.36, 1.86, 1.46, "wood2", (-0.25, 0.70, 1.37))
    return Place(
        "counter",
        (*base, *fronts, *stove, *sink, *tap, tiles, *shell, more),
        0.89,
        h,
        (0.36, 0.52),
        doors={"cupboard": door},
        basin=(0.42, 0.46, h + 0.12),
    )


def _fridge(rng: np.random.Generator) -> Place:
    colour = LIGHT if rng.random() < 0.5 else "metal"
    shell = [box(0.62, 0.02, 1.75, (-0.19, 1.17, 0.9), colour), box(0.62, 0.55, 0.03, (-0.19, 0.9, 1.77), colour)]
    shell += [box(0.03, 0.55, 1.75, (x, 0.9, 0.9), colour) for x in (-0.49, 0.11)]
    shelves = [box(0.58, 0.5, 0.015, (-0.19, 0.9, z), (0.85, 0.9, 0.93)) for z in (0.4, 0.75, 1.08, 1.4)]
    food = [
        box(0.12, 0.1, 0.16, (-0.35, 0.95, 1.17), (0.9, 0.75, 0.2)),
        cylinder(0.05, 0.2, (-0.05, 1.0, 0.86), (0.3, 0.6, 0.25)),
        ball(0.06, (-0.3, 0.9, 0.82), (0.8, 0.2, 0.15)),
    ]
    side = box(0.5, 0.5, 0.9, (0.62, 0.93, 0.45), "wood")
    top = box(0.52, 0.52, 0.03, (0.62, 0.92, 0.915), "stone")
    door = hinged(0.49, 0.62, 0.60, 0.06, 1.76, 1.15, "fridge", (-0.08, 0.78, 1.09))
    return Place(
        "fridge",
        (*shell, *shelves, *food, side, top),
        1.19,
        0.93,
        (0.7, 0.78),
        doors={"refrigerator": door},
        middle=0.56,
        half=0.14,
    )


def _table(rng: np.random.Generator) -> Place:
    h = 0.74
    top = (
        cylinder(0.62, 0.04, (0, 0.78, h - 0.02), "wood")
        if rng.random() < 0.4
        else box(1.4, 0.8, 0.04, (0, 0.64, h - 0.02), "wood")
    )
    legs = (
        [cylinder(0.06, h - 0.04, (0, 0.78, h / 2 - 0.02), "wood2"), cylinder(0.3, 0.04, (0, 0.78, 0.02), "wood2")]
        if top.shape == "cylinder"
        else _legs(0.62, 0.3, 0.98, h, "wood2")
    )
    vase = [
        cylinder(0.05, 0.16, (0.32, 0.95, h + 0.08), "cloth"),
        ball(0.07, (0.32, 0.95, h + 0.22), (0.85, 0.5, 0.3)),
        ball(0.06, (0.38, 0.9, h + 0.2), (0.3, 0.6, 0.3)),
    ]
    return Place("table", (top, *legs, *vase, *_chair(0.45)), 0.0, h, (0.34, 0.50), seat=0.45)


def _desk(rng: np.random.Generator) -> Place:
    h = 0.74
    base = [
        box(1.3, 0.62, 0.035, (0, 0.55, h - 0.018), "wood"),
        box(0.35, 0.5, 0.6, (-0.44, 0.58, 0.36), "wood2"),
        *_legs(0.62, 0.28, 0.82, h, "wood2"),
    ]
    stack = [
        box(0.2, 0.15, 0.03, (0.45, 0.74, h + 0.02 + 0.03 * i), colour)
        for i, colour in enumerate(((0.6, 0.2, 0.2), (0.2, 0.3, 0.6), (0.8, 0.7, 0.3)))
    ]
    return Place(
        "desk",
        (*base, *stack, cylinder(0.04, 0.1, (-0.5, 0.75, h + 0.05), DARK), *_chair(0.46)),
        0.9,
        h,
        (0.34, 0.50),
        seat=0.46,
    )


def _sofa(rng: np.random.Generator) -> Place:
    seat = 0.43
    sofa = [
        box(1.7, 0.62, 0.26, (0, -0.42, 0.28), "cloth"),
        box(1.7, 0.2, 0.75, (0, -0.78, 0.42), "cloth"),
        *(box(0.2, 0.75, 0.56, (s * 0.92, -0.45, 0.3), "cloth") for s in (-1, 1)),
    ]
    cushions = [ellipsoid(0.22, 0.09, 0.18, (s * 0.6, -0.6, 0.6), "cloth2") for s in (-1, 1)]
    h = 0.46
    table = [box(1.1, 0.5, 0.04, (0, 0.66, h - 0.02), "wood"), *_legs(0.48, 0.46, 0.86, h, "wood2")]
    rug = box(2.0, 1.2, 0.012, (0, 0.4, 0.006), "rug")
    screen = [
        box(0.9, 0.05, 0.52, (0.3, 2.15, 1.1), DARK),
        box(0.84, 0.05, 0.46, (0.3, 2.145, 1.1), (0.3, 0.45, 0.62)),
        ball(0.09, (0.15, 2.12, 1.1), (0.8, 0.6, 0.3)),
    ]
    screen += [cylinder(0.03, 0.85, (0.3, 2.2, 0.43), DARK), cylinder(0.22, 0.02, (0.3, 2.2, 0.01), DARK)]
    return Place(
        "sofa",
        (*sofa, *cushions, *table, rug, *screen),
        -0.9,
        h,
        (0.45, 0.58),
        seat=seat,
        sights={"television": (0.3, 2.1, 1.1)},
    )


def _bed(rng: np.random.Generator) -> Place:
    h = 0.56
    base = [
        box(1.5, 1.3, 0.3, (0, 0.95, 0.16), "wood2"),
        box(1.46, 1.28, 0.22, (0, 0.95, h - 0.11), "cloth"),
        box(1.0, 1.3, 0.03, (0.24, 0.94, h - 0.012), "cloth2"),
    ]
    head = [
        box(0.06, 1.3, 0.9, (-0.78, 0.95, 0.45), "wood"),
        ellipsoid(0.16, 0.28, 0.08, (-0.52, 1.2, h + 0.05), LIGHT),
    ]
    return Place("bed", (*base, *head), 1.62, h, (0.42, 0.56))


def _shelf(rng: np.random.Generator) -> Place:
    boards = [box(1.3, 0.3, 0.03, (0, 0.62, z), "wood") for z in (0.12, 0.52, 1.02, 1.45, 1.85)]
    sides = [box(0.03, 0.3, 1.85, (s * 0.65, 0.62, 0.94), "wood") for s in (-1, 1)]
    colours = rng.random((18, 3)) * 0.7 + 0.15
    rows = [
        box(0.05, 0.2, 0.26, (-0.55 + 0.065 * i, 0.66, z), tuple(colours[(i + j) % 18]))
        for j, z in enumerate((0.28, 1.61))
        for i in range(0, 18, 1 + j)
    ]
    return Place(
        "shelf", (*boards, *sides, box(1.3, 0.02, 1.85, (0, 0.77, 0.94), "wood2"), *rows), 0.79, 1.035, (0.50, 0.58)
    )


def _window(rng: np.random.Generator) -> Place:
    frame = [box(1.2, 0.04, 0.06, (0, 0.76, z), LIGHT) for z in (1.0, 1.55, 2.1)] + [
        box(0.06, 0.04, 1.15, (x, 0.76, 1.55), LIGHT) for x in (-0.6, 0.0, 0.6)
    ]
    view = [
        box(1.2, 0.01, 0.55, (0, 0.775, 1.85), (0.62, 0.80, 0.96)),
        box(1.2, 0.01, 0.5, (0, 0.776, 1.3), (0.45, 0.62, 0.36)),
        ball(0.12, (-0.3, 0.78, 1.5), (0.2, 0.42, 0.2)),
        ball(0.16, (0.33, 0.78, 1.42), (0.25, 0.48, 0.22)),
    ]
    curtains = [box(0.22, 0.05, 1.6, (s * 0.74, 0.72, 1.45), "cloth2") for s in (-1, 1)]
    bench = [box(1.5, 0.42, 0.04, (0, 0.56, 0.93), "wood"), box(1.4, 0.36, 0.9, (0, 0.59, 0.46), "wood2")]
    return Place(
        "window", (*frame, *view, *curtains, *bench), 0.79, 0.95, (0.40, 0.50), sights={"window": (0.0, 0.76, 1.55)}
    )


def _dresser(rng: np.random.Generator) -> Place:
    h = 1.0
    chest = [
        box(1.2, 0.45, h, (0, 0.57, h / 2), "wood"),
        *(box(0.55, 0.01, 0.25, (s * 0.29, 0.342, z), "wood2") for s in (-1, 1) for z in (0.2, 0.5, 0.8)),
    ]
    knobs = [ball(0.018, (s * 0.29, 0.33, z), "metal") for s in (-1, 1) for z in (0.2, 0.5, 0.8)]
    mirror = [
        box(0.62, 0.03, 0.72, (0, 0.775, 1.52), "wood2"),
        box(0.54, 0.03, 0.64, (0, 0.765, 1.52), (0.72, 0.80, 0.84)),
        box(0.1, 0.031, 0.6, (-0.12, 0.764, 1.52), (0.8, 0.87, 0.9), (0, 25, 0)),
    ]
    return Place("dresser", (*chest, *knobs, *mirror), 0.80, h, (0.42, 0.52), sights={"mirror": (0.0, 0.76, 1.55)})


def _wardrobe(rng: np.random.Generator) -> Place:
    shell = [
        box(1.2, 0.02, 1.95, (0.1, 1.12, 0.98), "wood"),
        box(1.2, 0.5, 0.03, (0.1, 0.87, 1.97), "wood"),
        *(box(0.03, 0.5, 1.95, (x, 0.87, 0.98), "wood") for x in (-0.49, 0.1, 0.69)),
    ]
    other = [box(0.57, 0.03, 1.9, (0.4, 0.62, 0.98), "wood2"), box(0.56, 0.48, 0.02, (-0.2, 0.88, 1.0), "wood2")]
    hanging = [
        box(0.04, 0.36, 0.55, (-0.4 + 0.1 * i, 0.9, 1.55), colour)
        for i, colour in enumerate(((0.7, 0.2, 0.25), (0.2, 0.4, 0.6), (0.85, 0.8, 0.6), (0.25, 0.5, 0.3)))
    ]
    door = hinged(0.49, 0.62, 0.59, 0.05, 1.95, 1.1, "wood2", (-0.12, 0.76, 1.01))
    return Place("wardrobe", (*shell, *other, *hanging), 1.14, 1.01, (0.74, 0.78), doors={"closet": door})


def _entry(rng: np.random.Generator) -> Place:
    """A bench by the front door: one sits with the back to the wall; the door beside it is for standing actors."""
    bench = [box(1.1, 0.4, 0.05, (0, -0.32, 0.42), "wood"), *_legs(0.5, -0.48, -0.16, 0.4, "wood2")]
    hooks = [
        box(1.0, 0.03, 0.1, (0, -0.55, 1.6), "wood2"),
        *(box(0.2, 0.1, 0.6, (x, -0.5, 1.3), c) for x, c in ((-0.35, "cloth"), (0.3, "cloth2"))),
    ]
    stool = [box(0.7, 0.32, 0.04, (0, 0.56, 0.42), "wood"), *_legs(0.3, 0.45, 0.67, 0.42, "wood2")]
    return Place("entry", (*bench, *hooks, *stool), -0.58, 0.44, (0.46, 0.56), seat=0.445)


def _doorway(rng: np.random.Generator) -> Place:
    frame = [box(0.08, 0.1, 2.1, (x, 0.66, 1.05), "wood") for x in (-1.0, -0.04)]
    frame += [box(1.04, 0.1, 0.1, (-0.52, 0.66, 2.12), "wood")]
    hall = box(0.9, 0.02, 2.05, (-0.52, 0.70, 1.03), (0.30, 0.28, 0.26))
    console = [box(0.86, 0.32, 0.04, (0.46, 0.53, 0.88), "wood2"), box(0.8, 0.26, 0.86, (0.46, 0.55, 0.43), "wood")]
    door = hinged(0.95, 0.62, 0.87, 0.02, 2.05, 1.02, "wood2", (0.0, 0.0, 0.0), angle=0.75)  # clear of the actor
    reach = (0.42, 0.50)
    return Place("doorway", (*frame, hall, *console), 0.71, 0.9, reach, doors={"door": door}, middle=0.40, half=0.28)


PLACES: dict[str, Callable[[np.random.Generator], Place]] = {
    "counter": _counter,
    "fridge": _fridge,
    "table": _table,
    "desk": _desk,
    "sofa": _sofa,
    "bed": _bed,
    "shelf": _shelf,
    "window": _window,
    "dresser": _dresser,
    "wardrobe": _wardrobe,
    "entry": _entry,
    "doorway": _doorway,
}


def build_place(kind: str, look: int) -> Place:
    """The furniture of a kind of place, in one of its looks.

    >>> build_place("desk", 0).surface
    0.74
    """
    return PLACES[kind](np.random.default_rng([79, sorted(PLACES).index(kind), look]))

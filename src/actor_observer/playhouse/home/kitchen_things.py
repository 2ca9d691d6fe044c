"""Objects of kitchen and cleaning, as shapes."""

from __future__ import annotations

from actor_observer.playhouse.home.geoms import ball, box, capsule, cylinder, ellipsoid
from actor_observer.playhouse.home.parts import Look, Thing

__all__ = [
    "bottle",
    "bowl",
    "broom",
    "cloth",
    "cup",
    "medicine",
    "mop",
    "pan",
    "plate",
    "sandwich",
    "sponge",
    "spoon",
    "spray",
]


def cup(k: Look) -> Thing:
    """With a handle, and something to drink."""
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


def bottle(k: Look) -> Thing:
    """With a label and a cap."""
    body = (cylinder(0.04 * k.size, 0.19, (0, 0, 0), k.main), cylinder(0.042 * k.size, 0.07, (0, 0, 0), k.second))
    return Thing(
        "bottle",
        (*body, cylinder(0.016, 0.07, (0, 0, 0.13), k.main), cylinder(0.02, 0.025, (0, 0, 0.17), k.accent)),
        0.095,
    )


def plate(k: Look) -> Thing:
    """With a rim of another colour."""
    r = 0.115 * k.size
    return Thing(
        "plate", (cylinder(r, 0.014, (0, 0, 0), k.main), cylinder(r * 0.68, 0.004, (0, 0, 0.008), k.second)), 0.008
    )


def bowl(k: Look) -> Thing:
    """Filled with something."""
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


def pan(k: Look) -> Thing:
    """With a long handle and something in it."""
    r = 0.125 * k.size
    dark = (0.13, 0.13, 0.14)
    body = (cylinder(r, 0.045, (0, 0, 0), dark), cylinder(r * 0.88, 0.004, (0, 0, 0.022), k.accent))
    food = [
        ball(0.02, (0.05, 0.02, 0.025), k.main),
        ball(0.02, (-0.04, 0.05, 0.025), k.second),
        ball(0.018, (-0.01, -0.05, 0.025), k.main),
    ]
    return Thing("pan", (*body, *food, capsule(0.014, (-r, 0, 0.01), (-r - 0.17, 0, 0.03), dark)), 0.024)


def spoon(k: Look) -> Thing:
    """A long one for cooking, held upright."""
    return Thing(
        "spoon",
        (capsule(0.009, (0, 0, 0.06), (0, 0, -0.16), k.main), ellipsoid(0.028, 0.014, 0.036, (0, 0, -0.18), k.main)),
        0.02,
    )


def sandwich(k: Look) -> Thing:
    """Two slices with something between."""
    bread = (0.86, 0.68, 0.42)
    layers = (box(0.12, 0.12, 0.02, (0, 0, 0.022), bread), box(0.12, 0.12, 0.02, (0, 0, -0.022), bread))
    return Thing(
        "sandwich",
        (*layers, box(0.13, 0.13, 0.01, (0, 0, 0.006), k.main), box(0.125, 0.125, 0.01, (0, 0, -0.007), k.accent)),
        0.033,
    )


def medicine(k: Look) -> Thing:
    """A small bottle with a white cap."""
    body = (
        cylinder(0.028 * k.size, 0.075, (0, 0, 0), k.main),
        cylinder(0.0285 * k.size, 0.035, (0, 0, 0), (0.95, 0.95, 0.95)),
    )
    return Thing("medicine", (*body, cylinder(0.031 * k.size, 0.028, (0, 0, 0.05), (0.97, 0.97, 0.97))), 0.04)


def cloth(k: Look) -> Thing:
    """A crumpled cleaning cloth."""
    return Thing(
        "cloth",
        (box(0.19, 0.15, 0.016, (0, 0, 0), k.main), box(0.10, 0.16, 0.022, (0.03, 0, 0), k.second, (0, 0, 25))),
        0.012,
    )


def sponge(k: Look) -> Thing:
    """In two layers."""
    return Thing(
        "sponge",
        (box(0.11, 0.07, 0.025, (0, 0, 0.008), k.main), box(0.11, 0.07, 0.012, (0, 0, -0.012), k.second)),
        0.02,
    )


def spray(k: Look) -> Thing:
    """A bottle with a trigger."""
    head = (box(0.045, 0.1, 0.035, (0, 0.02, 0.14), k.accent), box(0.012, 0.02, 0.06, (0, 0.035, 0.1), k.accent))
    return Thing(
        "spray",
        (ellipsoid(0.045, 0.035, 0.10, (0, 0, 0), k.main), cylinder(0.02, 0.06, (0, 0, 0.10), k.second), *head),
        0.09,
    )


def broom(k: Look) -> Thing:
    """A pole with a brush, gripped at the height of the hip."""
    pole = capsule(0.014, (0, 0, 0.35), (0, 0, -0.86), k.main)
    return Thing(
        "broom",
        (pole, box(0.3, 0.06, 0.06, (0, 0, -0.87), k.second), box(0.32, 0.08, 0.14, (0, 0, -0.95), k.accent)),
        1.02,
    )


def mop(k: Look) -> Thing:
    """A pole with strands."""
    strands = [
        capsule(0.025, (0, 0, -0.88), (x, y, -1.0), k.accent)
        for x, y in ((-0.13, 0.03), (-0.07, -0.06), (0, 0.08), (0.07, -0.05), (0.13, 0.04))
    ]
    return Thing("mop", (capsule(0.016, (0, 0, 0.35), (0, 0, -0.88), k.main), *strands), 1.02)

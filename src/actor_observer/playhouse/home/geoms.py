"""The building block of everything visible: a primitive shape with a place, a turn and a look."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from actor_observer.playhouse.home.colours import Colour

__all__ = ["Array", "Geom", "ball", "box", "capsule", "cylinder", "ellipsoid", "moved"]

Array = NDArray[np.float64]
Point = tuple[float, float, float]


@dataclass(frozen=True)
class Geom:
    """One MuJoCo primitive. `size` is in half lengths, as in MuJoCo; `turn` in degrees about x, y, z."""

    shape: str
    size: tuple[float, ...]
    at: Point
    colour: Colour | str  # a colour, or the name of a material of the home
    turn: Point = (0.0, 0.0, 0.0)
    ends: tuple[Point, Point] | None = None  # of a capsule, instead of `at` and `turn`

    def bounds(self) -> tuple[Point, Point]:
        """The lowest and the highest corner of the shape; a turned one counts as a cube.

        >>> ball(0.5, (0, 0, 1), "wood").bounds()
        ((-0.5, -0.5, 0.5), (0.5, 0.5, 1.5))
        """
        ends, size = self.ends or (self.at, self.at), self.size
        half = size if len(size) == 3 else (size[0], size[0], size[-1])
        if any(self.turn):
            half = (max(half),) * 3
        if self.ends:
            half = (size[0],) * 3
        low, high = ([pick(axis) for axis in zip(*ends, strict=True)] for pick in (min, max))
        x, y, z = half
        return (low[0] - x, low[1] - y, low[2] - z), (high[0] + x, high[1] + y, high[2] + z)

    def xml(self, name: str = "", group: int = 0) -> str:
        look = f'material="{self.colour}"' if isinstance(self.colour, str) else f'rgba="{_row(self.colour)} 1"'
        place = (
            f'fromto="{_row(self.ends[0])} {_row(self.ends[1])}"'
            if self.ends
            else f'pos="{_row(self.at)}" euler="{_row(self.turn)}"'
        )
        title = f'name="{name}" ' if name else ""
        return f'<geom {title}type="{self.shape}" size="{_row(self.size)}" {place} {look} group="{group}"/>'


def _row(numbers: Iterable[float]) -> str:
    return " ".join(f"{number:.4g}" for number in numbers)


def box(x: float, y: float, z: float, at: Point, colour: Colour | str, turn: Point = (0.0, 0.0, 0.0)) -> Geom:
    """A box by its full lengths.

    >>> box(0.2, 0.4, 0.6, (0, 0, 1), "wood").size
    (0.1, 0.2, 0.3)
    """
    return Geom("box", (x / 2, y / 2, z / 2), at, colour, turn)


def cylinder(radius: float, height: float, at: Point, colour: Colour | str, turn: Point = (0.0, 0.0, 0.0)) -> Geom:
    """An upright cylinder by radius and full height."""
    return Geom("cylinder", (radius, height / 2), at, colour, turn)


def capsule(radius: float, start: Point, end: Point, colour: Colour | str) -> Geom:
    """A capsule between two points."""
    return Geom("capsule", (radius,), (0.0, 0.0, 0.0), colour, ends=(start, end))


def ball(radius: float, at: Point, colour: Colour | str) -> Geom:
    """A sphere."""
    return Geom("sphere", (radius,), at, colour)


def ellipsoid(x: float, y: float, z: float, at: Point, colour: Colour | str) -> Geom:
    """An ellipsoid by its half lengths."""
    return Geom("ellipsoid", (x, y, z), at, colour)


def moved(geoms: Iterable[Geom], dx: float, dy: float, dz: float) -> list[Geom]:
    """The same shapes, moved.

    >>> moved([ball(0.1, (0, 0, 0), "wood")], 1, 2, 3)[0].at
    (1, 2, 3)
    """

    def shift(point: Point) -> Point:
        return point[0] + dx, point[1] + dy, point[2] + dz

    return [
        replace(geom, at=shift(geom.at), ends=(shift(geom.ends[0]), shift(geom.ends[1])) if geom.ends else None)
        for geom in geoms
    ]

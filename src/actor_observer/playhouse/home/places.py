"""A place to act at: furniture around an actor who stands at the origin and faces +y."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from actor_observer.playhouse.home.geoms import Array, Geom, Point, box, capsule
from actor_observer.playhouse.home.parts import Hinge

__all__ = ["Door", "Place", "hinged"]


@dataclass(frozen=True)
class Door:
    """A leaf on a vertical hinge on its left side, which opens towards the actor."""

    hinge: Hinge
    handle: Point  # relative to the pivot, when closed
    inside: Point  # where a thing stands behind it

    def grip(self, opening: float) -> Array:
        """Where the handle is when the door is open so far (0 … 1), in the frame of the place.

        >>> hinged(0.4, 0.6, 0.5, 1.0, 1.8, 1.4, "wood", (0, 0, 0)).grip(0.0).round(2).tolist()
        [0.04, 0.54, 1.4]
        """
        angle = self.hinge.opened * opening
        x, y, z = self.handle
        turned = np.array([x * np.cos(angle) - y * np.sin(angle), x * np.sin(angle) + y * np.cos(angle), z])
        return np.asarray(turned + np.array(self.hinge.pivot))


@dataclass(frozen=True)
class Place:
    """A place to act at: where things stand, where one sits, what can be opened or looked at."""

    kind: str
    geoms: tuple[Geom, ...]
    wall: float  # the wall is this far in front of the actor; negative: behind; 0: free in the room
    surface: float = 0.0  # height on which things stand; 0: there is none
    reach: tuple[float, float] = (0.34, 0.52)  # nearest and farthest y of things on the surface
    middle: float = 0.0  # x of the middle of that reach
    half: float = 0.36  # how far it goes to either side
    seat: float = 0.0  # height of the seat; 0: none
    doors: dict[str, Door] = field(default_factory=dict)
    sights: dict[str, Point] = field(default_factory=dict)  # window, mirror, television
    basin: Point | None = None


def hinged(
    left: float,
    face: float,
    width: float,
    low: float,
    high: float,
    handle: float,
    colour: str,
    inside: Point,
    angle: float = 1.35,
) -> Door:
    """A door whose hinge is `left` metres to the left, in the plane y = `face`, between two heights.

    `handle` is a height, too; `angle` is how far it opens, in radians.
    """
    middle = (low + high) / 2
    leaf = box(width, 0.03, high - low - 0.02, (width / 2, 0, 0), colour)
    knob = capsule(
        0.014, (width - 0.06, -0.045, handle - middle - 0.07), (width - 0.06, -0.045, handle - middle + 0.07), "metal"
    )
    hinge = Hinge((leaf, knob), (-left, face, middle), "z", 0.0, -angle)
    return Door(hinge, (width - 0.06, -0.06, handle - middle), inside)

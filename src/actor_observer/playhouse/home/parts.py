"""What an object is made of: shapes, perhaps a hinged part, and a look."""

from __future__ import annotations

from dataclasses import dataclass

from actor_observer.playhouse.home.colours import Colour
from actor_observer.playhouse.home.geoms import Geom

__all__ = ["Hinge", "Look", "Thing"]


@dataclass(frozen=True)
class Hinge:
    """A part that turns: a lid, a cover, a door leaf. Its shapes are placed relative to the pivot."""

    geoms: tuple[Geom, ...]
    pivot: tuple[float, float, float]
    axis: str  # "x", "y" or "z"
    closed: float  # radians
    opened: float


@dataclass(frozen=True)
class Look:
    """The free choices of a look: three colours and a size factor."""

    main: Colour
    second: Colour
    accent: Colour
    size: float


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

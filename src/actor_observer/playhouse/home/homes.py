"""Where scripts are played: rooms with places to act along their walls, in several materials and lights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from actor_observer.pairs.manifest import Split
from actor_observer.playhouse.home.colours import Colour, hue
from actor_observer.playhouse.home.furniture import build_place
from actor_observer.playhouse.home.geoms import Array
from actor_observer.playhouse.home.places import Place

__all__ = ["LAYOUTS", "Home", "Layout", "Material", "Standing", "build_home", "layout_named", "layouts_of"]


@dataclass(frozen=True)
class Layout:
    """A room and its places: (place, wall, metres from the middle of that wall), walls by compass."""

    name: str
    split: Split
    width: float  # along x
    depth: float  # along y
    places: tuple[tuple[str, str, float], ...]

    @property
    def kinds(self) -> frozenset[str]:
        return frozenset(kind for kind, _, _ in self.places)


@dataclass(frozen=True)
class Standing:
    """A place set into a room: where the actor stands for it, and which way they face (0: +y, counter-clockwise)."""

    place: Place
    x: float
    y: float
    yaw: float

    def to_world(self, point: Array) -> Array:
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        x, y, z = point
        return np.array([self.x + c * x - s * y, self.y + s * x + c * y, z])


@dataclass(frozen=True)
class Material:
    """The look of a role in the room ("wall", "wood", …): a pattern in two colours."""

    pattern: str  # a texture of textures.py
    one: Colour
    two: Colour
    repeat: float
    shine: float = 0.0


@dataclass(frozen=True)
class Home:
    """A layout in one of its dresses."""

    layout: Layout
    standings: dict[str, Standing]
    materials: dict[str, Material]
    light: tuple[float, float, float]  # where the lamp hangs
    brightness: float
    warmth: float
    ceiling: float = 2.5

    @cached_property
    def footprints(self) -> Array:
        """Rectangles (F, 4) of the floor that furniture stands on: their west, south, east and north ends."""
        found = []
        for standing in self.standings.values():
            for low, high in (geom.bounds() for geom in standing.place.geoms):
                if high[2] > 0.06 and low[2] < 1.9:  # neither a rug nor a lamp is in anybody's way
                    corners = [standing.to_world(np.array([x, y, 0.0])) for x, y in (low[:2], high[:2])]
                    found.append([*np.min(corners, axis=0)[:2], *np.max(corners, axis=0)[:2]])
        return np.array(found)


def _layout(name: str, split: Split, width: float, depth: float, text: str) -> Layout:
    places = []
    for part in text.split():
        kind, wall, along = part.split(":")
        places.append((kind, wall, float(along)))
    return Layout(name, split, width, depth, tuple(places))


# Each split has its own rooms; rooms of one split share enough places that two of them can stage the same script.
LAYOUTS: tuple[Layout, ...] = (
    _layout("loft", "train", 5.4, 5.0, "counter:N:-0.6 fridge:N:1.5 table:C:0.2 window:E:0.6 shelf:W:0.3"),
    _layout("studio", "train", 5.6, 5.2, "counter:W:0.5 desk:N:-0.9 bed:N:1.3 wardrobe:E:-0.9 doorway:S:0.4"),
    _layout("parlour", "train", 5.2, 5.4, "sofa:S:-0.3 shelf:E:0.8 desk:W:0.6 window:N:-1.0 dresser:N:1.0"),
    _layout("kitchen", "train", 5.0, 4.8, "counter:E:0.3 fridge:N:-0.9 table:C:0.0 doorway:N:1.0 window:W:0.4"),
    _layout("bedroom", "train", 5.2, 5.0, "bed:N:-0.8 wardrobe:E:0.4 dresser:W:0.6 desk:S:0.8 window:N:1.2"),
    _layout("hall", "train", 5.4, 4.8, "entry:N:-0.9 doorway:E:0.7 dresser:W:0.2 wardrobe:S:-0.9 sofa:S:1.0"),
    _layout("den", "train", 5.0, 5.4, "sofa:W:0.2 desk:E:0.9 shelf:N:0.9 doorway:N:-0.9 counter:S:0.1"),
    _layout("flat", "train", 5.6, 5.0, "table:C:-0.3 counter:N:0.7 entry:W:-0.5 bed:E:0.3 fridge:N:-1.2"),
    _layout(
        "attic", "validation", 5.2, 5.0, "counter:N:0.4 table:C:0.1 desk:W:0.7 sofa:S:0.3 shelf:E:0.6 window:N:-1.5"
    ),
    _layout(
        "cabin", "validation", 5.4, 5.2, "counter:W:-0.3 desk:E:0.5 shelf:N:1.2 window:N:-0.8 sofa:S:-0.2 bed:N:-2.9"
    ),
    _layout(
        "villa", "test", 5.6, 5.2, "counter:E:-0.2 table:C:0.3 window:N:1.0 shelf:N:-0.9 doorway:W:0.4 fridge:S:-0.8"
    ),
    _layout(
        "terrace", "test", 5.2, 5.4, "counter:S:0.2 table:C:-0.2 fridge:W:0.8 desk:E:-0.6 window:N:0.5 dresser:E:1.1"
    ),
    _layout("mews", "test", 5.4, 5.0, "sofa:N:-0.3 desk:E:0.4 dresser:W:-0.4 bed:S:-0.7 doorway:S:1.1 shelf:W:1.2"),
    _layout("annex", "test", 5.0, 5.2, "sofa:E:0.1 bed:N:0.3 wardrobe:W:-0.6 dresser:S:0.8 desk:W:0.9 entry:S:-1.0"),
)


def layouts_of(split: Split) -> tuple[Layout, ...]:
    """The rooms of a split.

    >>> [len(layouts_of(split)) for split in ("train", "validation", "test")]
    [8, 2, 4]
    """
    return tuple(layout for layout in LAYOUTS if layout.split == split)


def layout_named(name: str) -> Layout:
    """One of the rooms.

    >>> layout_named("attic").split
    'validation'
    """
    return next(layout for layout in LAYOUTS if layout.name == name)


def _set_up(layout: Layout, kind: str, wall: str, along: float, look: int) -> Standing:
    place = build_place(kind, look)
    if wall == "C":  # free-standing: `along` shifts it sideways, its side towards the actor faces the middle
        return Standing(place, along, -0.75, 0.0)
    away, half = abs(place.wall), (layout.depth if wall in "NS" else layout.width) / 2
    x, y, yaw = {
        "N": (along, half - away, 0.0),
        "S": (-along, away - half, np.pi),
        "E": (half - away, -along, -np.pi / 2),
        "W": (away - half, along, np.pi / 2),
    }[wall]
    return Standing(place, x, y, yaw + (np.pi if place.wall < 0 else 0.0))


def _materials(rng: np.random.Generator) -> dict[str, Material]:
    def tone(s: tuple[float, float], v: tuple[float, float], h: float | None = None) -> Colour:
        return hue(rng.random() if h is None else h + rng.normal(0, 0.02), rng.uniform(*s), rng.uniform(*v))

    wood, floor = rng.uniform(0.05, 0.11), rng.uniform(0.04, 0.12)
    wall = tone((0.04, 0.35), (0.68, 0.92))
    shade = tuple(max(0.0, c - 0.07) for c in wall)
    cloth, cloth2 = tone((0.15, 0.6), (0.35, 0.8)), tone((0.15, 0.65), (0.45, 0.9))
    fridge = tone((0.0, 0.5), (0.6, 0.95))
    return {
        "wall": Material(
            str(rng.choice(["plain", "stripes", "plain", "noise"])), wall, (shade[0], shade[1], shade[2]), 2.0
        ),
        "floor": Material(
            str(rng.choice(["planks", "checker", "noise", "planks"])),
            tone((0.2, 0.55), (0.35, 0.75), floor),
            tone((0.2, 0.5), (0.25, 0.6), floor),
            3.0,
        ),
        "ceiling": Material("plain", (0.93, 0.93, 0.92), (0.93, 0.93, 0.92), 1.0),
        "wood": Material("grain", tone((0.25, 0.6), (0.45, 0.8), wood), tone((0.3, 0.6), (0.3, 0.6), wood), 1.0, 0.15),
        "wood2": Material(
            "grain", tone((0.05, 0.5), (0.35, 0.95), wood), tone((0.1, 0.5), (0.3, 0.85), wood), 1.0, 0.1
        ),
        "stone": Material("noise", tone((0.0, 0.15), (0.3, 0.9)), tone((0.0, 0.15), (0.3, 0.9)), 1.0, 0.4),
        "metal": Material("plain", (0.68, 0.70, 0.72), (0.6, 0.6, 0.6), 1.0, 0.8),
        "tiles": Material("checker", tone((0.05, 0.4), (0.6, 0.95)), tone((0.05, 0.3), (0.7, 0.95)), 6.0, 0.4),
        "cloth": Material("weave", cloth, tone((0.1, 0.5), (0.3, 0.8)), 3.0),
        "cloth2": Material(str(rng.choice(["weave", "stripes", "checker"])), cloth2, tone((0.1, 0.5), (0.4, 0.9)), 2.0),
        "rug": Material(
            str(rng.choice(["stripes", "checker", "weave"])),
            tone((0.2, 0.6), (0.3, 0.7)),
            tone((0.2, 0.6), (0.4, 0.8)),
            2.0,
        ),
        "fridge": Material("plain", fridge, fridge, 1.0, 0.5),
    }


def build_home(layout: Layout, dress: int) -> Home:
    """A room with its furniture, materials and light; `dress` numbers its looks.

    >>> sorted(build_home(LAYOUTS[0], 0).standings)
    ['counter', 'fridge', 'shelf', 'table', 'window']
    """
    rng = np.random.default_rng([83, [item.name for item in LAYOUTS].index(layout.name), dress])
    standings = {
        kind: _set_up(layout, kind, wall, along, int(rng.integers(1000))) for kind, wall, along in layout.places
    }
    light = (float(rng.uniform(-1.0, 1.0)), float(rng.uniform(-1.0, 1.0)), 2.4)
    return Home(
        layout, standings, _materials(rng), light, float(rng.uniform(0.95, 1.25)), float(rng.uniform(-0.06, 0.08))
    )

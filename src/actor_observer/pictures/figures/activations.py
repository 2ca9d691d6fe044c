"""Figure 3: where the last convolution responds, in frames of both views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from actor_observer.pairs.manifest import View
from actor_observer.pictures.figures.choose import Spot
from actor_observer.pictures.figures.opened_run import Run
from actor_observer.pictures.figures.parts.heat import lay_over, smooth
from actor_observer.pictures.figures.parts.maps import activation_map
from actor_observer.pictures.figures.parts.picture_grid import Block, Cell, draw_grid
from actor_observer.pictures.figures.parts.style import colours
from actor_observer.pictures.figures.parts.thumbnails import as_pixels

__all__ = ["Mapped", "activations", "draw_activations", "draw_side_by_side"]

NAMES = {"third": "Observer", "first": "Actor"}


@dataclass(frozen=True)
class Mapped:
    """A frame as the backbone saw it, and its map.

    >>> Mapped(np.zeros((2, 2, 3)), np.zeros((2, 2)), "3.5 s").note
    '3.5 s'
    """

    pixels: NDArray[Any]  # (H, W, 3)
    heat: NDArray[Any]  # (H, W)
    note: str = ""


def activations(run: Run, spots: Sequence[Spot]) -> list[Mapped]:
    """The activation maps of these frames."""
    found = []
    for spot in spots:
        (frame,) = run.frames(spot.take, [spot.time])
        found.append(Mapped(as_pixels(frame), activation_map(run.network, frame), f"{spot.time:.1f} s"))
    return found


def draw_activations(mapped: Mapping[View, Sequence[Mapped]]) -> Figure:
    """Draw a row of frames for each view, with their maps below.

    >>> one = Mapped(np.zeros((6, 8, 3)), np.ones((6, 8)))
    >>> len(draw_activations({"third": [one, one]}).axes)
    4
    """
    blocks = []
    for view, row in mapped.items():
        frames = [Cell(one.pixels.astype(np.uint8)) for one in row]
        maps = [Cell(lay_over(one.pixels, smooth(one.heat, 0.05)), one.note) for one in row]
        blocks.append(Block(NAMES[view], [frames, maps], colours().of(view)))
    return draw_grid(blocks, columns=max(len(row) for row in mapped.values()))


def draw_side_by_side(mapped: Mapping[View, Mapped]) -> Figure:
    """Draw one frame of one view or of both, each with its map beside it.

    >>> len(draw_side_by_side({"first": Mapped(np.zeros((6, 8, 3)), np.ones((6, 8)))}).axes)
    2
    """
    blocks = []
    for view, one in mapped.items():
        hot = lay_over(one.pixels, smooth(one.heat, 0.05))
        row = [Cell(one.pixels.astype(np.uint8), one.note), Cell(hot, "last convolution")]
        blocks.append(Block(NAMES[view], [row], colours().of(view)))
    return draw_grid(blocks, columns=2)

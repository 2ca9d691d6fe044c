"""Figure 4: the gradient of the similarity of two frames, at each image."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from torch import Tensor

from actor_observer.pairs.manifest import Pair
from actor_observer.pictures.figures.activations import Mapped
from actor_observer.pictures.figures.choose import heaviest, partner, spot_at
from actor_observer.pictures.figures.opened_run import Run
from actor_observer.pictures.figures.parts.heat import lay_over, smooth
from actor_observer.pictures.figures.parts.maps import similarity_maps
from actor_observer.pictures.figures.parts.picture_grid import Block, Cell, draw_grid
from actor_observer.pictures.figures.parts.style import colours
from actor_observer.pictures.figures.parts.thumbnails import as_pixels

__all__ = ["draw_similarity", "similarities"]


def similarities(run: Run, pairs: Sequence[Pair]) -> list[tuple[Mapped, Mapped]]:
    """For each pair, the first-person frame of highest weight and the third-person frame of its moment, with maps."""
    found = []
    for pair in pairs:
        first = heaviest(run, pair.first)
        time = partner(run, pair, first)
        if time is None:
            continue
        third = spot_at(run, pair.third, time)
        (x,), (z,) = (run.frames(spot.take, [spot.time]) for spot in (third, first))
        maps = similarity_maps(run.network, x, z, *(run.around(spot.take, spot.place) for spot in (third, first)))
        found.append((_mapped(x, maps[0], third.time), _mapped(z, maps[1], first.time)))
    return found


def _mapped(frame: Tensor, heat: NDArray[Any], time: float) -> Mapped:
    return Mapped(as_pixels(frame), heat, f"{time:.1f} s")


def draw_similarity(found: Sequence[tuple[Mapped, Mapped]]) -> Figure:
    """Draw a row for each pair of frames: the observer's with its map, the actor's with its map.

    >>> one = Mapped(np.zeros((6, 8, 3)), np.ones((6, 8)))
    >>> len(draw_similarity([(one, one)]).axes)
    4
    """
    rows = []
    for pair in found:
        row = []
        for one, hue in zip(pair, (colours().third, colours().first), strict=True):
            row.append(Cell(one.pixels.astype(np.uint8), one.note, hue))
            row.append(Cell(lay_over(one.pixels, smooth(one.heat)), "", hue))
        rows.append(row)
    return draw_grid(
        [Block("", rows, names=("observer", "its gradient", "actor", "its gradient"))], columns=4, apart=(2,)
    )

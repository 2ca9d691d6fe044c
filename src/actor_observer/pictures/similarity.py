"""Figure 4: the gradient of the similarity of two frames, at either image."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from actor_observer.pairs.manifest import Pair
from actor_observer.pictures.activations import Mapped
from actor_observer.pictures.choose import heaviest, partner
from actor_observer.pictures.grid import Block, Cell, draw_grid
from actor_observer.pictures.heat import lay_over, smooth
from actor_observer.pictures.maps import similarity_maps
from actor_observer.pictures.run import Run
from actor_observer.pictures.style import colours
from actor_observer.pictures.thumbnails import as_pixels

__all__ = ["draw_similarity", "similarities"]


def similarities(run: Run, pairs: Sequence[Pair]) -> list[tuple[Mapped, Mapped]]:
    """For each pair the heaviest first-person frame and the third-person frame of the same moment, with their maps."""
    found = []
    for pair in pairs:
        first = heaviest(run, pair.first)
        time = partner(run, pair, first)
        if time is None:
            continue
        (x,), (z,) = run.frames(pair.third, [time]), run.frames(pair.first, [first.time])
        maps = similarity_maps(run.network, x, z, run.offset(pair.third), run.offset(pair.first))
        notes = (f"{time:.1f} s", f"{first.time:.1f} s")
        third, own = (
            Mapped(as_pixels(frame), heat, note) for frame, heat, note in zip((x, z), maps, notes, strict=True)
        )
        found.append((third, own))
    return found


def draw_similarity(found: Sequence[tuple[Mapped, Mapped]]) -> Figure:
    """A row for each pair of frames: the observer's with its map, the actor's with its map.

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

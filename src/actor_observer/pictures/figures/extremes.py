"""Figure 2: the frames with the highest and the lowest weight, in each view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from actor_observer.pairs.manifest import View
from actor_observer.pictures.figures.choose import Spot
from actor_observer.pictures.figures.opened_run import Run
from actor_observer.pictures.figures.parts.picture_grid import Block, Cell, draw_grid
from actor_observer.pictures.figures.parts.style import colours

__all__ = ["draw_extremes"]

NAMES: dict[View, str] = {"third": "Observer", "first": "Actor"}


def draw_extremes(run: Run, highest: Mapping[View, Sequence[Spot]], lowest: Mapping[View, Sequence[Spot]]) -> Figure:
    """Two rows for each view: highest weights, lowest weights; the weight under each frame (a take's mean is 1)."""
    blocks, columns = [], 1
    for view in NAMES:
        for how, spots in (("highest weight", highest[view]), ("lowest weight", lowest[view])):
            row = [Cell(run.thumbnail(spot.take, spot.time), f"{spot.weight:.2f}") for spot in spots]
            blocks.append(Block(f"{NAMES[view]}: {how}", [row], colours().of(view)))
            columns = max(columns, len(row))
    return draw_grid(blocks, columns)

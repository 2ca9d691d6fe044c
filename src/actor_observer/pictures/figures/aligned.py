"""The picture of an alignment: film strips, and what it rests on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from actor_observer.alignment.result import Alignment
from actor_observer.errors import UserError
from actor_observer.pictures.figures.film_strips import draw_film_strips

__all__ = ["draw_alignment"]


def draw_alignment(found: Alignment) -> Figure:
    """Two film strips, moments joined by the clock; the likeness of all moments where it counted, else the offsets."""
    if not (found.third and found.first):
        raise UserError("pixels have no file to take pictures from")
    best = found.best.third, found.best.first
    videos = Path(found.third), Path(found.first)
    near = [place for place in found.wearer if abs(place.time - found.best.third) <= 1.0]
    wearer = min(near, key=lambda place: abs(place.time - found.best.third)).box if near else None
    matrix = found.likeness
    if matrix is not None:
        times = matrix.third_times, matrix.first_times
        return draw_film_strips(*videos, *times, matrix.distances.T, found.joins, best, found.title, wearer)
    third, first = (np.linspace(0.5, max(1.5, length - 0.5), 32) for length in found.lengths)
    assert found.scores is not None, "without likeness, offsets decided"
    return draw_film_strips(*videos, third, first, found.scores, found.joins, best, found.title, wearer)

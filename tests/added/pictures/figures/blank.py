"""A figure for the test of extending."""

from __future__ import annotations

from matplotlib.figure import Figure

from actor_observer.pictures.figures.parts.style import sheet


def draw_blank() -> Figure:
    return sheet(0.1)

"""Figure 5: the weight of a video's frames over time, with the frames at its peaks and troughs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import ConnectionPatch
from numpy.typing import NDArray

from actor_observer.pairs.manifest import Take
from actor_observer.pictures.figures.parts.style import MARGIN, WIDTH, box, colours, in_style, sheet, show_frame
from actor_observer.pictures.figures.parts.thumbnails import thumbnails

__all__ = ["draw_weight_curve", "peaks", "shade_frames"]

COUNT = 4  # thumbnails above, and below
LEFT, CURVE = 0.5, 1.25  # inches: room for the axis' numbers, height of the curve


@in_style
def draw_weight_curve(video: Take | str | Path, times: NDArray[Any], weight: NDArray[Any], title: str = "") -> Figure:
    """Draw the weights over time. Their mean over a video is 1: above that line a frame counts for more than its share.

    >>> draw_weight_curve("no-such.mp4", np.arange(3.0), np.ones(3))
    Traceback (most recent call last):
    actor_observer.errors.TakeError: no-such.mp4: no such file
    """
    high, low = peaks(times, weight, COUNT), peaks(times, -np.asarray(weight), COUNT)
    pictures = thumbnails(video, times[[*high, *low]])
    tall = min(1.2, ((WIDTH - 2 * MARGIN) / COUNT - 0.08) * pictures.shape[1] / pictures.shape[2])
    head = 0.32 if title else 0.05
    figure = sheet(head + 2 * tall + CURVE + 0.2 + 0.85)
    if title:
        figure.text(MARGIN / WIDTH, 1 - 0.09 / figure.get_size_inches()[1], title, va="top", fontsize=11)
    curve = box(figure, LEFT, head + tall + 0.2, WIDTH - LEFT - MARGIN, CURVE)
    _curve(curve, times, weight)
    under = head + tall + 0.2 + CURVE + 0.6
    hue = colours().of(video.view) if isinstance(video, Take) else colours().ink
    rows = ((high, pictures[: len(high)], head, hue), (low, pictures[len(high) :], under, colours().faint))
    for places, row, top, edge in rows:
        cells = _cells(row, top, tall)
        for place, picture, cell in zip(places, row, cells, strict=True):
            _thumbnail(figure, curve, picture, cell, (times[place], weight[place]), edge)
    return figure


def peaks(times: NDArray[Any], height: NDArray[Any], count: int) -> list[int]:
    """The indices of the highest points, in order of time, no two closer together than a share of the whole.

    >>> peaks(np.arange(9.0), np.array([0, 5, 6, 5, 0, 0, 3, 0, 0.0]), count=2)
    [2, 6]
    """
    apart = (times[-1] - times[0]) / (2 * count) if len(times) > 1 else 0.0
    chosen: list[int] = []
    for place in np.argsort(-np.asarray(height), kind="stable"):
        if len(chosen) < count and all(abs(times[place] - times[other]) > apart for other in chosen):
            chosen.append(int(place))
    return sorted(chosen)


def shade_frames(figure: Figure, times: NDArray[Any], marked: NDArray[Any], what: str) -> None:
    """Shade the parts of a weight curve whose frames are marked, and label the shade.

    >>> figure = sheet(1.0)
    >>> _ = figure.add_axes((0, 0, 1, 1))
    >>> shade_frames(figure, np.arange(4.0), np.array([True, False, True, True]), "hands in sight")
    >>> len(figure.axes[0].collections)
    1
    """
    axes = figure.axes[0]
    half = (times[1] - times[0]) / 2 if len(times) > 1 else 0.5
    edges = np.repeat(times, 2) + np.tile([-half, half], len(times))
    inside = np.repeat(np.asarray(marked, dtype=bool), 2)
    axes.fill_between(
        *(edges, 0, 1), where=inside, transform=axes.get_xaxis_transform(), color=colours().right, alpha=0.16, lw=0
    )
    axes.text(1, 0.03, f"shaded: {what} ", transform=axes.transAxes, ha="right", color=colours().right, fontsize=9)


def _curve(axes: Axes, times: NDArray[Any], weight: NDArray[Any]) -> None:
    hues = colours()
    axes.axhline(1, color=hues.faint, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    axes.plot(times, weight, color=hues.ink, zorder=3)
    axes.set(xlim=(times[0], times[-1] if len(times) > 1 else times[0] + 1), ylim=(0, max(1.2, 1.08 * weight.max())))
    axes.set_facecolor("none")
    axes.set_xlabel("time (s)", labelpad=1)
    axes.set_ylabel("weight")
    axes.locator_params(axis="y", nbins=4)


def _cells(pictures: NDArray[Any], top: float, tall: float) -> list[tuple[float, float, float, float]]:
    """Where the pictures of a row go, evenly spaced: left, top, width and height in inches."""
    share = (WIDTH - 2 * MARGIN) / max(1, len(pictures))
    wide = min(tall * pictures.shape[2] / pictures.shape[1], share - 0.08)
    return [(MARGIN + number * share + (share - wide) / 2, top, wide, tall) for number in range(len(pictures))]


def _thumbnail(
    figure: Figure,
    curve: Axes,
    picture: NDArray[Any],
    cell: tuple[float, float, float, float],
    point: tuple[float, float],
    hue: str,
) -> None:
    """A frame above or below the curve, joined to the point it belongs to."""
    axes = box(figure, *cell)
    show_frame(axes, picture, hue)
    curve.scatter(*point, 22, hue, zorder=4, clip_on=False)
    above = axes.get_position().y0 > curve.get_position().y1
    line = ConnectionPatch((0.5, float(not above)), point, "axes fraction", "data", axesA=axes, axesB=curve, zorder=0)
    line.set(color=hue, linewidth=0.9, alpha=0.75)
    figure.add_artist(line)

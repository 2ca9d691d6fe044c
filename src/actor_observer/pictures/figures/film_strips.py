"""Figure 6: two film strips, the chosen moments joined, and the distances they were chosen from."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import ConnectionPatch, Rectangle
from numpy.typing import NDArray

from actor_observer.alignment.result import Scores
from actor_observer.pairs.clock import Clock
from actor_observer.pairs.manifest import Take, View
from actor_observer.pictures.figures.offset_scores import draw_scores
from actor_observer.pictures.figures.parts.style import MARGIN, WIDTH, box, colours, in_style, sheet, show_frame
from actor_observer.pictures.figures.parts.thumbnails import thumbnails

__all__ = ["draw_film_strips", "trace_clock"]

Video = Take | str | Path
Span = tuple[float, float]
Box = tuple[float, float, float, float]
NAMES = {"third": "observer (third person)", "first": "actor (first person)"}
STRIP, GAP, MATRIX = 0.62, 0.5, 2.15  # inches: height of a strip, gap between the two, side of the matrix
MATRIX_LABEL = "distances"
LETTERS = 70  # of the title on one line
LONG = WIDTH - 2 * MARGIN  # of a strip


@in_style
def draw_film_strips(
    third: Take | str | Path,
    first: Take | str | Path,
    third_times: NDArray[Any],
    first_times: NDArray[Any],
    distances: NDArray[Any] | Scores,  # (T3, T1); or what speaks for each offset
    joins: Sequence[tuple[float, float]],  # third seconds, first seconds
    best: tuple[float, float] | None = None,
    title: str = "",
    wearer: Box | None = None,  # in the large third-person picture, in shares of it
) -> Figure:
    """Draw the two takes as strips with lines between moments that belong together, and below what was compared.

    That is all distances as the model sees them, or, where they were not counted, what speaks for each offset.

    A join's colour, in both parts, says how far into the third-person take it is. `best` is the pair of moments to
    show large; without it, the join with the smallest distance is shown.

    >>> times = np.arange(4.0)
    >>> draw_film_strips("no-such.mp4", "no-such.mp4", times, times, np.eye(4), [(1.0, 2.0)])
    Traceback (most recent call last):
    actor_observer.errors.TakeError: no-such.mp4: no such file
    """
    spans = _span(third_times), _span(first_times)
    lines = [part for line in title.splitlines() for part in textwrap.wrap(line, LETTERS)]
    head = 0.1 + 0.2 * len(lines) if lines else 0.04
    figure = sheet(head + 2 * (STRIP + 0.26) + GAP + 0.24 + MATRIX + 0.45)
    if lines:
        place = MARGIN / WIDTH, 1 - 0.09 / figure.get_size_inches()[1]
        figure.text(*place, "\n".join(lines), va="top", fontsize=11, linespacing=1.2, gid="title")
    top = head + 0.24
    above = _strip(figure, third, "third", spans[0], top)
    below = _strip(figure, first, "first", spans[1], top + STRIP + GAP)
    shades = _shades(joins, spans[0])
    thin = 1.6 if len(joins) <= 24 else 0.8
    for (at_third, at_first), shade in zip(joins, shades, strict=True):
        _join(figure, above, below, at_third, at_first, shade, thin)
    if best is not None:
        _join(figure, above, below, *best, colours().first, 2.6)
    lower = top + 2 * STRIP + GAP + 0.5
    axes = box(figure, 0.5, lower, MATRIX, MATRIX)
    if isinstance(distances, Scores):
        legend = draw_scores(axes, distances)
        _large(figure, third, first, best, legend, lower, wearer)
        return figure
    _matrix(axes, distances, spans, joins, shades, best)
    dark = "dark" if colours().paper == "#ffffff" else "bright"
    legend = [f"{dark}: alike, as the model sees it", "dots: moments joined above"]
    legend += ["star: the best shared moment, as shown"] if best is not None else []
    _large(figure, third, first, best or _nearest(joins, third_times, first_times, distances), legend, lower, wearer)
    return figure


def trace_clock(figure: Figure, clock: Clock) -> None:
    """Draw the true clock, where it is known, as a line through the matrix of distances."""
    for axes in figure.axes:
        if axes.get_label() == MATRIX_LABEL:
            ends = np.linspace(*axes.get_xlim(), 200)
            shown = np.where(clock.in_both(ends), clock.to_first(ends), np.nan)  # no line where nothing corresponds
            axes.plot(ends, shown, color=colours().right, linewidth=1.4, zorder=2, gid="clock")


def _strip(figure: Figure, video: Video, view: View, span: Span, top: float) -> Axes:
    """Draw one film strip: frames side by side, each from the middle of its share of the time."""
    height, width = thumbnails(video, [span[0]]).shape[1:3]
    count = max(3, round(LONG / (STRIP * width / height)))
    cell = LONG / count
    times = span[0] + (np.arange(count) + 0.5) / count * (span[1] - span[0])
    for number, picture in enumerate(thumbnails(video, times)):
        frame = box(figure, MARGIN + number * cell, top, cell, STRIP)
        show_frame(frame, picture, colours().paper, 1.0)
    strip = box(figure, MARGIN, top, LONG, STRIP, xlim=span, ylim=(0, 1), facecolor="none", zorder=3)
    strip.set_yticks([])
    hue = colours().of(view)
    for side, spine in strip.spines.items():
        spine.set(visible=side in ("top", "bottom"), color=hue, linewidth=2.5)
    up = view == "third"
    strip.xaxis.set_ticks_position("top" if up else "bottom")
    strip.tick_params(axis="x", length=0, pad=2, labelcolor=colours().faint)
    ticks = [tick for tick in mpl.ticker.MaxNLocator(5).tick_values(*span) if span[0] <= tick <= span[1]]
    ticks = [tick for tick in ticks if 0.36 < (tick - span[0]) / (span[1] - span[0]) < 0.97]
    strip.set_xticks(ticks, [f"{tick:g} s" for tick in ticks])
    place = (0, 1.06) if up else (0, -0.08)
    strip.text(
        *place,
        NAMES[view],
        transform=strip.transAxes,
        color=hue,
        va="bottom" if up else "top",
        weight="bold",
        gid="name",
    )
    return strip


def _join(figure: Figure, above: Axes, below: Axes, at_third: float, at_first: float, hue: Any, thick: float) -> None:
    """Draw a line from the bottom of one strip to the top of the other, with a small tick on each."""
    line = ConnectionPatch((at_third, 0), (at_first, 1), "data", "data", axesA=above, axesB=below, zorder=5)
    line.set(color=hue, linewidth=thick, gid="join", capstyle="round")
    figure.add_artist(line)


def _matrix(
    axes: Axes,
    distances: NDArray[Any],
    spans: tuple[Span, Span],
    joins: Sequence[tuple[float, float]],
    shades: Sequence[Any],
    best: tuple[float, float] | None,
) -> None:
    axes.set_label(MATRIX_LABEL)
    axes.imshow(distances.T, extent=(*spans[0], *spans[1]), origin="lower", aspect="auto", cmap=colours().near)
    if joins:
        third, first = zip(*joins, strict=True)
        size = 26 if len(joins) <= 24 else 9
        axes.scatter(
            third, first, size, shades, edgecolors=colours().paper, linewidths=0.6, zorder=3, gid="joins", clip_on=False
        )
    if best is not None:
        axes.scatter(
            *best, 150, colours().first, marker="*", edgecolors=colours().paper, linewidths=0.8, zorder=4, clip_on=False
        )
    axes.set(xlim=spans[0], ylim=spans[1])
    axes.set_xlabel("observer’s time (s)", color=colours().third)
    axes.set_ylabel("actor’s time (s)", color=colours().first)
    axes.locator_params(nbins=5)


def _large(
    figure: Figure,
    third: Video,
    first: Video,
    moment: tuple[float, float] | None,
    legend: Sequence[str],
    top: float,
    wearer: Box | None,
) -> None:
    """Draw the best moment larger, a frame round the wearer, and a legend."""
    left = 0.5 + MATRIX + 0.35
    room = (WIDTH - MARGIN - left - 0.1) / 2
    lines = [*legend, *(["frame: where the wearer is"] if wearer and moment else [])]
    if moment is not None:
        for number, (video, view, time) in enumerate(((third, "third", moment[0]), (first, "first", moment[1]))):
            (picture,) = thumbnails(video, [time])
            most = MATRIX - 0.16 * len(lines) - 0.22  # what the legend leaves
            high = min(1.35, most, room * picture.shape[0] / picture.shape[1])
            wide = high * picture.shape[1] / picture.shape[0]
            axes = box(figure, left + number * (room + 0.1) + (room - wide) / 2, top, wide, high)
            show_frame(axes, picture, colours().of(view))
            axes.set_xlabel(f"{time:.1f} s", color=colours().of(view))
            if wearer and view == "third":
                _frame(axes, wearer, picture.shape[:2])
    foot = box(figure, left, top + MATRIX - 0.62, 2 * room, 0.62)
    foot.axis("off")
    foot.text(0, 0, "\n".join(lines), va="bottom", fontsize=9, color=colours().faint, linespacing=1.35)


def _frame(axes: Axes, wearer: Box, shape: tuple[int, ...]) -> None:
    """A soft frame round the wearer in a picture (H, W)."""
    left, top, right, bottom = (side * whole for side, whole in zip(wearer, (*shape[::-1], *shape[::-1]), strict=True))
    for width, strength in ((5.0, 0.25), (2.0, 0.9)):
        corner, colour = (left - 0.5, top - 0.5), colours().first
        axes.add_patch(
            Rectangle(corner, right - left, bottom - top, fill=False, edgecolor=colour, linewidth=width, alpha=strength)
        )


def _span(times: NDArray[Any]) -> Span:
    """The stretch of time that embedded frames stand for: theirs, and half a step more at each end."""
    half = float(times[1] - times[0]) / 2 if len(times) > 1 else 0.5
    return max(0.0, float(times[0]) - half), float(times[-1]) + half


def _shades(joins: Sequence[tuple[float, float]], span: Span) -> list[Any]:
    low, high = colours().order
    shares = [np.clip((third - span[0]) / (span[1] - span[0]), 0, 1) for third, _ in joins]
    return [mpl.colormaps["viridis"](low + share * (high - low)) for share in shares]


def _nearest(
    joins: Sequence[tuple[float, float]], third: NDArray[Any], first: NDArray[Any], distances: NDArray[Any]
) -> tuple[float, float] | None:
    """The join with the smallest distance, or None without joins."""
    if not joins:
        return None
    return min(joins, key=lambda join: distances[np.abs(third - join[0]).argmin(), np.abs(first - join[1]).argmin()])

"""What moves when in every recording, one below the other, on the common clock: in step, the bumps stand in line."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from actor_observer.alignment.cameras.traces import Trace
from actor_observer.console import printable
from actor_observer.pictures.figures.parts.style import colours, in_style, sheet

__all__ = ["draw_traces"]

HEIGHT = 0.95  # inches of a row


@in_style
def draw_traces(traces: Sequence[Trace], title: str) -> Figure:
    """One row for each curve.

    >>> import numpy as np
    >>> at = np.linspace(0, 9, 50)
    >>> len(draw_traces([Trace("imu.csv", "signal", at, np.abs(np.sin(at)))], "in step").axes)
    1
    """
    figure = sheet(0.8 + HEIGHT * max(1, len(traces)))
    figure.set_layout_engine("constrained")
    hues = colours()
    colour_of = {"room": hues.third, "head": hues.first, "signal": hues.right}
    rows = figure.subplots(max(1, len(traces)), 1, sharex=True, squeeze=False)[:, 0]
    for axes, trace in zip(rows, traces, strict=False):
        colour = colour_of.get(trace.role, hues.faint)
        axes.fill_between(trace.times, trace.values, color=colour, alpha=0.25, linewidth=0)
        axes.plot(trace.times, trace.values, color=colour, linewidth=0.9)
        axes.set(ylim=(0, 1.05), yticks=[])
        axes.set_title(f"{printable(trace.name)}, {trace.role}", fontsize=9, loc="left", pad=2)
        axes.spines[["top", "right", "left"]].set_visible(False)
    rows[-1].set_xlabel("seconds of the common clock; height: how much moves")
    figure.suptitle(title, fontsize=10)
    return figure

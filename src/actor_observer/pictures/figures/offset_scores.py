"""What speaks for each offset between two recordings: a line for each kind of evidence, and the belief in all."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from actor_observer.alignment.result import Scores
from actor_observer.pictures.figures.parts.style import colours

__all__ = ["draw_scores"]

LINES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")  # told apart by people who see few colours
LEAST = 0.05  # of what the loudest kind says: quieter ones are left out


def draw_scores(axes: Axes, scores: Scores) -> list[str]:
    """Draw the log likelihoods by kind over the offset, the belief as a band below; the legend in words is returned.

    >>> from matplotlib.figure import Figure
    >>> offsets = np.linspace(-5, 5, 101)
    >>> hill = np.exp(-(offsets**2))
    >>> draw_scores(Figure().add_subplot(), Scores(offsets, hill / hill.sum(), {"motion": 9 * hill}))
    ['lines: what speaks for each offset', 'blue: motion (+9.0 at the best)', 'grey: the belief in it']
    """
    best = int(scores.belief.argmax())
    said = {name: part - np.median(part) for name, part in scores.kinds.items() if np.ptp(part) > 1e-9}
    loudest = max((float(np.abs(part).max()) for part in said.values()), default=1.0)
    names = ("blue", "orange", "green", "pink", "light blue", "yellow")
    legend = ["lines: what speaks for each offset"]
    shown = sorted(said, key=lambda name: -float(said[name][best]))[: len(LINES)]
    shown = [name for name in shown if float(np.abs(said[name]).max()) >= LEAST * loudest]
    low = min((float(said[name].min()) for name in shown), default=0.0)
    high = max((float(said[name].max()) for name in shown), default=1.0)
    for name, colour, word in zip(shown, LINES, names, strict=False):
        axes.plot(scores.offsets, said[name], color=colour, linewidth=0.9, gid=name)
        legend.append(f"{word}: {name} ({said[name][best]:+.1f} at the best)")
    room = 0.25 * max(high - low, 1e-6)
    band = scores.belief / max(float(scores.belief.max()), 1e-12) * 0.8 * room
    axes.fill_between(scores.offsets, low - room, low - room + band, color=colours().faint, linewidth=0, step="mid")
    axes.axvline(float(scores.offsets[best]), color=colours().faint, linewidth=0.8, linestyle=":")
    axes.set(xlim=(scores.offsets[0], scores.offsets[-1]), ylim=(low - room, high + 0.05 * max(high - low, 1e-6)))
    label = axes.set_xlabel("offset (s)")
    # Above the axis, since numbers of any width stand beside it.
    axes.set_title("log likelihood", loc="left", fontsize=label.get_fontsize(), color=label.get_color())
    axes.locator_params(nbins=5)
    return [*legend, "grey: the belief in it"]

"""The learning curves of a run, from its log."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from actor_observer.pictures.figures.parts.style import WIDTH, box, colours, in_style, sheet

__all__ = ["Curves", "draw_learning_curves", "read_log", "running_mean"]

NOT_LOSSES = ("step", "epoch", "lr", "validation")


@dataclass
class Curves:
    """Losses by name, and the validation score: epochs and values of each."""

    losses: dict[str, list[tuple[float, float]]] = field(default_factory=dict)  # (epoch, value) of every step
    validation: list[tuple[float, float]] = field(default_factory=list)


def read_log(run: str | Path) -> Curves:
    """Read log.jsonl up to the first line that cannot be read; a run without a log has no curves.

    >>> read_log("no-such-run").validation
    []
    """
    path, curves = Path(run) / "log.jsonl", Curves()
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []
    steps = 0
    for text in lines:
        try:
            line = json.loads(text)
            step, epoch = int(line["step"]), float(line["epoch"])
        except (ValueError, KeyError, TypeError):
            break
        if "validation" in line:
            curves.validation.append((epoch, float(line["validation"])))
            steps = steps or step  # of the first epoch that was validated
            continue
        for name, value in line.items():
            if name not in NOT_LOSSES and isinstance(value, int | float) and np.isfinite(value):
                curves.losses.setdefault(name, []).append((step, float(value)))
    for name, points in curves.losses.items():  # from steps to epochs, where the log says how many make one
        per_epoch = steps / curves.validation[0][0] if steps else 1
        curves.losses[name] = [(step / per_epoch, value) for step, value in points]
    return curves


@in_style
def draw_learning_curves(curves: Curves, what: str = "validation") -> Figure:
    """Draw losses on the left and validation on the right, with its best epoch marked.

    >>> drawn = draw_learning_curves(Curves({"loss": [(1, 2.0), (2, 1.0)]}, [(1, 0.5), (2, 0.6)]))
    >>> len(drawn.axes)
    2
    """
    figure = sheet(2.35)
    hues = colours()
    loss = box(figure, 0.55, 0.32, WIDTH / 2 - 0.75, 1.5)
    styles = ((hues.ink, "-"), (hues.third, "-"), (hues.first, "-"), (hues.right, "--"), (hues.faint, ":"))
    for (name, points), (hue, dash) in zip(curves.losses.items(), styles, strict=False):
        x, y = zip(*points, strict=True)
        loss.plot(x, y, color=hue, alpha=0.25, linewidth=0.8)
        loss.plot(x, running_mean(y), color=hue, linestyle=dash, label=name)
    loss.set(title="losses", xlabel="epoch")
    if curves.losses:
        loss.legend(loc="upper right", handlelength=1.4, labelspacing=0.2)
    score = box(figure, WIDTH / 2 + 0.5, 0.32, WIDTH / 2 - 0.65, 1.5)
    score.set(title=f"{what} (%)", xlabel="epoch")
    if curves.validation:
        x, y = zip(*curves.validation, strict=True)
        percent = 100 * np.array(y)
        best = int(percent.argmax())
        score.plot(x, percent, color=hues.third)
        score.scatter(x[best], percent[best], 30, hues.first, zorder=4)
        score.set_ylim(min(48.0, percent.min() - 2), percent.max() + 0.25 * max(4, np.ptp(percent)))
        score.annotate(
            f"{percent[best]:.1f}, epoch {x[best]:g}",
            (x[best], percent[best]),
            (0, 6),
            textcoords="offset points",
            ha="right" if x[best] > np.mean(x) else "left",
            color=hues.first,
            fontsize=9,
        )
    return figure


def running_mean(values: Sequence[float]) -> NDArray[np.float64]:
    """The mean of each value and those before it, over a twentieth of the steps.

    >>> running_mean([2.0, 4.0]).tolist()
    [2.0, 4.0]
    """
    width = max(1, len(values) // 20)
    padded = np.concatenate([np.full(width - 1, values[0]), np.asarray(values, dtype=np.float64)])
    return np.convolve(padded, np.ones(width) / width, mode="valid")

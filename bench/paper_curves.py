"""Draw what bench/paper_recipes.py logged: every learning rate that was tried, the losses and the validation quads.

python bench/paper_curves.py OUT [--to docs/results/paper-recipes.png]
"""

from __future__ import annotations

from pathlib import Path

import tyro
from matplotlib.figure import Figure
from tyro.conf import Positional

from actor_observer.pictures.learning_curves import read_log, running_mean
from actor_observer.pictures.save import save_picture
from actor_observer.pictures.style import box, colours, in_style, sheet
from page import PAGE

NAMES = ("two heads", "one head", "transfer")
WIDE, HIGH = 1.6, 1.25  # inches of a panel


def main(out: Positional[Path], to: Path = PAGE.parent / "results" / "paper-recipes.png") -> None:
    print(save_picture(draw(out / "tries"), to))


@in_style
def draw(tries: Path) -> Figure:
    """A column for each recipe: its triplet loss above, its validation quads below."""
    hues = colours()
    figure = sheet(3.6)
    for column, name in enumerate(NAMES):
        left = 0.5 + column * (WIDE + 0.28)
        loss, score = box(figure, left, 0.3, WIDE, HIGH), box(figure, left, 0.3 + HIGH + 0.3, WIDE, HIGH)
        runs = sorted(tries.glob(f"{name} *"), key=lambda run: float(run.name.rpartition(" ")[2]))
        for run, hue in zip(runs, (hues.third, hues.right, hues.first), strict=False):
            curves = read_log(run)
            x, y = zip(*curves.losses["triplet"], strict=True)
            loss.plot(x, running_mean(y), color=hue, label=run.name.rpartition(" ")[2])
            x, y = zip(*curves.validation, strict=True)
            score.plot(x, [100 * value for value in y], color=hue, marker="o", markersize=3)
        loss.set(title=name, xlim=(0, 5.2), ylim=(0.0, 0.62), xticks=range(6), xticklabels=[])
        score.set(xlim=(0, 5.2), ylim=(47, 63), xticks=range(6), xlabel="epoch")
        if column == 0:
            loss.set(ylabel="triplet loss")
            score.set(ylabel="validation quads (%)")
        else:
            loss.set(yticklabels=[])
            score.set(yticklabels=[])
        if column == 1:
            loss.legend(loc="lower right", handlelength=1.2, labelspacing=0.15, title="learning rate", title_fontsize=9)
    return figure


if __name__ == "__main__":
    tyro.cli(main)

"""Draw the logs of bench/paper_recipes.py and put them into docs/results/: every learning rate that was tried.

python bench/paper_curves.py OUT [--to docs/results/paper-recipes.png]
"""

from __future__ import annotations

import os
from pathlib import Path

import tyro
import yaml
from matplotlib.figure import Figure
from tyro.conf import Positional

from actor_observer.pictures.figures.learning_curves import read_log, running_mean
from actor_observer.pictures.figures.parts.save import save_picture
from actor_observer.pictures.figures.parts.style import box, colours, in_style, sheet
from page import RESULTS, write_section
from paper_recipes import ends_of

NAMES = ("two heads", "one head", "transfer")
WIDE, HIGH = 1.6, 1.25  # inches of a panel
HEAD = """| | learning rate (the paper: 3e-5) | batch (15) | batch norm | steps | loss | validation (%) |
|---|---|---|---|---|---|---|"""


def main(out: Positional[Path], to: Path = RESULTS / "paper-recipes.png") -> None:
    save_picture(draw(out / "tries"), to)
    runs = sorted(out.glob("tries/*"), key=lambda run: (order(run), rate_of(run)))
    picture = f"![losses and validation quads of all tries]({os.path.relpath(to, RESULTS)})"
    text = "\n\n".join(["## Every try", picture, "\n".join([HEAD, *map(row, runs)])])
    write_section("paper", text, "python bench/paper_recipes.py OUT; python bench/paper_curves.py OUT")
    print(to)


def row(run: Path) -> str:
    """A row of the table: what was tried, and the result."""
    recipe, curves = yaml.safe_load((run / "recipe.yaml").read_text(encoding="utf-8")), read_log(run)
    losses = [value for _, value in curves.losses["loss"]]
    first, last = ends_of(losses)
    score = ", ".join(f"{100 * value:.1f}" for _, value in curves.validation)
    settings = f"{recipe['optimiser']['lr']:g} | {recipe['batch']} | {recipe['network']['batch_norm']}"
    return f"| {recipe['name']} | {settings} | {len(losses)} | {first:.3f} → {last:.3f} | {score} |"


def rate_of(run: Path) -> float:
    return float(run.name.rpartition(" ")[2])


def order(run: Path) -> int:
    names = ("classifier", *NAMES)
    name = run.name.rpartition(" ")[0]
    return names.index(name) if name in names else len(names)


@in_style
def draw(tries: Path) -> Figure:
    """Draw a column for each recipe: triplet loss above, validation quads below."""
    hues = colours()
    figure = sheet(3.6)
    for column, name in enumerate(NAMES):
        left = 0.5 + column * (WIDE + 0.28)
        loss, score = box(figure, left, 0.3, WIDE, HIGH), box(figure, left, 0.3 + HIGH + 0.3, WIDE, HIGH)
        runs = sorted(tries.glob(f"{name} *"), key=rate_of)
        logs = {run: read_log(run) for run in runs}
        for (run, curves), hue in zip(logs.items(), (hues.third, hues.right, hues.first), strict=False):
            x, y = zip(*curves.losses["triplet"], strict=True)
            loss.plot(x, running_mean(y), color=hue, label=f"{rate_of(run):g}")
            x, y = zip(*curves.validation, strict=True)
            score.plot(x, [100 * value for value in y], color=hue, marker="o", markersize=3)
        epochs = max((epoch for curves in logs.values() for epoch, _ in curves.validation), default=1)
        loss.set(title=name, xlim=(0, 1.04 * epochs), ylim=(0.0, 0.62), xticklabels=[])
        score.set(xlim=(0, 1.04 * epochs), ylim=(47, 63), xlabel="epoch")
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

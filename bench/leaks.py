"""Show every leak of the published protocols on pure noise, measured by the library's own evaluation.

    python bench/leaks.py        # draws docs/protocols/*.png

docs/protocols.md explains each picture. Everything is seeded.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import numpy as np
import torch
import tyro
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from actor_observer.evaluation import accuracy, quad_distances
from actor_observer.evaluation.measures.published_rules import published_triplets
from actor_observer.evaluation.tables.correspondence_tables import quad_weight
from actor_observer.features import Embeddings, TakeEmbedding
from actor_observer.sampling import quads
from leaks_noise import CLASSES, border_choices, label_leak, learn_heads, noise_pairs, small_tests

OUT = Path(__file__).parent.parent / "docs" / "protocols"
RED, BLUE, GREY = "#b3261e", "#1f5fa8", "#767676"
SHARES = (1.0, 0.5, 0.2, 0.1, 0.05)


def role_leak(axes: Axes) -> dict[str, float]:
    """Train two heads on noise: the score of the triplets of highest weight, as published and on quads."""
    network = learn_heads(noise_pairs(60, seed=1))
    manifest, noise = noise_pairs(120, seed=2)
    embeddings = network(noise)
    found = published_triplets(embeddings, manifest, manifest.pairs)
    asked, _ = quads(manifest, manifest.pairs, per_pair=60)
    distances = quad_distances(embeddings, asked, manifest.pairs)
    weight = quad_weight(embeddings, asked, manifest.pairs)
    lines = {
        "published: noise, two heads": (RED, "-", [found.score(share) for share in SHARES]),
        "the same, x thrown away": (RED, ":", [found.blind_score(share) for share in SHARES]),
        "fair: the same noise and heads, on quads": (
            *(BLUE, "-"),
            [accuracy(distances.right(), distances.pair, weight, share) for share in SHARES],
        ),
    }
    place = np.arange(len(SHARES))
    for name, (colour, style, scores) in lines.items():
        axes.plot(place, [one.value for one in scores], style, color=colour, label=name, marker="o", markersize=4)
        axes.fill_between(place, [one.low for one in scores], [one.high for one in scores], color=colour, alpha=0.12)
    axes.axhline(0.5, color=GREY, linewidth=0.8)
    axes.set_xticks(place, ["all", *(f"{share:.0%}" for share in SHARES[1:])])
    axes.set(xlabel="share of highest weight", ylabel="right", ylim=(0.4, 1.02))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.legend(loc="upper left")
    return {name: scores[-1].value for name, (_, _, scores) in lines.items()}


def position_leak(axes: Axes) -> dict[str, float]:
    """The best guess from the positions of z and z', for videos of every length."""
    lengths = (14, 17, 20, 25, 31, 40, 50, 60)
    scores: dict[str, list[float]] = {"published": [], "fair": []}
    for length in lengths:
        manifest, noise = noise_pairs(100, seed=length, length=float(length), size=4)
        scores["published"].append(published_triplets(noise, manifest, manifest.pairs).position_score().value)
        asked, _ = quads(manifest, manifest.pairs, per_pair=60)
        distances = quad_distances(by_position(noise, length), asked, manifest.pairs)
        scores["fair"].append(float(distances.right().mean()))
    axes.plot(lengths, scores["published"], "o-", color=RED, markersize=4, label="published")
    axes.plot(lengths, scores["fair"], "o-", color=BLUE, markersize=4, label="fair: exactly 50 % on quads")
    axes.set(xlabel="length of the videos (s)", ylabel="right, from positions alone", ylim=(0.4, 1.02))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.legend(loc="upper right")
    return {"published, 31 s": scores["published"][lengths.index(31)], "fair, 31 s": scores["fair"][lengths.index(31)]}


def by_position(embeddings: Embeddings, length: float) -> Embeddings:
    """The same rule as distances: a first-person frame counts as nearer if it is closer to the middle."""
    takes = {}
    for id, take in embeddings.items():
        off = np.abs(take.times - length / 2) if take.view == "first" else np.zeros(len(take.times))
        takes[id] = TakeEmbedding(take.view, take.times, off[:, None])
    return Embeddings(takes)


def border_artefact(left: Axes, right: Axes) -> dict[str, float]:
    """Which cell wins in matrices of independent noise, with clipped and with whole windows."""
    clipped, whole, guess = border_choices(matrices=1500, length=31.0)
    figures = {}
    for axes, chosen, colour, name in ((left, clipped, RED, "published"), (right, whole, BLUE, "fair")):
        error = float(np.median(np.abs(chosen[:, 0] - chosen[:, 1])))
        axes.plot([0, 31], [0, 31], color=GREY, linewidth=0.8)
        axes.plot(*chosen.T, ".", color=colour, markersize=2.5, alpha=0.5)
        windows = "clipped windows" if name == "published" else "whole windows only"
        axes.set(title=f"{name}: {windows}, median error {error:.1f} s", xlim=(0, 31), ylim=(0, 31), aspect="equal")
        axes.set(xlabel="third person (s)", ylabel="first person (s)")
        figures[f"{name}, median error"] = error
    return figures | {"uniform guess, whole windows": guess}


def draw_labels(axes: Axes) -> dict[str, float]:
    """Zero-shot recognition where the third person shows nothing of the class."""
    counts = (25, 50, 100, 200, 300)
    found = {same: [label_leak(count, same) for count in counts] for same in (True, False)}
    names = {True: "labelled clips are the paired clips", False: "labelled clips are others"}
    for same, colour in ((True, RED), (False, BLUE)):
        scores = found[same]
        axes.plot(counts, [one.value for one in scores], "o-", color=colour, markersize=4, label=names[same])
        axes.fill_between(counts, [one.low for one in scores], [one.high for one in scores], color=colour, alpha=0.12)
    axes.axhline(1 / CLASSES, color=GREY, linewidth=0.8, label=f"chance, {CLASSES} classes")
    axes.set(xlabel="training pairs", ylabel="first-person clips named right", ylim=(0, 1.02))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.legend(loc="upper left")
    return {names[same]: found[same][-1].value for same in (True, False)}


def draw_tests(axes: Axes) -> dict[str, float]:
    """The mAP of one and the same method on test sets of several sizes."""
    sizes = (50, 103, 200, 400, 800)
    scores = {size: small_tests(size, draws=40) for size in sizes}
    for place, size in enumerate(sizes):
        jitter = np.random.default_rng(place).uniform(-0.15, 0.15, len(scores[size]))
        axes.plot(place + jitter, scores[size], ".", color=RED if size == 103 else BLUE, markersize=5, alpha=0.7)
    axes.set_xticks(range(len(sizes)), [f"{size} videos" for size in sizes])
    axes.set(ylabel="mAP of the same method")
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    return {f"spread with {size} videos (sd)": float(np.std(scores[size])) for size in (103, 800)}


PICTURES: dict[str, tuple[Callable[..., dict[str, float]], int]] = {
    "role-leak": (role_leak, 1),
    "position-leak": (position_leak, 1),
    "border-artefact": (border_artefact, 2),
    "label-leak": (draw_labels, 1),
    "small-test": (draw_tests, 1),
}


def main(out: Path = OUT, only: tuple[str, ...] = tuple(PICTURES)) -> None:
    """Draw the pictures, and print their figures."""
    torch.set_num_threads(1)
    out.mkdir(parents=True, exist_ok=True)
    pyplot.rcParams.update({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False})
    pyplot.rcParams.update({"legend.frameon": False, "axes.titlesize": 9})
    for name in only:
        draw, panels = PICTURES[name]
        size = (6.4, 3.2) if panels == 1 else (7.6, 4.0)
        figure, axes = pyplot.subplots(1, panels, figsize=size, layout="constrained", squeeze=False)
        shown = draw(*axes[0])
        figure.savefig(out / f"{name}.png", dpi=110)
        pyplot.close(figure)
        print(f"{name}: " + "; ".join(f"{what} {value:.3f}" for what, value in shown.items()), flush=True)


if __name__ == "__main__":
    tyro.cli(main)

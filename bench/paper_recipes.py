"""Train the paper's recipes end to end on a playhouse set, and judge them side by side.

    python bench/paper_recipes.py OUT [--pairs 360] [--labelled 120] [--epochs 6]

Makes a set (frames at 4 a second; seed 11) unless OUT/set is there, pre-trains MobileNetV2 on third-person labels as
the paper does with its backbone, then trains `paper-correspondence` with two first-person heads and with one, and
`paper-transfer`, from there. The paper's learning rate of 3e-5 is for a ResNet-152 at batch 15; what is used instead is
printed. Last, a few steps of ResNet-152 from random weights, only to show that the recipe runs. Judged on the test
split: OUT/tables.json and OUT/tables.md.
"""

from __future__ import annotations

import time
from pathlib import Path

import torch
import tyro
from rich.console import Console
from tyro.conf import Positional

from actor_observer.pairs import read_manifest
from actor_observer.playhouse import make
from actor_observer.training import Recipe, recipe_named, train, with_settings
from actor_observer.training.verdict import judge_subjects

BACKBONE = [
    "network.backbone=mobilenet_v2",
    "size=168",
    "decode=168",
    "crop=whole",
    "network.selector_scale=0.5",
    "compile=false",
]


def recipes(epochs: int, batch: int, rate: float) -> dict[str, Recipe]:
    """The runs, by folder; each starts from the classifier."""
    ours = [*BACKBONE, f"epochs={epochs}", f"batch={batch}", f"optimiser.lr={rate}", "optimiser.drop_every=3"]
    crops = ["crops.third_scale=0.3,1.0"]  # a crop of 8 % of these frames shows nothing
    plans = {
        "two heads": ("paper-correspondence", ["network.heads=separate"]),
        "one head": ("paper-correspondence", ["network.heads=shared"]),
        "transfer": ("paper-transfer", []),
    }
    return {
        folder: with_settings(recipe_named(recipe), [*ours, *crops, *more, f"name={recipe}, {folder}"])
        for folder, (recipe, more) in plans.items()
    }


def main(
    out: Positional[Path],
    pairs: int = 360,
    labelled: int = 120,
    epochs: int = 6,
    batch: int = 60,
    rate: float = 3e-3,
    classifier_rate: float = 0.03,
    classifier_epochs: int = 12,
    resnet: bool = True,
) -> None:
    started = time.monotonic()

    def say(what: str) -> None:
        print(f"[{time.monotonic() - started:4.0f} s] {what}", flush=True)

    data = out / "set"
    if not (data / "splits.csv").exists():
        made = make(data, pairs=pairs, seed=11, fps=4.0, labelled=labelled, different=("test",), quiet=True)
        say(f"set: {made.takes} takes, {made.frames} frames at {made.frames_per_second:.0f} a second")
    manifest = read_manifest(data)
    say(f"learning rates: classifier {classifier_rate}, triplets {rate} at batch {batch} (the paper: 3e-5 at batch 15)")
    settings = [*BACKBONE, f"optimiser.lr={classifier_rate}", f"epochs={classifier_epochs}", "optimiser.drop_every=5"]
    classifier = with_settings(recipe_named("paper-classifier"), [*settings, "crops.third_scale=0.3,1.0", "rate=2"])
    train(classifier, manifest, out / "classifier", quiet=True)
    say("classifier trained")
    runs = []
    for folder, recipe in recipes(epochs, batch, rate).items():
        train(with_settings(recipe, [f"init={out / 'classifier'}"]), manifest, out / folder, quiet=True)
        runs.append(out / folder)
        say(f"{recipe.name} trained")
    verdict = judge_subjects([*runs], data, cache=out / "cache")
    verdict.write(out)
    for table in verdict.tables.values():
        Console(width=150).print(table.as_rich())
    if resnet and torch.cuda.is_available():
        short = ["init=random", "epochs=1", "rate=0.1", "validate_every=9", "compile=false"]
        train(with_settings(recipe_named("paper-correspondence"), short), manifest, out / "resnet152", quiet=True)
        say("ResNet-152 from random weights: a short epoch of the paper's own settings ran, no more is shown")


if __name__ == "__main__":
    tyro.cli(main)

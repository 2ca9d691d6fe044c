"""Train the paper's recipes end to end on a playhouse set, from MobileNetV2.

    python bench/paper_recipes.py OUT [--train-pairs 160] [--test 104] [--labelled 60] [--epochs 5]
    actor-observer evaluate OUT/classifier "OUT/two heads" "OUT/one head" OUT/transfer --data OUT/set --out OUT

It makes a set (seed 77, 4 frames a second) unless OUT/set exists, pre-trains the backbone on third-person labels as the
paper does with its own, then trains `paper-correspondence` with two first-person heads and with one, and
`paper-transfer`, from there. The paper's learning rate of 3e-5 is for a ResNet-152 at batch 15: several are tried, side
by side on one device; the best on the validation pairs is kept as OUT/NAME, the others stay in OUT/tries. With a GPU,
a few steps of ResNet-152 from random weights show that the recipe runs.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import torch
import tyro
from tyro.conf import Positional

from actor_observer.pairs import read_manifest
from actor_observer.playhouse import make
from actor_observer.training import recipe_named, train, with_settings

OURS = [
    "network.backbone=mobilenet_v2",
    "network.selector_scale=0.5",
    "size=160",
    "decode=168",
    "crop=whole",
    "frames=memory",
    "look_rate=4",
    "crops.third_scale=0.3,1.0",  # a crop of 8 % of these small frames shows nothing
    "optimiser.warmup=30",
    "compile=false",
]


@dataclass(frozen=True)
class Try:
    """One run: a recipe and its changes."""

    name: str
    recipe: str
    rate: str  # the learning rate
    changes: tuple[str, ...]


def classifiers() -> list[Try]:
    """The backbone learns third-person labels; a new classifier may learn faster than what is below it."""
    usual = (*OURS, "epochs=6", "optimiser.drop_every=2", "anchor_rate=2", "validate_every=2", "optimiser.heads=10")
    ways = {"1.2e-4": "frozen", "6e-4": "frozen", "6e-3": "batch"}  # the first is the paper's for four times its batch
    return [
        Try("classifier", "paper-classifier", rate, (*usual, f"network.batch_norm={norm}"))
        for rate, norm in ways.items()
    ]


def correspondences(start: Path, epochs: int) -> list[Try]:
    """The paper's two recipes, the first with two first-person heads and with one."""
    tries = []
    for rate in ("1.2e-4", "6e-4", "3e-3"):
        usual = (*OURS, f"init={start}", f"epochs={epochs}", "validate_every=1", "anchor_rate=1")
        tries += [
            Try("two heads", "paper-correspondence", rate, (*usual, "batch=60", "network.heads=separate")),
            Try("one head", "paper-correspondence", rate, (*usual, "batch=60", "network.heads=shared")),
            Try("transfer", "paper-transfer", rate, (*usual, "batch=90")),
        ]
    return tries


def random_resnet() -> Try:
    changes = (
        "init=random",
        "frames=memory",
        "epochs=1",
        "anchor_rate=0.05",
        "compile=false",
        "size=160",
        "decode=168",
    )
    return Try("ResNet-152 from random weights", "paper-correspondence", "3e-5", changes)


def run(out: Path, this: Try) -> tuple[float, Path]:
    """Train; returns the validation score and the run's folder."""
    started = time.monotonic()
    title = this.recipe if this.name in this.recipe else f"{this.recipe}, {this.name}"
    chosen = with_settings(recipe_named(this.recipe), [*this.changes, f"optimiser.lr={this.rate}", f"name={title}"])
    folder = out / "tries" / f"{this.name} {this.rate}"
    train(chosen, read_manifest(out / "set"), folder, quiet=True, checked=True)
    lines = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    losses = [line["loss"] for line in lines if "loss" in line]
    scores = [100 * line["validation"] for line in lines if "validation" in line]
    first, last = ends_of(losses)
    print(
        f"{this.name}: {len(losses)} steps in {time.monotonic() - started:.0f} s, lr {this.rate} at batch "
        f"{chosen.batch}, batch norm {chosen.network.batch_norm} (the paper: 3e-5 at 15), loss {first:.3f} -> "
        f"{last:.3f}, validation {', '.join(f'{score:.1f}' for score in scores)}",
        flush=True,
    )
    return max(scores, default=0.0), folder


def ends_of(losses: Sequence[float]) -> tuple[float, float]:
    """The mean over the first tenth of the steps, and over the last."""
    tenth = max(1, len(losses) // 10)
    return sum(losses[:tenth]) / tenth, sum(losses[-tenth:]) / tenth


def run_all(out: Path, tries: Sequence[Try]) -> None:
    """Train side by side; the best run of each name is kept under that name."""
    best: dict[str, tuple[float, Path]] = {}
    with ProcessPoolExecutor(len(tries), mp_context=get_context("spawn")) as pool:
        for this, found in zip(tries, pool.map(run, [out] * len(tries), tries), strict=True):
            best[this.name] = max(best.get(this.name, found), found)
    for name, (score, folder) in best.items():
        shutil.copytree(folder, out / name, dirs_exist_ok=True)
        print(f"kept: {folder.name} ({score:.1f} on validation)", flush=True)


def main(
    out: Positional[Path],
    train_pairs: int = 160,
    validation: int = 12,
    test: int = 104,
    labelled: int = 60,
    epochs: int = 5,
) -> None:
    started = time.monotonic()
    if not (out / "set" / "splits.csv").exists():
        pairs = train_pairs + validation + test
        made = make(
            out / "set",
            pairs=pairs,
            seed=77,
            fps=4.0,
            labelled=labelled,
            shares=(train_pairs / pairs, validation / pairs, test / pairs),
            different=(),
            crf=28,
            quiet=True,
            tempo="steady",
        )
        print(f"set: {made.takes} takes, {made.frames} frames at {made.frames_per_second:.0f} a second", flush=True)
    run_all(out, classifiers())
    more = [random_resnet()] if torch.cuda.is_available() else []
    run_all(out, [*correspondences(out / "classifier", epochs), *more])
    print(f"all in {time.monotonic() - started:.0f} s", flush=True)


if __name__ == "__main__":
    tyro.cli(main)

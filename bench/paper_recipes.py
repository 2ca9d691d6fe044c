"""Train the paper's recipes end to end on a playhouse set, from MobileNetV2.

    python bench/paper_recipes.py OUT [--train 160] [--test 104] [--labelled 60] [--epochs 5]
    actor-observer evaluate "OUT/two heads" "OUT/one head" OUT/transfer --data OUT/set --out OUT

Makes a set (seed 77, 4 frames a second) unless OUT/set is there, pre-trains the backbone on third-person labels as the
paper does with its own, then trains `paper-correspondence` with two first-person heads and with one, and
`paper-transfer`, from there, side by side on one device. The paper's learning rate of 3e-5 is for a ResNet-152 at batch
15; what is used instead is printed. At 0.002 and above, with frozen batch norm, the classifier collapsed (φ constant,
every triplet at 0.5); the defaults are the paper's rate for a batch of 60, and have not been tried on a GPU yet. With a
GPU also a few steps of ResNet-152 from random weights, only to show that the recipe runs.
"""

from __future__ import annotations

import json
import time
from concurrent.futures import ProcessPoolExecutor
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
    "frame_rate=4",
    "crops.third_scale=0.3,1.0",  # a crop of 8 % of these small frames shows nothing
    "optimiser.warmup=30",
    "compile=false",
]


def plans(out: Path, epochs: int, rate: float, classifier_rate: float) -> dict[str, tuple[str, list[str]]]:
    """Folder -> the recipe it is made by, and what is changed in it."""
    classify = [*OURS, "epochs=10", "optimiser.drop_every=4", f"optimiser.lr={classifier_rate}", "rate=2"]
    ours = [*OURS, f"init={out / 'classifier'}", f"epochs={epochs}", f"optimiser.lr={rate}", "batch=60"]
    random = ["init=random", "frames=memory", "epochs=1", "rate=0.02", "compile=false", "size=160", "decode=168"]
    return {
        "classifier": ("paper-classifier", [*classify, "validate_every=5"]),
        "two heads": ("paper-correspondence", [*ours, "network.heads=separate", "validate_every=9"]),
        "one head": ("paper-correspondence", [*ours, "network.heads=shared", "validate_every=9"]),
        "transfer": ("paper-transfer", [*ours, "batch=90", "validate_every=9"]),
        "ResNet-152, random": ("paper-correspondence", [*random, "validate_every=9"]),
    }


def run(out: Path, folder: str, recipe: str, changes: list[str]) -> str:
    """Train one of the plans; a line on how it went."""
    started = time.monotonic()
    chosen = with_settings(recipe_named(recipe), [*changes, f"name={recipe} ({folder})"])
    train(chosen, read_manifest(out / "set"), out / folder, quiet=True, checked=True)
    lines = [json.loads(line) for line in (out / folder / "log.jsonl").read_text().splitlines()]
    losses = [line["loss"] for line in lines if "loss" in line]
    scores = [f"{100 * line['validation']:.1f}" for line in lines if "validation" in line]
    tenth = max(1, len(losses) // 10)
    first, last = sum(losses[:tenth]) / tenth, sum(losses[-tenth:]) / tenth
    return (
        f"{folder}: {len(losses)} steps in {time.monotonic() - started:.0f} s, lr {chosen.optimiser.lr:g} at batch "
        f"{chosen.batch} (the paper: 3e-5 at 15), loss {first:.3f} -> {last:.3f}, validation {', '.join(scores)}"
    )


def main(
    out: Positional[Path],
    train_pairs: int = 160,
    validation: int = 12,
    test: int = 104,
    labelled: int = 60,
    epochs: int = 5,
    rate: float = 1.2e-4,  # the paper's, for four times its batch
    classifier_rate: float = 1.2e-4,
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
        )
        print(f"set: {made.takes} takes, {made.frames} frames at {made.frames_per_second:.0f} a second", flush=True)
    todo = plans(out, epochs, rate, classifier_rate)
    print(run(out, "classifier", *todo.pop("classifier")), flush=True)
    if not torch.cuda.is_available():
        del todo["ResNet-152, random"]
    with ProcessPoolExecutor(len(todo), mp_context=get_context("spawn")) as pool:
        for line in pool.map(run, [out] * len(todo), todo, *zip(*todo.values(), strict=True)):
            print(line, flush=True)
    print(f"all in {time.monotonic() - started:.0f} s", flush=True)


if __name__ == "__main__":
    tyro.cli(main)

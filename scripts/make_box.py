"""Make the model in the box from a run: training state dropped, 8-bit differences from ImageNet.

    python scripts/make_box.py RUN [DATA...] [--out FOLDER]
    python bench/calibrate.py HELD_OUT_DATA                  # then, for confidence.json

With DATA the classifier learns anew from the labelled takes of all of them (its decay was chosen on validation pairs);
without, it stays the run's own.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import tyro
from tyro.conf import Positional

from actor_observer.features import FeatureCache, Look, embed_features
from actor_observer.model.device import best_device
from actor_observer.model.loading import load
from actor_observer.model.network import ActorObserverNet
from actor_observer.model.pretrained import BOX, WEIGHTS
from actor_observer.pairs import read_manifest
from actor_observer.training.after.refit import refit_classifier
from actor_observer.training.planning.material import choose_material
from actor_observer.training.planning.recipes import recipe_named

LIMIT = 12_000_000  # bytes


def main(run: Positional[Path], data: Positional[tuple[Path, ...]] = (), out: Path = BOX) -> None:
    """Fit the classifier, shrink the weights, write the model."""
    network = load(run)
    if data:
        fit_classifier(network, data)
    network.reset_state(videos=0)
    with tempfile.TemporaryDirectory() as folder:
        network.save_pretrained(folder, compact=True)
        size = (Path(folder) / WEIGHTS).stat().st_size
        if size > LIMIT:
            raise SystemExit(f"{size} bytes are more than the {LIMIT} allowed")
        shutil.copytree(folder, out, dirs_exist_ok=True)
    print(f"{out}: {size / 1e6:.2f} MB; its confidence.json is still the old one; next: python bench/calibrate.py DATA")


def fit_classifier(network: ActorObserverNet, data: Sequence[Path]) -> None:
    """Fit the classifier on the labelled takes of all these sets."""
    recipe = recipe_named("quick")
    look = Look.of_network(network.config, recipe.look_rate)
    labelled = [
        replace(take, id=f"{number}/{take.id}")  # two sets may use the same id
        for number, folder in enumerate(data)
        for take in choose_material(recipe, read_manifest(folder)).labelled
    ]
    phi, faults = FeatureCache().features(
        network.config.backbone, network.backbone, labelled, look, best_device("auto")
    )
    for fault in faults.values():
        print(fault)
    labelled = [take for take in labelled if take.id not in faults]
    left = refit_classifier(network, embed_features(network, phi), labelled)
    print(f"classifier: {len(labelled)} labelled takes, cross-entropy {left:.2f}")


if __name__ == "__main__":
    tyro.cli(main)

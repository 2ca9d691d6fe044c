"""Make the model in the box from a run: its classifier fitted anew, no training state, 8-bit differences from ImageNet.

    python scripts/make_box.py RUN DATA... [--out FOLDER]

The classifier learns from the labelled takes of all DATA. Its decay was chosen on validation pairs.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import tyro
from tyro.conf import Positional

from actor_observer.features import FeatureCache, Look, embed_features
from actor_observer.features.device import best_device
from actor_observer.model.network import load
from actor_observer.model.pretrained import BOX
from actor_observer.pairs import read_manifest
from actor_observer.training.material import choose_material
from actor_observer.training.recipes import recipe_named
from actor_observer.training.refit import refit_classifier

LIMIT = 3_000_000  # bytes


def main(run: Positional[Path], data: Positional[tuple[Path, ...]], out: Path = BOX) -> None:
    """Fit, shrink, write."""
    network, recipe = load(run), recipe_named("quick")
    look = Look.of_network(network.config, recipe.frame_rate)
    labelled = [
        replace(take, id=f"{number}/{take.id}")  # two sets may use one name
        for number, folder in enumerate(data)
        for take in choose_material(recipe, read_manifest(folder)).labelled
    ]
    phi, _ = FeatureCache().features(network.config.backbone, network.backbone, labelled, look, best_device("auto"))
    left = refit_classifier(network, embed_features(network, phi), labelled)
    print(f"classifier: {len(labelled)} labelled takes, cross-entropy {left:.2f}")
    network.reset_state(videos=0)
    network.save_pretrained(out, compact=True)
    size = (out / "model.safetensors").stat().st_size
    print(f"{out}: {size / 1e6:.2f} MB")
    if size > LIMIT:
        raise SystemExit(f"{size} bytes are more than the {LIMIT} allowed")


if __name__ == "__main__":
    tyro.cli(main)

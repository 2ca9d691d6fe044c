"""Make the model in the box from a run: its classifier fitted anew, no training state, 8-bit differences from ImageNet.

python scripts/make_box.py RUN DATA [FOLDER]

DATA is what the run was trained on. The classifier's decay was chosen on its validation pairs.
"""

from __future__ import annotations

import sys
from pathlib import Path

from actor_observer.features import FeatureCache, Look, embed_features
from actor_observer.model.network import load
from actor_observer.model.pretrained import BOX
from actor_observer.pairs import read_manifest
from actor_observer.training.material import choose_material
from actor_observer.training.recipes import recipe_named
from actor_observer.training.refit import refit_classifier

LIMIT = 3_000_000  # bytes


def main(run: Path, data: Path, folder: Path) -> None:
    network, recipe = load(run), recipe_named("quick")
    labelled = choose_material(recipe, read_manifest(data)).labelled
    look = Look.of_network(network.config, recipe.frame_rate)
    phi, _ = FeatureCache().features(network.config.backbone, network.backbone, labelled, look)
    left = refit_classifier(network, embed_features(network, phi), labelled)
    print(f"classifier: {len(labelled)} labelled takes, cross-entropy {left:.2f}")
    network.reset_state(videos=0)
    network.save_pretrained(folder, compact=True)
    size = (folder / "model.safetensors").stat().st_size
    print(f"{folder}: {size / 1e6:.2f} MB")
    if size > LIMIT:
        raise SystemExit(f"{size} bytes are more than the {LIMIT} allowed")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]) if len(sys.argv) > 3 else BOX)

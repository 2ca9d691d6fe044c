"""Make the model in the box from a run: no training state, 8-bit differences from ImageNet's weights.

python scripts/make_box.py RUN [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

from actor_observer.model.network import load
from actor_observer.model.pretrained import BOX

LIMIT = 3_000_000  # bytes


def main(run: Path, folder: Path) -> None:
    network = load(run)
    network.reset_state(videos=0)
    network.save_pretrained(folder, compact=True)
    size = (folder / "model.safetensors").stat().st_size
    print(f"{folder}: {size / 1e6:.2f} MB")
    if size > LIMIT:
        raise SystemExit(f"{size} bytes are more than the {LIMIT} allowed")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else BOX)

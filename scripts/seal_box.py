"""Take the sums of the files in the box: after any of them was replaced by hand.

    python scripts/seal_box.py [FOLDER]

What writes them through the package (the calibrations in `bench/`, `train_motion_head.py`) does it by itself.
"""

from __future__ import annotations

from pathlib import Path

import tyro
from tyro.conf import Positional

from actor_observer.model.box import seal
from actor_observer.model.pretrained import BOX


def main(folder: Positional[Path] = BOX) -> None:
    changed = seal(folder)
    print(f"{folder}: sealed; new sums: {', '.join(changed) or 'none'}")


if __name__ == "__main__":
    tyro.cli(main)

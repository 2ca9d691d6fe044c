"""Make a set whose two cameras recorded one performance, of people and homes that no training pair shows.

    python bench/together_set.py OUT [--pairs 42] [--seed 40]

All but one of the pairs are of the test split's actors, homes and looks (one is validation's). For bench/align.py.
"""

from __future__ import annotations

from pathlib import Path

import tyro
from tyro.conf import Positional

from actor_observer.playhouse import make


def main(out: Positional[Path], pairs: int = 42, seed: int = 40, fps: float = 6.0, workers: int | None = None) -> None:
    shares = (0.0, 1 / pairs, 1 - 1 / pairs)
    made = make(out, pairs=pairs, seed=seed, fps=fps, together=True, shares=shares, workers=workers)
    print(f"{out}: {made.takes} takes, {made.frames} frames")


if __name__ == "__main__":
    tyro.cli(main)

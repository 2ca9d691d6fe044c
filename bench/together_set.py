"""Make a set whose two cameras recorded one performance, of people and homes that no training pair shows.

    python bench/together_set.py OUT [--pairs 42] [--seed 40] [--split test]

All but one of the pairs are of the test split's actors, homes and looks (one is validation's). For bench/align.py. With
`--split validation` all but one are validation's: what the shares of evidence were chosen on (60 pairs, seed 90).
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import tyro
from tyro.conf import Positional

from actor_observer.playhouse import make


def main(
    out: Positional[Path],
    pairs: int = 42,
    seed: int = 40,
    split: Literal["validation", "test"] = "test",
    fps: float = 6.0,
    workers: int | None = None,
) -> None:
    shares = (0.0, 1 / pairs, 1 - 1 / pairs) if split == "test" else (0.0, 1.0, 0.0)
    made = make(out, pairs=pairs, seed=seed, fps=fps, together=True, shares=shares, workers=workers)
    print(f"{out}: {made.takes} takes, {made.frames} frames")


if __name__ == "__main__":
    tyro.cli(main)

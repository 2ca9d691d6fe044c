"""Make a set whose two cameras recorded one performance, of people and homes that no training pair shows.

    python bench/together_set.py OUT [--pairs 42] [--seed 40] [--split test] [--free-rate]

As two real cameras do, both run at the same speed to within 100 parts per million, one starts 2 to 8 s after the other,
and their frame rates differ (24 and 30). `--free-rate` makes the set of earlier versions: the head camera's clock runs
0.9 to 1.1 times as fast, at 6 and 7.5 frames a second.

All but one of the pairs are of the test split's actors, homes and looks (one is validation's). For bench/align.py. With
`--split validation` all but one are validation's: what the shares of evidence were chosen on (60 pairs, seed 90).
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import tyro
from tyro.conf import Positional

from actor_observer.playhouse import make

SAME_SPEED, FREE_RATE = (1 - 100e-6, 1 + 100e-6), (0.9, 1.1)


def main(
    out: Positional[Path],
    pairs: int = 42,
    seed: int = 40,
    split: Literal["validation", "test"] = "test",
    free_rate: bool = False,
    fps: float | None = None,
    workers: int | None = None,
) -> None:
    shares = (0.0, 1 / pairs, 1 - 1 / pairs) if split == "test" else (0.0, 1.0, 0.0)
    rates, usual = (FREE_RATE, 6.0) if free_rate else (SAME_SPEED, 24.0)
    made = make(
        out, pairs=pairs, seed=seed, fps=fps or usual, together=True, rates=rates, shares=shares, workers=workers
    )
    print(f"{out}: {made.takes} takes, {made.frames} frames")


if __name__ == "__main__":
    tyro.cli(main)

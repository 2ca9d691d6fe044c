"""The rendered sets that docs/results/ learns from and is judged on.

    python bench/learning_sets.py OUT [--only judged fresh backbone heads] [--fps 2] [--small] [--tempo free]

OUT/judged is the set of `bench/paper_recipes.py` (seed 77: 160 training, 12 validation and 104 test pairs, 60 labelled
takes). OUT/fresh (seed 8) has 300 training and 60 validation pairs and 600 labelled takes that the model in the box
never saw: heads that are fitted after it learn from these. OUT/backbone (seed 9) and OUT/heads (seed 10) are what the
box's backbone and its projections learn from. `--small` makes a few takes of each, to try commands with.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tyro
from tyro.conf import Positional

from actor_observer.playhouse import make
from actor_observer.playhouse.planner import Tempo

SETS: dict[str, dict[str, Any]] = {
    "judged": {"parts": (160, 12, 104), "seed": 77, "fps": 4.0, "labelled": 60},
    "fresh": {"parts": (300, 60, 0), "seed": 8, "fps": 3.0, "labelled": 600},
    "backbone": {"parts": (800, 40, 0), "seed": 9, "fps": 3.0, "labelled": 500},
    "heads": {"parts": (600, 60, 0), "seed": 10, "fps": 3.0, "labelled": 60},
    "heads-free": {"parts": (220, 20, 0), "seed": 3101, "fps": 2.0, "labelled": 0, "tempo": "free"},
    "judged-free": {"parts": (0, 30, 60), "seed": 3102, "fps": 2.0, "labelled": 0, "tempo": "free"},
    "judged-steady": {"parts": (0, 20, 40), "seed": 3103, "fps": 2.0, "labelled": 0, "tempo": "steady"},
}


def main(
    out: Positional[Path],
    only: tuple[str, ...] = ("judged", "fresh"),
    fps: float = 0.0,  # frames a second; 0: the set's own
    small: bool = False,
    workers: int = 0,
    tempo: Tempo | None = None,  # of the performances; without: the set's own, or steady
) -> None:
    for name in only:
        settings = dict(SETS[name])
        parts = tuple(min(part, 6 if small else part) for part in settings["parts"])
        labelled = 6 if small else settings["labelled"]
        pairs = sum(parts)
        made = make(
            out / name,
            pairs=pairs,
            seed=settings["seed"],
            fps=fps or settings["fps"],
            labelled=labelled,
            shares=tuple(part / pairs for part in parts),
            different=(),
            crf=28,
            workers=workers or None,
            tempo=tempo or settings.get("tempo", "steady"),
            quiet=True,
        )
        print(f"{name}: {made.takes} takes, {made.frames} frames at {made.frames_per_second:.0f} a second", flush=True)


if __name__ == "__main__":
    tyro.cli(main)

"""Make playhouse-mini, the small set inside the package, so that demo and tests need no renderer.

    python scripts/make_mini.py [FOLDER] [--tempo steady] [--workers N]

The set in the package is in free tempo. `--tempo steady` makes the one that was in it before, of the same people and
homes; its takes are shorter, so it has more frames a second and is compressed less.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import tyro
from tyro.conf import Positional

from actor_observer.playhouse import make
from actor_observer.playhouse.planner import Tempo

FOLDER = Path(__file__).parents[1] / "src" / "actor_observer" / "playhouse" / "mini"
LIMIT = 8_000_000  # bytes
# `seconds` are of the script's actions, by the book; with pauses, and what comes before and after, takes last about
# 19 s in steady and 36 s in free tempo. Scripts of 9 to 12 s have few quads in free tempo, and most of them in order: a
# rule that does not look gets 71 % of them, and 51 to 57 % from 12 s on (bench/proportion.py).
FORMS: dict[Tempo, dict[str, Any]] = {
    "steady": {"fps": 8.0, "seconds": (11.0, 15.5), "crf": 34},
    "free": {"fps": 4.0, "seconds": (14.0, 18.0), "crf": 36},
}


def main(folder: Positional[Path] = FOLDER, tempo: Tempo = "free", workers: int | None = None) -> None:
    if folder.exists():
        shutil.rmtree(folder)
    made = make(
        folder,
        pairs=60,
        seed=2018,
        size=(192, 144),
        labelled=20,
        shares=(0.6, 0.2, 0.2),
        different=("test",),
        preset="veryslow",
        tempo=tempo,
        workers=workers,
        **FORMS[tempo],
    )
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(f"{folder}: {made.takes} takes, {size / 1e6:.2f} MB, {made.frames_per_second:.0f} frames/s")
    if size > LIMIT:
        raise SystemExit(f"{size} bytes are more than the {LIMIT} allowed")


if __name__ == "__main__":
    tyro.cli(main)

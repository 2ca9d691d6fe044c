"""Make playhouse-mini, the small set inside the package, so that demo and tests need no renderer.

python scripts/make_mini.py [FOLDER]
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from actor_observer.playhouse import make

FOLDER = Path(__file__).parents[1] / "src" / "actor_observer" / "playhouse" / "mini"
LIMIT = 8_000_000  # bytes


def main(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)
    made = make(
        folder,
        pairs=60,
        seed=2018,
        size=(192, 144),
        fps=8.0,
        labelled=20,
        seconds=(11.0, 15.5),  # of the script's actions; with pauses takes last about 20 s
        shares=(0.6, 0.2, 0.2),
        different=("test",),
        crf=34,
        preset="veryslow",
    )
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(f"{folder}: {made.takes} takes, {size / 1e6:.2f} MB, {made.frames_per_second:.0f} frames/s")
    if size > LIMIT:
        raise SystemExit(f"{size} bytes are more than the {LIMIT} allowed")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)

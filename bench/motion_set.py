"""Keep the motion of a set without its videos: small enough to carry from the machine that rendered it.

    python bench/motion_set.py DATA OUT [--most 60]

Writes OUT/pairs.csv and OUT/sigN.npz, for bench/calibrate_align.py and scripts/train_motion_head.py.
"""

from __future__ import annotations

import csv
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import tyro
from tyro.conf import Positional

from actor_observer.frames.motion import Motion, motion_of_take
from actor_observer.pairs import read_manifest
from actor_observer.pairs.clock import Clock
from actor_observer.pairs.manifest import Take

FILES = 2


def read_motion_set(
    folder: Path, splits: tuple[str, ...] = ("train", "validation", "test")
) -> list[tuple[Motion, Motion]]:
    """Both takes' motion of every pair, the first-person one's times in third-person seconds."""
    arrays: dict[str, dict[str, np.ndarray]] = {}
    for path in sorted(folder.glob("sig*.npz")):
        with np.load(path, allow_pickle=False) as file:
            for key in file.files:
                take, name = key.split("/")
                arrays.setdefault(take, {})[name] = file[key]
    found = []
    with (folder / "pairs.csv").open(newline="") as lines:
        for row in csv.DictReader(lines):
            ids = Path(row["third"]).stem, Path(row["first"]).stem
            if row["split"] not in splits or not all(id in arrays for id in ids):
                continue
            clock = Clock.parse(row["clock"])
            third, first = (arrays[id] for id in ids)
            times = np.asarray(clock.to_third(first["times"]), dtype=float)
            both = Motion(third["times"], third["whole"], third["cells"], float(third["times"][-1]))
            found.append((both, Motion(times, first["whole"], first["cells"], float(first["times"][-1]))))
    return found


def measure(take: Take) -> tuple[str, Motion]:
    return take.path.stem, motion_of_take(take)


def main(data: Positional[Path], out: Positional[Path], most: int | None = None) -> None:
    """Measure the motion of all takes, on all cores."""
    manifest = read_manifest(data)
    takes = [manifest.takes[id] for pair in manifest.pairs[:most] for id in (pair.third, pair.first)]
    with ProcessPoolExecutor() as pool:
        found = dict(pool.map(measure, takes))
    out.mkdir(parents=True, exist_ok=True)
    source = data if data.is_file() else data / "pairs.csv"
    (out / "pairs.csv").write_text(source.read_text())
    for part in range(FILES):
        names = sorted(found)[part::FILES]
        arrays = {f"{id}/{name}": getattr(found[id], name) for id in names for name in ("times", "whole", "cells")}
        np.savez_compressed(out / f"sig{part}.npz", **arrays)
    print(f"{out}: {len(found)} takes")


if __name__ == "__main__":
    tyro.cli(main)

"""Keep the motion of real synchronous recordings, as bench/motion_set.py keeps that of rendered events.

    python bench/real_motion_set.py KINOVA/pairs.csv ROBOT --without 1 3        # all rows but 1, 4, 7 …
    python bench/real_motion_set.py KINOVA/pairs.csv ROBOT-TEST --only 1 3      # rows 1, 4, 7 …
    python bench/real_motion_set.py FOLDER PEOPLE --files 'room*' head1 head3 head5

Every file is written anew before it is measured, so that what codecs do at keyframes does not tell when two files fit
(bench/coded_apart.py); `--as-they-are` does without, `--jumps` also mends what an earlier coding left. Of a `pairs.csv`
each row is an event; a folder is one event, all of whose files began at the same moment. bench/calibrate_align.py and
`bench/align.py events` read what is written.
"""

from __future__ import annotations

import csv
import tempfile
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path

import numpy as np
import tyro
from numpy.typing import NDArray
from tyro.conf import Positional

from actor_observer.errors import UserError
from actor_observer.features.see import open_take
from actor_observer.frames.motion import Motion, motion_of_take
from actor_observer.frames.moving.fine import mend
from actor_observer.pairs import read_manifest
from actor_observer.pairs.manifest import Take, View
from align_folder import FIRST
from coded_apart import coded_apart
from motion_set import KEPT, PEOPLE, Arrays, write_arrays

COLUMNS = ("event", "id", "view", "wearer", "offset", "rate", "length", "split", "layout", "people")
JUMP = 0.05  # seconds on either side of a jump that are mended
Row = dict[str, object]


def main(
    data: Positional[Path],
    out: Positional[Path],
    files: tuple[str, ...] = ("*",),  # of a folder: these alone
    first: tuple[str, ...] = FIRST,  # of a folder: what head cameras' files are called
    only: tuple[int, int] | None = None,  # of a pairs.csv: the row to begin with, and the step to the next
    without: tuple[int, int] | None = None,
    people: int = 1,
    as_they_are: bool = False,
    jumps: float | None = None,  # seconds of the event: at each multiple the pictures jump, whatever moves
    seed: int = 0,
) -> None:
    """Measure, and write."""
    chosen = from_folder(data, files, first) if data.is_dir() else from_pairs(data, only, without)
    if not chosen:
        raise UserError(f"{data}: none of its recordings was chosen")
    rows: list[Row] = []
    arrays: dict[str, Arrays] = {}
    rng = np.random.default_rng(seed)
    for event, take, offset, rate in chosen:
        with tempfile.TemporaryDirectory() as folder:
            if not as_they_are:
                take, skipped = coded_apart(take, Path(folder), rng)
                offset += skipped / rate
            moved = motion_of_take(take)
        if jumps is not None:
            moved = without_jumps(moved, offset, rate, jumps)
        wearer = take.id if take.view == "first" else ""
        row = (event, take.id, take.view, wearer, offset, rate, take.length, "validation", "real", people)
        rows.append(dict(zip(COLUMNS, row, strict=True)))
        nobody: Arrays = dict.fromkeys(PEOPLE, np.zeros(0)) if take.view == "third" else {}
        arrays[take.id] = {name: getattr(moved, name) for name in KEPT} | nobody
    out.mkdir(parents=True, exist_ok=True)
    with (out / "events.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    write_arrays(out, arrays, parts=1)
    print(f"{out}: {len(rows)} takes of {len({row['event'] for row in rows})} events")


def without_jumps(moved: Motion, offset: float, rate: float, every: float) -> Motion:
    """The motion of a take with neighbours' means in place of what is measured around each multiple of `every`."""

    def mended(times: NDArray[np.float64], values: NDArray[np.floating]) -> NDArray[np.floating]:
        found, at = values.astype(np.float32), offset + times / rate
        mend(found, np.abs((at + every / 2) % every - every / 2) < JUMP)
        return found.astype(values.dtype)

    whole, cells = (mended(moved.times, values) for values in (moved.whole, moved.cells))
    return replace(moved, whole=whole, cells=cells, fine=mended(moved.fine_times, moved.fine))


Chosen = list[tuple[str, Take, float, float]]  # event, take, its offset in the event and its rate


def from_folder(folder: Path, files: tuple[str, ...], first: tuple[str, ...]) -> Chosen:
    """Files of these names, all on one clock."""
    found: Chosen = []
    videos = sorted(folder.glob("*.mp4"))
    for name in files:
        if not any(fnmatch(path.stem, name) for path in videos):
            raise UserError(f"{folder}: no video is called {name} (without .mp4)")
    for path in videos:
        if any(fnmatch(path.stem, name) for name in files):
            view: View = "first" if any(fnmatch(path.stem, name) for name in first) else "third"
            found.append((folder.name, open_take(path, view, None), 0.0, 1.0))
    return found


def from_pairs(path: Path, only: tuple[int, int] | None, without: tuple[int, int] | None) -> Chosen:
    """Both takes of the rows that are asked for, on the third-person take's clock."""
    manifest, found = read_manifest(path), []
    wanted: NDArray[np.bool_] = np.ones(len(manifest.pairs), bool)
    if only is not None:
        wanted[:] = False
        wanted[only[0] :: only[1]] = True
    if without is not None:
        wanted[without[0] :: without[1]] = False
    for pair in (pair for pair, kept in zip(manifest.pairs, wanted, strict=True) if kept):
        third, own = manifest.takes[pair.third], manifest.takes[pair.first]
        start, later = (float(pair.clock.to_third(np.array([at]))[0]) for at in (0.0, own.length))
        rate = own.length / (later - start)
        found += [(pair.id, third, 0.0, 1.0), (pair.id, own, start, rate)]
    return found


if __name__ == "__main__":
    tyro.cli(main)

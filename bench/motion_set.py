"""Keep the motion of a set without its videos: small enough to carry from the machine that rendered it.

    python bench/motion_set.py DATA OUT [--most 60] [--parts 2] [--splits train validation]

Of a set of pairs it writes OUT/pairs.csv and OUT/sigN.npz, for bench/calibrate_align.py and
scripts/train_motion_head.py. Of a set of events also OUT/events.csv, and where everybody is in the pictures of the room
cameras (`people`, `people_time`, `people_mask` of their truth): `read_event_motion` reads them.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from numpy.typing import NDArray
from tyro.conf import Positional

from actor_observer.frames.motion import Motion, motion_of_take
from actor_observer.pairs import read_manifest
from actor_observer.pairs.clock import Clock
from actor_observer.pairs.manifest import Take
from actor_observer.playhouse import read_truth
from cuts import retimed

SPLITS = ("train", "validation", "test")
KEPT = tuple(field.name for field in fields(Motion) if field.name != "length")
PEOPLE = ("people", "people_time", "people_mask")
Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class EventTake:
    """One camera of an event. Second t of its video is second `offset + t / rate` of the event."""

    id: str
    view: str
    wearer: str  # "" for a room camera
    offset: float
    rate: float
    motion: Motion  # in the video's own seconds
    names: tuple[str, ...] = ()  # of the K people in the room, for a room camera
    people_times: NDArray[np.float64] | None = None  # (S,) in the video's seconds
    masks: NDArray[np.bool_] | None = None  # (S, K, 18, 24) where in the picture each of them is


@dataclass(frozen=True)
class Event:
    """All cameras of one event."""

    id: str
    split: str
    layout: str
    people: int
    takes: tuple[EventTake, ...]


def read_arrays(folder: Path) -> dict[str, Arrays]:
    """All that was kept, by take."""
    arrays: dict[str, Arrays] = {}
    for path in sorted(folder.glob("sig*.npz")):
        with np.load(path, allow_pickle=False) as file:
            for key in file.files:
                take, name = key.split("/")
                arrays.setdefault(take, {})[name] = file[key]
    return arrays


def read_motion_set(folder: Path, splits: tuple[str, ...] = SPLITS) -> list[tuple[Motion, Motion]]:
    """Both takes' motion of every pair, the first-person one's times in third-person seconds."""
    arrays, found = read_arrays(folder), []
    with (folder / "pairs.csv").open(newline="") as lines:
        for row in csv.DictReader(lines):
            ids = Path(row["third"]).stem, Path(row["first"]).stem
            if row["split"] not in splits or not all(id in arrays for id in ids):
                continue
            clock = Clock.parse(row["clock"])
            third, first = (_motion(arrays[id], float(arrays[id]["times"][-1])) for id in ids)
            length = float(clock.to_third(np.array([first.length]))[0])
            found.append((third, retimed(first, clock.to_third, length)))
    return found


def read_event_motion(folder: Path, splits: tuple[str, ...] = SPLITS) -> list[Event]:
    """Every event of these splits whose takes were all kept."""
    arrays = read_arrays(folder)
    events: dict[str, list[dict[str, str]]] = {}
    with (folder / "events.csv").open(newline="") as lines:
        for row in csv.DictReader(lines):
            if row["split"] in splits and row["id"] in arrays:
                events.setdefault(row["event"], []).append(row)
    return [
        Event(
            id,
            rows[0]["split"],
            rows[0]["layout"],
            int(rows[0]["people"]),
            tuple(_event_take(row, arrays[row["id"]]) for row in rows),
        )
        for id, rows in events.items()
    ]


def _event_take(row: dict[str, str], kept: Arrays) -> EventTake:
    motion = _motion(kept, float(row["length"]))
    camera = row["id"], row["view"], row["wearer"], float(row["offset"]), float(row["rate"]), motion
    if row["view"] == "first":
        return EventTake(*camera)
    return EventTake(
        *camera, tuple(map(str, kept["people"])), kept["people_time"].astype(float), kept["people_mask"].astype(bool)
    )


def _motion(kept: Arrays, length: float) -> Motion:
    return Motion(**{name: kept[name] for name in KEPT if name in kept}, length=length)


def measure(take: Take, truth: Path) -> tuple[str, Arrays]:
    """The arrays of a take: its motion, and people where its truth has them."""
    motion = motion_of_take(take)
    known = read_truth(truth) if truth.exists() else {}
    return take.path.stem, {name: getattr(motion, name) for name in KEPT} | {
        name: known[name] for name in PEOPLE if name in known
    }


def write_arrays(out: Path, found: Mapping[str, Arrays], parts: int) -> None:
    """All that was kept, by take, in so many files."""
    for part in range(parts):
        arrays = {f"{id}/{name}": array for id in sorted(found)[part::parts] for name, array in found[id].items()}
        np.savez_compressed(out / f"sig{part}.npz", **arrays)  # type: ignore[arg-type]


def main(
    data: Positional[Path],
    out: Positional[Path],
    most: int | None = None,
    parts: int = 2,
    splits: tuple[str, ...] = SPLITS,
    workers: int | None = None,
) -> None:
    """Measure the motion of all takes, on all cores. `most` counts pairs."""
    manifest = read_manifest(data)
    chosen = [pair for pair in manifest.pairs if pair.split in splits][:most]
    takes = [manifest.takes[id] for id in dict.fromkeys(id for pair in chosen for id in (pair.third, pair.first))]
    folder = data.parent if data.is_file() else data
    with ProcessPoolExecutor(workers) as pool:
        truths = (folder / "truth" / f"{take.path.stem}.npz" for take in takes)
        found = dict(pool.map(measure, takes, truths))
    out.mkdir(parents=True, exist_ok=True)
    for table in ("pairs.csv", "events.csv"):
        source = data if data.is_file() and table == "pairs.csv" else folder / table
        if source.exists():
            (out / table).write_text(source.read_text())
    write_arrays(out, found, parts)
    print(f"{out}: {len(found)} takes")


if __name__ == "__main__":
    tyro.cli(main)

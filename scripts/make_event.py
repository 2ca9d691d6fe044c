"""Make the event inside the package: two room cameras, a head camera and its gyroscope, for the demo and for tests.

    python scripts/make_event.py [FOLDER]

Rendered, in a home of the test part. The seed is the first of a list that was written down before any of it was
rendered; no other was tried. clocks.json has the truth: each recording's `offset` and `rate` on the clock of the event
(second t of a recording is second offset + t / rate of it).
"""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import tyro
from tyro.conf import Positional

from actor_observer.disk import write_whole
from actor_observer.playhouse import EVENT
from actor_observer.playhouse.event_plan import Events, plan_events
from actor_observer.playhouse.filming.render import check_drawing
from actor_observer.playhouse.gyroscope import as_measured, turning_of
from actor_observer.playhouse.record import FOLDERS, Look, files_of, record
from actor_observer.playhouse.set_plan import TakePlan
from actor_observer.stopping import temporary_folder

SEEDS = (2801, 2802, 2803)  # the first is used
WHO = Events(rooms=(2, 2), wearers=(1, 1), people=(1, 2), longest=26.0, shared=0.7)
SECONDS = (25.0, 35.0)  # of the script
SIZE = (192, 144)
FPS, CRF = 20.0, 33  # small files
RATE, NOISE = 50.0, 0.03  # of the gyroscope: samples a second, radians a second
LIMIT = 400_000  # bytes


def main(folder: Positional[Path] = EVENT) -> None:
    """Plan, render, measure, write."""
    check_drawing()
    seed = SEEDS[0]
    takes = takes_of(seed)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    clocks = {f"{name}.mp4": (take.offset, take.rate) for name, take in takes.items()}
    with temporary_folder() as place:
        for part in FOLDERS:
            (place / part).mkdir()
        for name, take in takes.items():
            record(take, place, Look(SIZE, CRF, "veryslow"))
            write_whole(folder / f"{name}.mp4", files_of(take, place)[0].read_bytes())
    rows, clocks["gyro.csv"] = gyroscope(takes["head"], seed)
    write_whole(folder / "gyro.csv", rows.encode())
    truth = {name: {"offset": round(offset, 4), "rate": rate} for name, (offset, rate) in clocks.items()}
    write_whole(folder / "clocks.json", (json.dumps(truth, indent=1) + "\n").encode())
    size = sum(path.stat().st_size for path in folder.iterdir())
    print(f"{folder}: {len(clocks)} recordings, {size / 1e3:.0f} kB")
    if size > LIMIT:
        raise SystemExit(f"{size} bytes are more than the {LIMIT} allowed")


def takes_of(seed: int) -> dict[str, TakePlan]:
    """The three cameras, by name."""
    planned = plan_events(1, seed, WHO, seconds=SECONDS, shares=(0.0, 0.0, 1.0)).takes
    return {name: _small(take) for name, take in zip(("room-1", "room-2", "head"), planned, strict=True)}


def gyroscope(head: TakePlan, seed: int) -> tuple[str, tuple[float, float]]:
    """A table of what it measured, by its own seconds, and its clock: mounted anyhow, started at a time of its own."""
    rng = np.random.default_rng([seed, 1])
    times, omega = turning_of(head)
    turned, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    at, values = as_measured(times, omega @ turned.T, RATE, NOISE, rng)
    start, end = float(rng.uniform(0.5, 3.0)), head.length - float(rng.uniform(0.5, 3.0))
    kept = (at >= start) & (at <= end)
    lines = [
        f"{t - at[kept][0]:.3f},{x:.3f},{y:.3f},{z:.3f}" for t, (x, y, z) in zip(at[kept], values[kept], strict=True)
    ]
    begun = float(head.moments(np.array([at[kept][0]]))[0])
    return "\n".join(["time,gyro_x,gyro_y,gyro_z", *lines, ""]), (begun, head.rate)


def _small(take: TakePlan) -> TakePlan:
    assert take.shot is not None
    shot = replace(take.shot, crf=CRF, preset="veryslow", gop=int(8 * FPS), upright=False)
    return replace(take, fps=FPS, shot=shot)


if __name__ == "__main__":
    tyro.cli(main)

"""Render events of one split, filmed by several cameras, for bench/calibrate_align.py and `bench/align.py events`.

    python bench/event_set.py OUT --split validation --events 30 --seed 3100
    python bench/motion_set.py OUT MOTION

As `actor-observer playhouse --events`, whose sets have all three splits; and at no more than `--most-rate` frames a
second, because drawing takes most of the time.
"""

from __future__ import annotations

from pathlib import Path

import tyro
from tyro.conf import Positional

from actor_observer.pairs.manifest import Split
from actor_observer.playhouse import event_plan
from actor_observer.playhouse.event_plan import Events
from actor_observer.playhouse.make import make

SHARES: dict[Split, tuple[float, float, float]] = {
    "train": (1.0, 0.0, 0.0),
    "validation": (0.0, 1.0, 0.0),
    "test": (0.0, 0.0, 1.0),
}


def main(
    out: Positional[Path],
    split: Split,
    events: int,
    seed: int,
    rooms: tuple[int, int] = (2, 3),
    wearers: tuple[int, int] = (1, 2),
    people: tuple[int, int] = (1, 5),
    shared: float = 0.7,  # of its recording that each camera has in common with each other
    seconds: tuple[float, float] = (25.0, 40.0),  # of the lead's script
    most_rate: float = 15.0,  # frames a second
    size: tuple[int, int] = (192, 144),  # motion is measured at this size
    workers: int | None = None,
) -> None:
    """Plan and render."""
    rates = {rate: share for rate, share in event_plan.RATES.items() if rate <= most_rate}
    total = sum(rates.values())
    event_plan.RATES = {rate: share / total for rate, share in rates.items()}
    who = Events(rooms=rooms, wearers=wearers, people=people, shared=shared)
    made = make(out, events, seed, size, events=who, seconds=seconds, shares=SHARES[split], workers=workers)
    print(f"{out}: {made.takes} takes, {made.frames} frames, {made.frames_per_second:.0f} a second")


if __name__ == "__main__":
    tyro.cli(main)

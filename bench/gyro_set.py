"""Render events with a head camera, and keep the head's true angular velocity: what a gyroscope on it would measure.

    python bench/gyro_set.py OUT --split validation --events 10 --seed 4100
    python bench/gyro_set.py OUT --split test --events 10 --seed 4200

Writes what bench/event_set.py writes (videos, truth, events.csv), and for each event `gyro/EVENT.npz`: `times` in
seconds of the head camera's video, and `omega` (T, 3) in radians a second about that camera's own axes, without noise;
beside them the names of the `takes`, their `views`, the event's `split`, and their `clocks` (offset and rate: second t
of a video is second offset + t / rate of the event). Stopped early, the events that were rendered can be used.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import tyro
from tyro.conf import Positional

from actor_observer.pairs.manifest import Split
from actor_observer.playhouse import event_plan
from actor_observer.playhouse.event_plan import Events, plan_events
from actor_observer.playhouse.gyroscope import turning_of
from actor_observer.playhouse.make import make
from actor_observer.playhouse.set_plan import TakePlan
from event_set import SHARES


def main(
    out: Positional[Path],
    split: Split,
    events: int,
    seed: int,
    most_rate: float = 24.0,  # frames a second
    size: tuple[int, int] = (192, 144),
    seconds: tuple[float, float] = (25.0, 35.0),
    workers: int | None = 1,
) -> None:
    """Plan, render, differentiate. A plan has an event of each split: `rendered` passes the others over."""
    rates = {rate: share for rate, share in event_plan.RATES.items() if rate <= most_rate}
    event_plan.RATES = {rate: share / sum(rates.values()) for rate, share in rates.items()}
    who = Events(rooms=(1, 1), wearers=(1, 1), people=(1, 2), shared=0.7)
    (out / "gyro").mkdir(parents=True, exist_ok=True)
    planned: dict[str, list[TakePlan]] = {}
    for take in plan_events(events, seed, who, seconds=seconds, shares=SHARES[split]).takes:
        assert take.event is not None
        planned.setdefault(take.event.id, []).append(take)
    for id, takes in planned.items():
        times, omega = turning_of(next(take for take in takes if take.view == "first"))
        names = {"takes": [take.id for take in takes], "views": [take.view for take in takes]}
        told = {"clocks": [(take.offset, take.rate) for take in takes], "split": takes[0].split}
        np.savez_compressed(out / "gyro" / f"{id}.npz", times=times, omega=omega, **names, **told)  # type: ignore[arg-type]
    made = make(out, events, seed, size, events=who, seconds=seconds, shares=SHARES[split], workers=workers)
    print(f"{out}: {made.takes} takes, {made.frames} frames, {made.frames_per_second:.0f} a second")


if __name__ == "__main__":
    tyro.cli(main)

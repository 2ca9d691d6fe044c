"""A shot: how one camera of a varied pair is built, held and set, and how its file is written."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from actor_observer.pairs.manifest import View
from actor_observer.playhouse.filming.lenses import Lens

__all__ = ["FRAME_RATES", "Shot", "draw_shot"]

# Frames a second; 30 is the most usual.
FRAME_RATES = (10.0, 12.0, 15.0, 20.0, 24.0, 25.0, 29.97, 30.0, 30.0, 50.0, 60.0)
HOLDS = {"fixed": 0.6, "hand-held": 0.25, "panning": 0.15}  # of room cameras


@dataclass(frozen=True)
class Shot:
    """One camera of a varied pair. Drawn when the set is planned; a worker needs nothing else."""

    seconds: float  # of the performance that it records
    lens: Lens
    hold: str  # "head", or how the room camera is held
    height: float  # metres of height that a room camera has in view where the actor is: small is near
    tilt: float  # of the head camera, downwards, radians
    upright: bool  # portrait
    crf: int  # of x264: 16 is light compression, 35 heavy
    preset: str
    gop: int  # frames from one keyframe to the next
    noise: float  # of the sensor, grey levels
    exposure: float  # how much the exposure wanders: deviation of its logarithm
    seed: tuple[int, ...]


def draw_shot(view: View, seconds: float, fps: float, rng: np.random.Generator, seed: tuple[int, ...]) -> Shot:
    """Draw a camera.

    >>> draw_shot("first", 30.0, 25.0, np.random.default_rng(0), (1,)).hold
    'head'
    """
    head = view == "first"
    if head and rng.random() < 0.45:
        lens = Lens(round(float(rng.uniform(115, 175)), 1), round(float(rng.uniform(0.7, 1.0)), 2))
    else:
        lens = Lens(round(float(rng.uniform(*((65, 115) if head else (38, 95)))), 1), 0.0)
    return Shot(
        seconds=round(seconds, 3),
        lens=lens,
        hold="head" if head else str(rng.choice(list(HOLDS), p=list(HOLDS.values()))),
        height=round(float(np.exp(rng.uniform(np.log(2.0), np.log(6.0)))), 2),
        tilt=round(float(rng.uniform(0.0, 0.45)), 3),
        upright=bool(rng.random() < (0.08 if head else 0.15)),
        crf=int(16 + 20 * rng.random() ** 1.5),  # mostly light: small pictures suffer more than large ones
        preset=str(rng.choice(["ultrafast", "veryfast", "fast"])),
        gop=int(rng.choice([0.5, 1.0, 2.0, 8.0]) * fps),
        noise=round(float(rng.uniform(0.0, 3.5)), 2),
        exposure=round(float(rng.uniform(0.0, 0.12)), 3),
        seed=seed,
    )

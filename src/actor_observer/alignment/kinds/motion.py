"""Motion as evidence: when something moves, it moves in both pictures. No training, any footage.

Amounts of motion over the whole picture, in several treatments, each correlated at every lag. No single one works for
every recording: a person may fill the picture or be small in it, a head may turn all the time, sport repeats itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial

from actor_observer.alignment.kinds.treatments import TREATMENTS, loudness, resampled
from actor_observer.alignment.recordings.evidence import LagScores, Scores, Sense
from actor_observer.alignment.recordings.lags import Array, Lags, chunk_middles, correlate
from actor_observer.alignment.recordings.recording import Recording
from actor_observer.frames.motion import Motion
from actor_observer.pairs.manifest import View

__all__ = ["MotionEvidence", "motion_channels", "motion_rate"]

# Of 96 pairs of signals and treatments, those that earn a weight beside the learned heads (bench/calibrate_align.py).
ROOM = ("difference", "difference_top", "residual")
HEAD = ("difference", "residual", "zoom")
SIGNALS: dict[View, tuple[str, ...]] = {"third": ROOM, "first": HEAD}
USED = ("white",)  # of the treatments
MOST_RATE = 30.0  # samples a second
MOST_SAMPLES = 216_000  # of both recordings together: two hours at 30 a second


@dataclass(frozen=True)
class MotionEvidence:
    """Both pictures move at once."""

    name: str = "motion"
    sense: Sense = "motion"
    likelihood: bool = False

    def lags(self, one: Recording, other: Recording, lags: Lags) -> LagScores | None:
        if one.motion.still or other.motion.still:
            return None
        return LagScores(motion_channels(one, other, lags), chunk_middles(other.length))


def motion_rate(third: Motion, first: Motion) -> float:
    """Samples a second at which two recordings are compared: the faster one's own, up to 30; fewer if they are long.

    >>> import numpy as np
    >>> still = Motion(np.arange(9) / 15, np.zeros((9, 9), np.float32), np.zeros((9, 6, 48), np.float16), 0.6)
    >>> round(motion_rate(still, still))
    15
    """
    own = max(third.per_second, first.per_second, 5.0)
    return min(MOST_RATE, own, MOST_SAMPLES / (third.length + first.length))


def motion_channels(one: Recording, other: Recording, lags: Lags) -> list[tuple[str, Scores]]:
    """Every pair of signals in every treatment, by name; scores (C, L) are computed when they are asked for."""
    treated = cache(partial(_treated, lags.per_second))

    def scores(a: str, b: str, how: str) -> Array:
        return correlate(treated(one, a, how), treated(other, b, how), lags)

    return [
        (f"{a}/{b}/{how}", partial(scores, a, b, how))
        for a in SIGNALS[one.view]
        for b in SIGNALS[other.view]
        for how in USED
    ]


def _treated(per_second: float, recording: Recording, name: str, how: str) -> Array:
    moved = recording.motion
    signal = loudness(resampled(moved.times, moved.of(name), moved.length, per_second))
    return TREATMENTS[how](signal, per_second)

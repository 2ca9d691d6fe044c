"""Motion as evidence: when something moves, it moves in both pictures. No training, any footage.

Amounts of motion over the whole picture, in several treatments, each correlated at every lag. No single one works for
every recording: a person may fill the picture or be small in it, a head may turn all the time, sport repeats itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from actor_observer.alignment.evidence import LagScores, Scores
from actor_observer.alignment.kinds.treatments import TREATMENTS, loudness, resampled
from actor_observer.alignment.lags import Lags, chunk_middles, correlate
from actor_observer.alignment.recording import Recording
from actor_observer.frames.motion import Motion

__all__ = ["MotionEvidence", "motion_channels", "motion_rate"]

THIRD = ("difference", "difference_peak", "difference_top", "residual")
FIRST = ("difference", "residual", "textured", "affine", "camera", "zoom")
MOST_RATE = 30.0  # samples a second
MOST_SAMPLES = 216_000  # of both recordings together: two hours at 30 a second


@dataclass(frozen=True)
class MotionEvidence:
    """Both pictures move at once."""

    name: str = "motion"

    def lags(self, third: Recording, first: Recording, lags: Lags) -> LagScores | None:
        if third.motion.still or first.motion.still:
            return None
        return LagScores(motion_channels(third.motion, first.motion, lags), chunk_middles(first.length))


def motion_rate(third: Motion, first: Motion) -> float:
    """Samples a second at which two recordings are compared: the faster one's own, up to 30; fewer if they are long.

    >>> import numpy as np
    >>> still = Motion(np.arange(9) / 15, np.zeros((9, 9), np.float32), np.zeros((9, 6, 24), np.float16), 0.6)
    >>> round(motion_rate(still, still))
    15
    """
    own = max(third.per_second, first.per_second, 5.0)
    return min(MOST_RATE, own, MOST_SAMPLES / (third.length + first.length))


def motion_channels(third: Motion, first: Motion, lags: Lags) -> list[tuple[str, Scores]]:
    """Every pair of signals in every treatment, by name; scores (C, L) are computed when they are asked for."""
    treated = {}
    for side, moved, names in (("third", third, THIRD), ("first", first, FIRST)):
        for name in names:
            signal = loudness(resampled(moved.times, moved.of(name), moved.length, lags.per_second))
            for how, treat in TREATMENTS.items():
                treated[side, name, how] = treat(signal, lags.per_second)
    return [
        (f"{a}/{b}/{how}", partial(correlate, treated["third", a, how], treated["first", b, how], lags))
        for a in THIRD
        for b in FIRST
        for how in TREATMENTS
    ]

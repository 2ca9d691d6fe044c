"""How many frames a second a video has, as the exact fraction that its camera meant."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["frame_rate_of", "meant_rate"]

BROADCAST = tuple(
    Fraction(rate) for whole in (24, 30, 48, 60, 120, 240) for rate in (whole, Fraction(1000 * whole, 1001))
)
MEANT = 2e-4  # of the rate: 30 and 29.97 differ by 1e-3
TICK = 1e-3  # seconds: stamps of some containers are rounded to this
USUAL = 0.25  # of the usual gap: what differs by more is a frame left out, or one too many


def meant_rate(rate: float, within: float = MEANT) -> Fraction:
    """The exact rate that a number stands for, if one is so near (a share of it): 29.97 is 30000/1001.

    >>> meant_rate(29.97), meant_rate(25.0), meant_rate(12.5)
    (Fraction(30000, 1001), Fraction(25, 1), Fraction(25, 2))
    """
    near = min((Fraction(round(rate)), *BROADCAST), key=lambda known: abs(float(known) - rate))
    return near if abs(float(near) - rate) <= within * rate else Fraction(rate).limit_denominator(1001)


def frame_rate_of(times: ArrayLike) -> Fraction:
    """The rate of frames shown at these times (seconds); where it varies, the usual one.

    >>> frame_rate_of([round(number / 30, 3) for number in range(90) if number % 20])  # in ms, some frames left out
    Fraction(30, 1)
    """
    gaps = np.diff(np.asarray(times, dtype=float))
    if not len(gaps):
        return Fraction(1)
    middle = float(np.median(gaps))
    usual = gaps[np.abs(gaps - middle) <= USUAL * middle]
    return meant_rate(1 / float(usual.mean()), within=max(MEANT, TICK / float(usual.sum())))

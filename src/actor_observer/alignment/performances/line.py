"""Offset and rate between two recordings: the straight line through the matrix with the most evidence."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from actor_observer.alignment.performances.moment_matrix import LEAST_SHARED, RATES, Array, MomentMatrix, sums_along

__all__ = ["Line", "fit_line"]

USUAL_OFFSET = 0.25  # of the shorter recording: how far it usually reaches out of the longer one (one sigma)
USUAL_RATE = 0.1  # of log rate (one sigma)


@dataclass(frozen=True)
class Line:
    """`third = offset + rate · first`, in seconds.

    >>> Line(offset=2.0, rate=1.1, peak=5.0).to_third(10.0)
    13.0
    """

    offset: float
    rate: float
    peak: float  # how far the line stands out among all lines, in units of their spread

    def to_third(self, first_time: float) -> float:
        return self.offset + self.rate * first_time


def fit_line(evidence: MomentMatrix) -> Line:
    """The offset and rate with the most evidence along their line, by trying all plausible ones.

    A line's score is the sum along it over the root of its length: under chance all have the same spread. Larger
    offsets and rates away from 1 need more evidence, as they are rarer. Then both are refined between the grid's steps.

    >>> score = np.eye(80, 100, k=15)
    >>> evidence = MomentMatrix(np.arange(100) / 6, np.arange(80) / 6, -score, score, score, score, np.ones(80))
    >>> line = fit_line(evidence)
    >>> round(line.offset, 1), round(line.rate, 2)
    (2.5, 1.0)
    """
    times = evidence.third_times, evidence.first_times
    grids = [sums_along(evidence.along, *times, float(rate)) for rate in RATES]
    known = np.concatenate([score[np.isfinite(score)] for _, score in grids])
    mean, spread = float(known.mean()), max(float(known.std()), 1e-9)
    best = (-np.inf, 0.0, 1.0, 0.0)
    for tried, (offsets, score) in zip(RATES, grids, strict=True):
        peak = (score - mean) / spread
        total = peak - _rarity(evidence, offsets, float(tried))
        at = int(np.nanargmax(total)) if np.isfinite(total).any() else -1
        if at >= 0 and total[at] > best[0]:
            best = (float(total[at]), float(offsets[at]), float(tried), float(peak[at]))
    offset, rate = _refine(evidence, best[1], best[2])
    return Line(offset, rate, best[3])


def _rarity(evidence: MomentMatrix, offsets: Array, rate: float) -> Array:
    """What an offset and a rate cost before anything was seen; the shorter may lie anywhere within the longer."""
    times = evidence.third_times, rate * evidence.first_times
    middles = [float(of[0] + of[-1]) / 2 for of in times]
    lengths = [float(of[-1] - of[0]) + 1.0 for of in times]
    room = (lengths[0] - lengths[1]) / 2
    usual = math.hypot(USUAL_OFFSET * min(lengths), room)
    return 0.5 * ((offsets + middles[1] - middles[0]) / usual) ** 2 + 0.5 * (math.log(rate) / USUAL_RATE) ** 2


def _refine(evidence: MomentMatrix, offset: float, rate: float) -> tuple[float, float]:
    """The offset and rate near the grid's best with the most evidence; the matrix is read between its cells."""
    step = _step(evidence.third_times)
    length = max(float(evidence.first_times[-1] - evidence.first_times[0]), step)
    middle = float(evidence.first_times[0]) + length / 2
    rate_step = float(np.log(RATES[1] / RATES[0]))
    for shrink in (1.0, 0.4, 0.15):
        found = (_along(evidence, offset, rate), offset, rate)
        for new_rate in rate * np.exp(np.linspace(-1, 1, 9) * rate_step * shrink):
            # turn about the middle of the recording, so that offset and rate hardly disturb each other
            centres = offset + (rate - new_rate) * middle + np.linspace(-1, 1, 9) * 1.5 * step * shrink
            for new_offset in centres:
                score = _along(evidence, new_offset, new_rate)
                if score > found[0]:
                    found = (score, float(new_offset), float(new_rate))
        _, offset, rate = found
    return offset, rate


def _along(evidence: MomentMatrix, offset: float, rate: float) -> float:
    """The score of one line, between the cells."""
    times = evidence.third_times
    place = (offset + rate * evidence.first_times - times[0]) / _step(times)
    rows = np.flatnonzero((place >= 0) & (place <= len(times) - 1))
    if len(rows) < max(1.0, LEAST_SHARED * min(len(evidence.first_times), len(times) / rate)) * 0.95:
        return -np.inf
    left = np.minimum(place[rows].astype(np.int64), max(len(times) - 2, 0))
    share = place[rows] - left
    right = np.minimum(left + 1, len(times) - 1)
    values = (1 - share) * evidence.along[rows, left] + share * evidence.along[rows, right]
    return float(values.sum() / np.sqrt(len(rows)))


def _step(times: Array) -> float:
    return float(times[1] - times[0]) if len(times) > 1 else 1.0

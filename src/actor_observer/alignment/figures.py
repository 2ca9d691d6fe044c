"""What a curve over offsets looks like, in a few numbers: by them calibration tells how often such a curve is right."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.signal import find_peaks

from actor_observer.alignment.curve import Curve, log_mean, normalised
from actor_observer.alignment.recordings.lags import Array, Lags

__all__ = ["APART", "GROUPS", "NEAR", "Figures", "figures_of", "near_best"]

NEAR = 0.3  # seconds around an offset that count as the same: half of what a person notices in a side-by-side
APART = 1.0  # seconds from the best offset at which another one is a rival
RIVALS = 5  # offsets that the best one is held against: one alone may be the same activity again
GROUPS = 4  # of what two recordings share: the weakest of them is looked at, and each is left out in turn
HALVINGS = 32  # ways to deal the parts into two halves
MOST_EACH = 8.0  # spreads: more than that says no more


class Figures(NamedTuple):
    """What a curve looks like, each figure bounded: what calibration judges it by, or by some of them."""

    mass: float  # log odds of the share of the belief within 0.3 s of the best offset
    strength: float  # root of the log of how much more likely the scores are than by chance
    lead: float  # root of how far the best offset is ahead of any that is a second away
    agree: float  # share of the kinds that say anything whose own best offset it is
    each: float  # mean over those kinds: how far their scores at the best offset stand out of all, in their spreads
    ahead: float = 0.0  # how far the best offset is ahead of its five best rivals, in spreads of the sum
    weakest: float = 0.0  # what the quarter that speaks least for the best offset says for it, above its mean
    stands: float = 0.0  # how far the best offset stands out of all, in spreads of the sum
    holds: float = 0.0  # how far what is best in one half of the parts stands out in the other, in its spreads


def figures_of(curve: Curve) -> Figures:
    """What calibration judges a curve by.

    >>> from actor_observer.alignment.curve import add_up
    >>> from actor_observer.alignment.recordings.lags import Lags
    >>> lags = Lags(-30, 121, 10.0)
    >>> hill = 40 * np.exp(-0.5 * ((lags.offsets - 2.0) / 0.2) ** 2)
    >>> curve = add_up({"motion": hill[None]}, (), np.array([5.0]), lags, (20.0, 10.0), {"motion": "motion"})
    >>> found = figures_of(curve)
    >>> round(found.mass, 1), round(found.lead, 1), found.agree, round(found.each, 1), round(found.ahead, 1)
    (9.2, 5.0, 1.0, 5.8, 6.0)
    """
    belief = curve.scored + curve.usual()
    best, offsets = belief.max(axis=0), curve.lags.offsets
    row, column = np.unravel_index(int(belief.argmax()), belief.shape)
    centre = offsets[column]
    away = np.abs(offsets - centre) > APART
    lead = float(best.max() - best[away].max()) if np.isfinite(best[away]).any() else 0.0
    mass = min(max(near_best(normalised(belief), curve.lags), 1e-4), 1 - 1e-4)
    strength = log_mean(curve.scored)
    speak = [part for name, part in curve.kinds.items() if float(np.ptp(part)) > 1e-6]
    agree = float(np.mean([abs(offsets[part.argmax()] - centre) <= NEAR for part in speak] or [0.0]))
    here = np.abs(offsets - centre) <= NEAR / 2
    each = [float((part[here].max() - part.mean()) / part.std()) for part in speak]
    bounded = math.copysign(math.sqrt(min(abs(strength), 25.0)), strength)
    scores = curve.scored[row]
    return Figures(
        math.log(mass / (1 - mass)),
        bounded,
        math.sqrt(min(max(lead, 0.0), 25.0)),
        agree,
        min(float(np.mean(each or [0.0])), MOST_EACH),
        _ahead(scores, int(column), curve.lags),
        _weakest(curve, int(row), int(column)),
        _in_spreads(float(scores[column] - scores.mean()), scores),
        _holds(curve, int(row)),
    )


def near_best(belief: Array, lags: Lags) -> float:
    """The share of a belief, given as logs (R, L), that lies near its best offset."""
    best = int(belief.max(axis=0).argmax())
    return float(np.exp(belief[:, np.abs(lags.offsets - lags.offsets[best]) <= NEAR]).sum())


def _in_spreads(by: float, scores: Array) -> float:
    """A difference of scores in spreads of all (L,), bounded; 0 where all are the same."""
    spread = float(scores.std())
    return float(np.clip(by / spread, -MOST_EACH, MOST_EACH)) if spread > 1e-9 else 0.0


def _ahead(scores: Array, best: int, lags: Lags) -> float:
    """How far the score (L,) of the best offset is ahead of the mean of its rivals, each a second from all others."""
    apart = max(1, round(APART * lags.per_second))
    away = np.abs(np.arange(len(scores)) - best) > apart
    tops, _ = find_peaks(scores, distance=apart)
    rivals = np.sort(scores[tops[away[tops]]])[::-1][:RIVALS]
    rivals = rivals if len(rivals) else scores[away]
    return _in_spreads(float(scores[best] - rivals.mean()), scores) if away.any() else 0.0


def _holds(curve: Curve, row: int) -> float:
    """How far the best offset of one half of the parts stands out in what the other half says, over many halvings.

    Of all offsets one is always the best: here it is chosen by one half, and judged by the other.
    """
    chunks, usual = _straightened(curve, row), curve.usual()[row]
    whole, near, rng = chunks.sum(axis=0), round(NEAR / 2 * curve.lags.per_second), np.random.default_rng(0)
    if len(chunks) < 2:
        return 0.0
    found = []
    for _ in range(HALVINGS):
        half = chunks[rng.permutation(len(chunks))[: len(chunks) // 2]].sum(axis=0)
        at, other = int((half + usual / 2).argmax()), whole - half
        found.append(_in_spreads(float(other[max(0, at - near) : at + near + 1].max() - other.mean()), other))
    return float(np.mean(found))


def _straightened(curve: Curve, row: int) -> Array:
    """What each chunk says of every offset at the middle of all (C, L), if the clocks differ by this row's rate."""
    moved = [_moved(curve, row, middle) for middle in curve.middles]
    if not any(moved):
        return curve.chunks
    place = np.arange(curve.lags.count)
    last = curve.lags.count - 1
    return np.stack([scores[np.clip(place + by, 0, last)] for scores, by in zip(curve.chunks, moved, strict=True)])


def _moved(curve: Curve, row: int, middle: float) -> int:
    """By how many samples the offset at a chunk's middle differs from that at the middle of all."""
    return round((float(curve.rates[row]) - 1) * (middle - curve.middle) * curve.lags.per_second)


def _weakest(curve: Curve, row: int, column: int) -> float:
    """The mean of what the weakest quarter of the parts says for one clock, each above its own mean over all offsets.

    An accident is one moment that fits; where two recordings show one event, most moments do.
    """
    own = [column + _moved(curve, row, middle) for middle in curve.middles]
    at = curve.lags.offsets[column] + curve.middles  # of one recording
    said = [
        float(scores[max(0, best - 2) : best + 3].max(initial=-np.inf) - scores.mean())
        for scores, best, inside in zip(curve.chunks, own, (at >= 0) & (at <= curve.lengths[0]), strict=True)
        if inside and 0 <= best < curve.lags.count
    ]
    if len(said) < GROUPS:
        return 0.0
    return float(np.clip(np.mean(sorted(said)[: len(said) // GROUPS]), -MOST_EACH, MOST_EACH))

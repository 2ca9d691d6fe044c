"""What a curve over offsets looks like, in a few numbers: by them calibration tells how often such a curve is right."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from actor_observer.alignment.curve import Curve, log_mean, normalised
from actor_observer.alignment.recordings.lags import Array

__all__ = ["APART", "GROUPS", "NEAR", "Figures", "figures_of"]

NEAR = 0.3  # seconds around an offset that count as the same: half of what a person notices in a side-by-side
APART = 1.0  # seconds from the best offset at which another one is a rival
NEARLY = 2.0  # log of how much likelier the best offset may be than one that is nearly as good: what repeats fits twice
TWINS = 3  # offsets that are nearly as good, with the best
GROUPS = 4  # of what two recordings share: the weakest of them is looked at, and each is left out in turn
MOST_EACH = 8.0  # spreads: more than that says no more


class Figures(NamedTuple):
    """What a curve looks like, each figure bounded: what calibration judges it by, or by some of them."""

    mass: float  # log odds of the share of the belief within 0.3 s of the best offset
    strength: float  # root of the log of how much more likely the scores are than by chance
    lead: float  # root of how far the best offset is ahead of any that is a second away
    agree: float  # share of the kinds that say anything whose own best offset it is
    each: float  # mean over those kinds: how far their scores at the best offset stand out of all, in their spreads
    ahead: float = 0.0  # how far the best offset, and any nearly as good, leads over all others, in spreads of the sum
    weakest: float = 0.0  # what the quarter that speaks least for the best offset says for it, above its mean


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
    near = np.exp(normalised(belief)).sum(axis=0)[np.abs(offsets - centre) <= NEAR].sum()
    mass = min(max(float(near), 1e-4), 1 - 1e-4)
    strength = log_mean(curve.scored)
    speak = [part for name, part in curve.kinds.items() if float(np.ptp(part)) > 1e-6]
    agree = float(np.mean([abs(offsets[part.argmax()] - centre) <= NEAR for part in speak] or [0.0]))
    here = np.abs(offsets - centre) <= NEAR / 2
    each = [float((part[here].max() - part.mean()) / part.std()) for part in speak]
    bounded = math.copysign(math.sqrt(min(abs(strength), 25.0)), strength)
    return Figures(
        math.log(mass / (1 - mass)),
        bounded,
        math.sqrt(min(max(lead, 0.0), 25.0)),
        agree,
        min(float(np.mean(each or [0.0])), MOST_EACH),
        _ahead(curve.scored[row], belief[row], offsets),
        _weakest(curve, int(row), int(column)),
    )


def _ahead(scores: Array, belief: Array, offsets: Array) -> float:
    """How far the score (L,) of the best offset is ahead of those a second away from it, in spreads of all.

    Activity that repeats fits at several offsets: the belief in each tells which of them it is. Here they count as one.
    """
    best, spread, left = int(belief.argmax()), float(scores.std()), np.ones(len(scores), bool)
    for _ in range(TWINS):
        twin = int(np.where(left, belief, -np.inf).argmax())
        if belief[twin] < belief[best] - NEARLY or not left[twin]:
            break
        left &= np.abs(offsets - offsets[twin]) > APART
    if spread < 1e-9 or not left.any():
        return 0.0
    return float(np.clip((scores[best] - scores[left].max()) / spread, -MOST_EACH, MOST_EACH))


def _weakest(curve: Curve, row: int, column: int) -> float:
    """The mean of what the weakest quarter of the parts says for one clock, each above its own mean over all offsets.

    An accident is one moment that fits; where two recordings show one event, most moments do.
    """
    per_second, rate = curve.lags.per_second, float(curve.rates[row])
    own = column + np.round((rate - 1) * (curve.middles - curve.middle) * per_second).astype(int)  # of each chunk
    at = curve.lags.offsets[column] + curve.middles  # of one recording
    said = [
        float(scores[max(0, best - 2) : best + 3].max(initial=-np.inf) - scores.mean())
        for scores, best, inside in zip(curve.chunks, own, (at >= 0) & (at <= curve.lengths[0]), strict=True)
        if inside and 0 <= best < curve.lags.count
    ]
    if len(said) < GROUPS:
        return 0.0
    return float(np.clip(np.mean(sorted(said)[: len(said) // GROUPS]), -MOST_EACH, MOST_EACH))

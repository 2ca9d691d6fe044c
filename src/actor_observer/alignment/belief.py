"""Two recordings of one event: what all evidence says about their clock. Pure functions; calibration uses the same.

Cameras on one event run at the same speed to within a few hundred parts per million, so only the offset is unknown, and
over long recordings the drift. Scores with weights (motion, likeness) add up to one curve over offsets, whose softmax
is q. How often the best offset of such a curve is right, p, was learned from its figures where the truth is known: the
curve counts so much, c, that as much of the belief is near its best offset, or all of it, c = 1, where q leaves less
there because other offsets fit as well. Kinds that give log likelihoods by themselves (sound, recording times) come on
top:

    belief(offset) ∝ (c · q(offset) + (1 - c) · usual(offset)) · likelihood of sound and times(offset)

The confidence in a clock is the belief near it. Sound alone decides where it is alone, and so does motion.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from actor_observer.alignment.curve import DRIFT, Curve, log_mean, normalised
from actor_observer.alignment.figures import APART, GROUPS, NEAR, Figures, figures_of, near_best
from actor_observer.alignment.recordings.lags import Array, Lags, along_rates

__all__ = ["Belief", "Candidate", "believe", "posterior"]

CANDIDATES = 3  # offsets that are told: the best, and two rivals
MORE = 2.0  # times the best one's share: a rival with more is no peak, but where recordings usually meet
AGAINST = 6.0  # log likelihood by which one sense prefers another offset than the one chosen: e⁶ is 400 to 1


@dataclass(frozen=True)
class Candidate:
    """A clock that the evidence allows: time of one = offset + rate · time of the other."""

    offset: float  # seconds
    rate: float
    share: float  # of the belief, 0 to 1


@dataclass(frozen=True)
class Belief:
    """What is believed of two recordings if both show one event: time of one = offset + rate · time of the other."""

    offset: float  # seconds
    rate: float
    spread: float  # seconds: standard deviation of the offset at the middle of the other recording, near the best one
    jumps: float  # seconds: standard error of the offset by leaving out parts of the recordings
    rate_error: float  # half-width, 95 %
    candidates: tuple[Candidate, ...]  # best first; the shares are of all belief, so they may add up to less than 1
    confidence: float  # the belief near the best offset, 0 to 1
    figures: Figures  # of what has a weight: motion, and likeness where the model knows the footage
    given: float  # log of how much more likely sound and recording times are if they show one event
    kinds: Mapping[str, float]  # what each kind of evidence adds to the log likelihood of the best offset
    split: bool = False  # two senses speak clearly for different offsets: a file may be out of step with itself
    edge: bool = False  # the best offset is among the last that were considered: the true one may lie beyond

    def to_one(self, time: float) -> float:
        """The time of one recording at a time of the other."""
        return self.offset + self.rate * time


def left_out(curve: Curve) -> list[Array]:
    """The log of the belief (L,), each time without the scores of another part of what is shared at the best offset."""
    belief = curve.scored + curve.usual() + curve.given
    row, column = np.unravel_index(int(belief.argmax()), belief.shape)
    at = curve.lags.offsets[column] + curve.middles  # of one recording, at each chunk's middle
    inside = np.flatnonzero((at >= 0) & (at <= curve.lengths[0]))
    found = []
    for some in np.array_split(inside, min(GROUPS, len(inside))) if len(inside) > 1 else ():
        rate = [float(curve.rates[row])]
        taken = along_rates(curve.chunks[some], curve.middles[some], curve.lags, rate, curve.middle)[0]
        found.append(belief[row] - taken)
    return found


def posterior(curve: Curve, tells: float) -> Array:
    """The log of what is believed of every rate and offset (R, L); `tells`: how often the best offset is right."""
    usual = curve.usual()
    scored = normalised(curve.scored + usual)
    counts = min(1.0, tells / near_best(scored, curve.lags))
    told = math.log(max(counts, 1e-9)) + scored
    return normalised(np.logaddexp(told, math.log(max(1 - counts, 1e-9)) + usual) + curve.given)


def believe(curve: Curve, tells: float, near: tuple[float, float] | None = None) -> Belief:
    """Read the best clock off a curve, and how far to believe it. `near`: only offsets between these two.

    >>> from actor_observer.alignment.curve import add_up
    >>> lags = Lags(-30, 121, 10.0)
    >>> hill = 40 * np.exp(-0.5 * ((lags.offsets - 2.0) / 0.2) ** 2)
    >>> curve = add_up({"motion": hill[None]}, (), np.array([5.0]), lags, (20.0, 10.0), {"motion": "motion"})
    >>> found = believe(curve, tells=0.8)
    >>> round(found.offset, 3), round(found.confidence, 1)
    (2.0, 0.8)
    """
    lags, belief = curve.lags, posterior(curve, tells)
    if near is not None:
        inside = (lags.offsets >= near[0]) & (lags.offsets <= near[1])
        belief = np.where(inside, belief, -np.inf) if inside.any() else belief
        belief = normalised(belief)
    share = np.exp(belief)
    row, column = np.unravel_index(int(belief.argmax()), belief.shape)
    centre, rate = _top(belief[row], int(column), lags), float(curve.rates[row])
    if len(curve.rates) > 1:
        around = share[:, max(0, column - 2) : column + 3].sum(axis=1)  # (R,)
        rate = float((around * curve.rates).sum() / around.sum())
    over_lags, best = share.sum(axis=0), belief.max(axis=0)
    here = np.abs(lags.offsets - centre) <= NEAR
    split = _split(curve, here)
    edge = not lags.bounded and near is None and min(column, lags.count - 1 - column) <= NEAR * lags.per_second
    confidence = float(over_lags[here].sum())
    return Belief(
        offset=centre - (rate - 1) * curve.middle,
        rate=rate,
        spread=_spread(over_lags, lags, centre),
        jumps=_jumps(curve, centre),
        rate_error=_rate_error(share.sum(axis=1), curve.rates, rate),
        candidates=_candidates(over_lags, best, lags, rate, curve.middle),
        confidence=min(confidence, 0.5) if split or edge else confidence,
        figures=figures_of(curve),
        given=log_mean(curve.given),
        kinds={name: float(part[column]) for name, part in curve.kinds.items()},
        split=split,
        edge=bool(edge),
    )


def _split(curve: Curve, here: NDArray[np.bool_]) -> bool:
    """Whether what is heard, or all that is seen, speaks clearly for another offset than the one chosen."""
    sums: dict[bool, Array] = {}
    for name, part in curve.kinds.items():
        heard = curve.senses[name] == "sound"
        sums[heard] = sums.get(heard, np.zeros(curve.lags.count)) + part
    return len(sums) == 2 and any(float(part.max() - part[here].max()) > AGAINST for part in sums.values())


def _top(belief: Array, at: int, lags: Lags) -> float:
    """The top of the parabola through the best lag and its neighbours, in seconds."""
    shift = 0.0
    if 0 < at < len(belief) - 1 and np.isfinite(belief[at - 1 : at + 2]).all():
        before, here, after = belief[at - 1 : at + 2]
        bend = before - 2 * here + after
        shift = float(np.clip(0.5 * (before - after) / bend, -0.5, 0.5)) if bend < 0 else 0.0
    return (lags.start + at + shift) / lags.per_second


def _spread(share: Array, lags: Lags, centre: float) -> float:
    """The standard deviation of the belief near the best offset; at least that of a step of the grid."""
    here = np.abs(lags.offsets - centre) <= APART
    near = share[here] / max(float(share[here].sum()), 1e-300)
    variance = float((near * (lags.offsets[here] - centre) ** 2).sum())
    return math.sqrt(variance + 1 / (12 * lags.per_second**2))


def _jumps(curve: Curve, centre: float) -> float:
    """The jackknife's standard error of the offset: how far the best one near the centre moves without each part."""
    if not curve.chunks.any():
        return 0.0  # only likelihoods speak (sound, times of files), and say themselves how far they are off
    here = np.abs(curve.lags.offsets - centre) <= NEAR
    start = int(np.flatnonzero(here)[0]) if here.any() else 0
    tops = [_top(one, start + int(one[here].argmax()), curve.lags) for one in left_out(curve) if here.any()]
    if len(tops) < 2:
        return NEAR
    return math.sqrt((len(tops) - 1) * float(np.var(tops)))


def _rate_error(share: Array, rates: Array, rate: float) -> float:
    if len(rates) == 1:
        return 1.96 * DRIFT  # nothing was measured: what cameras usually do
    spread = float(np.sqrt((share * (rates - rate) ** 2).sum()))
    return 1.96 * max(spread, float(rates[1] - rates[0]) / 4)


def _candidates(share: Array, belief: Array, lags: Lags, rate: float, middle: float) -> tuple[Candidate, ...]:
    left = belief.copy()
    found: list[Candidate] = []
    for _ in range(CANDIDATES):
        if not np.isfinite(left).any():
            break
        centre = _top(belief, int(np.argmax(left)), lags)
        mass = float(share[np.abs(lags.offsets - centre) <= NEAR].sum())
        if found and mass < 0.01:
            break
        if not found or mass <= MORE * found[0].share:
            found.append(Candidate(centre - (rate - 1) * middle, rate, mass))
        left[np.abs(lags.offsets - centre) < 2 * NEAR] = -np.inf
    return tuple(found)

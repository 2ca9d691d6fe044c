"""Two recordings of one event: what all evidence says about their clock. Pure functions; calibration uses the same.

Cameras on one event run at the same speed to within a few hundred parts per million, so only the offset is unknown, and
over long recordings the drift. Scores with weights (motion, likeness) add up to one curve over offsets, whose softmax
is q. How often such a curve tells the truth at all, p, was learned from its figures where the truth is known. Kinds
that give log likelihoods by themselves (sound, recording times) come on top:

    belief(offset) ∝ (p · q(offset) + (1 - p) · usual(offset)) · likelihood of sound and times(offset)

The confidence in a clock is the belief near it. Sound alone decides where it is alone, and so does motion.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from actor_observer.alignment.recordings.lags import Array, Lags, along_rates

__all__ = ["DRIFT", "NEAR", "Belief", "Candidate", "Curve", "Figures", "add_up", "believe", "figures_of"]

DRIFT = 100e-6  # of a clock's rate (one sigma): quartz of cameras and phones differs by tens of parts per million
MOST_DRIFT = 400e-6  # four of these sigmas
RATES = 17  # rates tried in between
NEAR = 0.3  # seconds around an offset that count as the same: half of what a person notices in a side-by-side
APART = 1.0  # seconds from the best offset at which another one is a rival
GROUPS = 4  # of what two recordings share, each left out in turn to see how far the best offset moves
CANDIDATES = 3  # offsets that are told: the best, and two rivals
LONG = 225.0  # seconds of the other recording from which on a drift is worth looking for: 100 ppm are a frame there
USUAL_OFFSET = 0.35  # of the longer recording: how far apart the two middles usually are (one sigma)
MOST_EACH = 8.0  # spreads: more than that says no more
AGAINST = 6.0  # log likelihood by which one sense prefers another offset than the one chosen: e⁶ is 400 to 1


@dataclass(frozen=True)
class Candidate:
    """A clock that the evidence allows: time of one = offset + rate · time of the other."""

    offset: float  # seconds
    rate: float
    share: float  # of the belief, 0 to 1


@dataclass(frozen=True, eq=False)
class Curve:
    """What all evidence says about two recordings, for every rate and offset."""

    lags: Lags
    lengths: tuple[float, float]  # seconds of one and of the other
    rates: Array  # (R,)
    middles: Array  # (C,) seconds of the other recording, of each chunk's middle
    chunks: Array  # (C, L) what all channels with a weight say of each chunk of the other recording
    scored: Array  # (R, L) their sum
    given: Array  # (R, L) log likelihoods of the kinds that need none
    kinds: Mapping[str, Array]  # (L,) what each kind adds to either
    senses: Mapping[str, str]  # what each kind goes by

    @property
    def middle(self) -> float:
        """Seconds of the other recording at which the offsets hold, whatever the rate."""
        return float(self.middles.mean())

    @property
    def strength(self) -> float:
        """The log of how much more likely all evidence is if the two show one event than if they do not."""
        return _log_mean(self.scored) + _log_mean(self.given)

    def usual(self) -> Array:
        """The log of what is believed before anything was seen (R, L).

        Recordings of one event rarely meet at their ends alone, and clocks rarely differ by much.
        """
        between = self.lags.offsets + (self.lengths[1] - self.lengths[0]) / 2  # of the two middles
        apart, drift = between / (USUAL_OFFSET * max(self.lengths)), (self.rates - 1) / DRIFT
        return _normalised(-0.5 * apart**2 - 0.5 * drift[:, None] ** 2)


class Figures(NamedTuple):
    """What a curve looks like, each figure bounded: what calibration judges it by."""

    mass: float  # log odds of the share of the belief within 0.3 s of the best offset
    strength: float  # root of the log of how much more likely the scores are than by chance
    lead: float  # root of how far the best offset is ahead of any that is a second away
    agree: float  # share of the kinds that say anything whose own best offset it is
    each: float  # mean over those kinds: how far their scores at the best offset stand out of all, in their spreads


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


def add_up(
    parts: Mapping[str, Array],  # (C, L) of each kind, weighed
    given: Collection[str],  # those of them that are log likelihoods by themselves
    middles: Array,  # (C,)
    lags: Lags,
    lengths: tuple[float, float],
    senses: Mapping[str, str],
    same_speed: bool = False,
) -> Curve:
    """The sum of all kinds of evidence at every rate near 1 and every offset."""
    drifts = lengths[1] > LONG and not same_speed
    rates = np.linspace(1 - MOST_DRIFT, 1 + MOST_DRIFT, RATES) if drifts else np.ones(1)
    sums = []
    for wanted in (False, True):
        some = [part for name, part in parts.items() if (name in given) is wanted]
        sums.append(sum(some, np.zeros((len(middles), lags.count))))  # (C, L)
    scored, heard = (along_rates(one, middles, lags, rates.tolist()) for one in sums)
    kinds = {name: part.sum(axis=0) for name, part in parts.items()}
    return Curve(lags, lengths, rates, middles, sums[0], scored, heard, kinds, dict(senses))


def figures_of(curve: Curve) -> Figures:
    """What calibration judges a curve by.

    >>> lags = Lags(-30, 121, 10.0)
    >>> hill = 40 * np.exp(-0.5 * ((lags.offsets - 2.0) / 0.2) ** 2)
    >>> curve = add_up({"motion": hill[None]}, (), np.array([5.0]), lags, (20.0, 10.0), {"motion": "motion"})
    >>> found = figures_of(curve)
    >>> round(found.mass, 1), round(found.lead, 1), found.agree, round(found.each, 1)
    (9.2, 5.0, 1.0, 5.8)
    """
    belief = curve.scored + curve.usual()
    best, offsets = belief.max(axis=0), curve.lags.offsets
    centre = offsets[int(best.argmax())]
    away = best[np.abs(offsets - centre) > APART]
    lead = float(best.max() - away.max()) if len(away) and np.isfinite(away).any() else 0.0
    near = np.exp(_normalised(belief)).sum(axis=0)[np.abs(offsets - centre) <= NEAR].sum()
    mass = min(max(float(near), 1e-4), 1 - 1e-4)
    strength = _log_mean(curve.scored)
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
    )


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
    """The log of what is believed of every rate and offset (R, L); `tells`: how often such a curve tells the truth."""
    usual = curve.usual()
    told = math.log(max(tells, 1e-9)) + _normalised(curve.scored + usual)
    return _normalised(np.logaddexp(told, math.log(max(1 - tells, 1e-9)) + usual) + curve.given)


def believe(curve: Curve, tells: float, near: tuple[float, float] | None = None) -> Belief:
    """Read the best clock off a curve, and how far to believe it. `near`: only offsets between these two.

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
        belief = _normalised(belief)
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
        given=_log_mean(curve.given),
        kinds={name: float(part[column]) for name, part in curve.kinds.items()},
        split=split,
        edge=bool(edge),
    )


def _log_mean(scores: Array) -> float:
    """The log of the mean of exp(scores)."""
    return float(np.log(np.mean(np.exp(scores - scores.max()))) + scores.max())


def _normalised(belief: Array) -> Array:
    """The log of shares that add up to 1."""
    top = belief.max()
    return np.asarray(belief - top - math.log(float(np.exp(belief - top).sum())))


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
        found.append(Candidate(centre - (rate - 1) * middle, rate, mass))
        left[np.abs(lags.offsets - centre) < 2 * NEAR] = -np.inf
    return tuple(found)

"""Two cameras on one event: which offset does all the evidence speak for, and how surely?

Cameras on one event run at the same speed to within a few hundred parts per million, so only the offset is unknown, and
over long recordings the drift. The scores of all kinds of evidence add up to a log likelihood for every offset.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from actor_observer.alignment.evidence import Evidence, LagScores
from actor_observer.alignment.lags import Array, Lags, along_rates, lag_grid
from actor_observer.alignment.recording import Recording

__all__ = ["Candidate", "OneEvent", "weigh_one_event"]

DRIFT = 100e-6  # of a clock's rate (one sigma)
MOST_DRIFT = 400e-6
NEAR = 0.3  # seconds around an offset that count as the same
APART = 0.5  # seconds between two candidates, at least
CANDIDATES = 3
PRECISION = 0.012  # seconds: what motion cannot tell apart even where it is sure (one sigma)
AGAINST = 6.0  # log likelihood: sound and pictures disagree if either prefers another offset by more than this
USUAL_OFFSET = 0.35  # of the longer recording: how far apart the two middles usually are (one sigma)


@dataclass(frozen=True)
class Candidate:
    """A clock that the evidence allows: third = offset + rate · first."""

    offset: float  # seconds
    rate: float
    share: float  # of the belief, 0 to 1


@dataclass(frozen=True)
class OneEvent:
    """What the evidence says if both recordings show one event."""

    offset: float  # seconds: third = offset + rate · first
    rate: float
    offset_error: float  # half-width, 95 %: of the clock at the middle of the first-person recording
    rate_error: float
    candidates: tuple[Candidate, ...]  # best first; the shares are of all belief, so they may add up to less than 1
    mass: float  # belief within 0.3 s of the best offset
    strength: float  # log of how much more likely the evidence is if they show one event than if they do not
    kinds: Mapping[str, float]  # what each kind of evidence adds to the log likelihood of the best offset
    disagree: bool = False  # sound and pictures speak for different offsets: one of them is out of step by itself

    def to_third(self, time: float) -> float:
        return self.offset + self.rate * time

    def figures(self) -> tuple[float, float]:
        """What calibration judges it by: the log odds of its share of the belief, and its strength, both bounded.

        >>> OneEvent(0, 1, 0.1, 0, (), mass=0.5, strength=25.0, kinds={}).figures()
        (0.0, 20.0)
        """
        mass = min(max(self.mass, 1e-4), 1 - 1e-4)
        return math.log(mass / (1 - mass)), min(self.strength, 20.0)


def weigh_one_event(
    third: Recording,
    first: Recording,
    evidence: Sequence[Evidence],
    weights: Mapping[str, float],
    per_second: float,
    max_offset: float | None = None,
    same_speed: bool = False,
) -> OneEvent:
    """Add up all evidence at every offset (and rate near 1), and read off the best ones."""
    lags = lag_grid(third.length, first.length, per_second)
    said = {kind.name: found for kind in evidence if (found := kind.lags(third, first, lags)) is not None}
    middles = max((found.middles for found in said.values()), key=len, default=np.array([first.length / 2]))
    parts = {name: _weighed(found, weights, len(middles), lags) for name, found in said.items()}  # (C, L) each
    total = sum(parts.values(), np.zeros((len(middles), lags.count)))
    drifts = len(middles) > 1 and not same_speed
    rates = np.linspace(1 - MOST_DRIFT, 1 + MOST_DRIFT, 17) if drifts else np.ones(1)
    likelihood = along_rates(total, middles, lags, rates.tolist())  # (R, L)
    belief = likelihood + _usual(third, first, lags) - 0.5 * ((rates - 1) / DRIFT)[:, None] ** 2
    if max_offset is not None:
        belief[:, np.abs(lags.offsets) > max_offset + 0.5 / per_second] = -np.inf
        if not np.isfinite(belief).any():
            belief = np.where(np.isfinite(belief), belief, 0.0)
    share = np.exp(belief - belief.max())
    share /= share.sum()
    row, column = np.unravel_index(int(belief.argmax()), belief.shape)
    centre, rate = _refined(belief[row], int(column), lags), float(rates[row])
    if drifts:
        near = share[:, max(0, column - 2) : column + 3].sum(axis=1)  # (R,)
        rate = float((near * rates).sum() / near.sum())
    middle = float(middles.mean())
    over_lags = share.sum(axis=0)
    return OneEvent(
        offset=centre - (rate - 1) * middle,
        rate=rate,
        offset_error=_half_width(over_lags, lags.offsets, centre, 0.5 / per_second),
        rate_error=_rate_error(share.sum(axis=1), rates, rate, drifts),
        candidates=_candidates(over_lags, belief.max(axis=0), lags, rate, middle),
        mass=float(over_lags[np.abs(lags.offsets - centre) <= NEAR].sum()),
        strength=float(np.log(np.mean(np.exp(likelihood - likelihood.max()))) + likelihood.max()),
        kinds={name: float(part.sum(axis=0)[column]) for name, part in parts.items()},
        disagree=_disagree({name: part.sum(axis=0) for name, part in parts.items()}, lags, centre),
    )


def _disagree(parts: Mapping[str, Array], lags: Lags, centre: float) -> bool:
    """Whether sound, or all that is seen, speaks clearly for another offset than the one chosen."""
    if "sound" not in parts:
        return False
    heard = parts["sound"]
    seen = sum((part for name, part in parts.items() if name != "sound"), np.zeros(lags.count))
    here = np.abs(lags.offsets - centre) <= NEAR
    return any(float(part.max() - part[here].max()) > AGAINST for part in (heard, seen))


def _weighed(found: LagScores, weights: Mapping[str, float], chunks: int, lags: Lags) -> Array:
    """A kind's channels, each times its weight; a kind without chunks is spread over all of them."""
    total = np.zeros((len(found.middles), lags.count))
    for name, scores in found.channels:
        weight = 1.0 if name.startswith("!") else weights.get(name, 0.0)
        if weight > 0:
            total += weight * scores()
    return total if len(total) == chunks else np.repeat(total.sum(axis=0)[None] / chunks, chunks, axis=0)


def _usual(third: Recording, first: Recording, lags: Lags) -> Array:
    """What an offset costs before anything was seen: recordings of one event rarely overlap at their ends alone."""
    between = lags.offsets + first.length / 2 - third.length / 2  # of the two middles
    return -0.5 * (between / (USUAL_OFFSET * max(third.length, first.length))) ** 2


def _refined(belief: Array, at: int, lags: Lags) -> float:
    """The top of the parabola through the best lag and its neighbours, in seconds."""
    shift = 0.0
    if 0 < at < len(belief) - 1 and np.isfinite(belief[at - 1 : at + 2]).all():
        before, here, after = belief[at - 1 : at + 2]
        bend = before - 2 * here + after
        shift = float(np.clip(0.5 * (before - after) / bend, -0.5, 0.5)) if bend < 0 else 0.0
    return (lags.start + at + shift) / lags.per_second


def _half_width(share: Array, offsets: Array, centre: float, least: float) -> float:
    """The distance from the best offset within which 95 % of the belief lies."""
    apart = np.abs(offsets - centre)
    order = np.argsort(apart)
    enough = int(np.searchsorted(np.cumsum(share[order]), 0.95))
    width = float(apart[order[min(enough, len(order) - 1)]])
    return max(width, least, 1.96 * PRECISION)


def _rate_error(share: Array, rates: Array, rate: float, drifts: bool) -> float:
    if not drifts:
        return 1.96 * DRIFT  # nothing was measured: what cameras usually do
    spread = float(np.sqrt((share * (rates - rate) ** 2).sum()))
    return 1.96 * max(spread, (rates[1] - rates[0]) / 4)


def _candidates(share: Array, belief: Array, lags: Lags, rate: float, middle: float) -> tuple[Candidate, ...]:
    left = belief.copy()
    found: list[Candidate] = []
    for _ in range(CANDIDATES):
        if not np.isfinite(left).any():
            break
        at = int(np.argmax(left))
        centre = _refined(belief, at, lags)
        mass = float(share[np.abs(lags.offsets - centre) <= NEAR].sum())
        if found and mass < 0.01:
            break
        found.append(Candidate(centre - (rate - 1) * middle, rate, mass))
        left[np.abs(lags.offsets - centre) < APART] = -np.inf
    return tuple(found)

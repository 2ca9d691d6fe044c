"""What all evidence says about two recordings, for every rate and offset between their clocks."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from actor_observer.alignment.recordings.lags import Array, Lags, along_rates

__all__ = ["DRIFT", "Curve", "add_up", "log_mean", "normalised"]

DRIFT = 100e-6  # of a clock's rate (one sigma): quartz of cameras and phones differs by tens of parts per million
MOST_DRIFT = 400e-6  # four of these sigmas
RATES = 17  # rates tried in between
LONG = 225.0  # seconds of the other recording from which on a drift is worth looking for: 100 ppm are a frame there
USUAL_OFFSET = 0.35  # of the longer recording: how far apart the two middles usually are (one sigma)


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
        return log_mean(self.scored) + log_mean(self.given)

    def usual(self) -> Array:
        """The log of what is believed before anything was seen (R, L).

        Recordings of one event rarely meet at their ends alone, and clocks rarely differ by much.
        """
        between = self.lags.offsets + (self.lengths[1] - self.lengths[0]) / 2  # of the two middles
        apart, drift = between / (USUAL_OFFSET * max(self.lengths)), (self.rates - 1) / DRIFT
        return normalised(-0.5 * apart**2 - 0.5 * drift[:, None] ** 2)


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


def log_mean(scores: Array) -> float:
    """The log of the mean of exp(scores)."""
    return float(np.log(np.mean(np.exp(scores - scores.max()))) + scores.max())


def normalised(belief: Array) -> Array:
    """The log of shares that add up to 1."""
    top = belief.max()
    return np.asarray(belief - top - math.log(float(np.exp(belief - top).sum())))

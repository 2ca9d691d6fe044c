"""Which recordings belong together? All are compared with all; each gets one partner or none."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from actor_observer.alignment.calibration import OneEventCalibration
from actor_observer.alignment.one_event import OneEvent
from actor_observer.alignment.recording import Recording
from actor_observer.alignment.result import Verdict
from actor_observer.alignment.weigher import Weigher, judge_event
from actor_observer.pairs.clock import Clock

__all__ = ["Partners", "assign", "find_partners", "partner_shares"]

Array = NDArray[np.float64]
SHORTLIST = 0.01  # share of the belief from which a pair is looked at with the network, too
LIKELY = 0.5  # share of the belief from which somebody is a partner at all


@dataclass(frozen=True, eq=False)
class Partners:
    """A room recording and a head recording that probably show one event: third = offset + rate · first."""

    third: Recording
    first: Recording
    share: float  # of the belief, 0 to 1, among all that either could belong to, and nobody
    confidence: float  # the share, or that the clock is right, whichever is less
    verdict: Verdict  # "in step": both the partner and the clock are sure; else "cannot tell"
    event: OneEvent

    @property
    def clock(self) -> Clock:
        """Two anchor points: the ends of what both show."""
        event, lengths = self.event, (self.third.length, self.first.length)
        ends = max(0.0, -event.offset / event.rate), min(lengths[1], (lengths[0] - event.offset) / event.rate)
        return Clock(tuple((round(event.to_third(end), 4), round(end, 4)) for end in ends))


def find_partners(
    thirds: Sequence[Recording],
    firsts: Sequence[Recording],
    weigher: Weigher,
    each: Callable[[], object] = lambda: None,  # called once for each third-person recording
) -> list[Partners]:
    """Compare all with all by motion and sound, the likely ones by likeness, too; each gets at most one partner."""
    events = {}
    odds = np.zeros((len(thirds), len(firsts)))  # log odds of one event
    for row, third in enumerate(thirds):
        for column, first in enumerate(firsts):
            event = weigher.weigh(third, first, likeness=False)
            events[row, column], odds[row, column] = event, _log_odds(weigher.calibration, event, third, first)
        each()
    if weigher.network is not None:
        for row, column in np.argwhere(partner_shares(odds) >= SHORTLIST).tolist():
            third, first = thirds[row], firsts[column]
            event = weigher.weigh(third, first)
            events[row, column], odds[row, column] = event, _log_odds(weigher.calibration, event, third, first)
    shares = partner_shares(odds)
    found = []
    for row, column in assign(odds):
        if shares[row, column] >= LIKELY:
            third, first, event = thirds[row], firsts[column], events[row, column]
            share = float(shares[row, column])
            verdict, clock, _ = judge_event(event, weigher.calibration, (third.length, first.length))
            sure = verdict == "in step" and share >= weigher.calibration.sure
            found.append(Partners(third, first, share, min(share, clock), "in step" if sure else "cannot tell", event))
    return found


def partner_shares(odds: Array) -> Array:
    """How much of the belief each pair (N, M) has, among all pairs that share a recording with it, and no pair at all.

    `odds` are log odds that a pair picked at random shows one event.

    >>> partner_shares(np.array([[9.0, -3.0], [8.9, -3.0]])).round(2).tolist()
    [[0.52, 0.0], [0.47, 0.0]]
    """
    weight = np.exp(np.minimum(_less_prior(odds), 600.0))  # (N, M)
    rivals = weight.sum(axis=0, keepdims=True) + weight.sum(axis=1, keepdims=True) - weight
    return np.asarray(weight / (1.0 + rivals))


def assign(odds: Array) -> list[tuple[int, int]]:
    """Pairs (row, column) with the largest sum of log odds; whoever would lower it stays alone.

    >>> assign(np.array([[9.0, 8.0], [8.5, -3.0], [-9.0, -9.0]]))
    [(0, 1), (1, 0)]
    """
    gain = _less_prior(odds)
    alone = np.zeros((len(gain), len(gain)))
    rows, columns = linear_sum_assignment(np.concatenate([gain, alone], axis=1), maximize=True)
    return [(int(row), int(column)) for row, column in zip(rows, columns, strict=True) if column < gain.shape[1]]


def _less_prior(odds: Array) -> Array:
    """Of N candidates at most one is right: each has the odds of 1 in N before anything was seen."""
    return np.asarray(odds - math.log(max(odds.shape, default=1)))


def _log_odds(calibration: OneEventCalibration, event: OneEvent, third: Recording, first: Recording) -> float:
    """As `calibration.matched`, without its limit: of two that are both beyond doubt, the stronger is the partner."""
    bias, of_strength, of_length = calibration.match
    seconds = max(min(third.length, first.length), 1.0)
    return bias + of_strength * event.strength + of_length * math.log(seconds)

"""Which recordings belong together? All are compared with all; each gets one partner or none."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.special import logit

from actor_observer.alignment.compare import Comparer, Comparison
from actor_observer.alignment.recordings.recording import Recording
from actor_observer.alignment.result import Verdict
from actor_observer.pairs.clock import Clock

__all__ = ["Partners", "assign", "find_partners", "partner_shares", "stranger_odds"]

Array = NDArray[np.float64]
LIKELY = 0.5  # share of the belief from which somebody is a partner at all
PARTNERED = 0.8  # of the recordings have a partner, before anything was seen
LEAST_SIDE = 6  # recordings a side from which the table itself shows how strong the evidence for strangers is
ROUNDS = 100  # of belief propagation
REACH = 8.0  # of the strength of partners above that of strangers: every value up to this is equally likely


@dataclass(frozen=True, eq=False)
class Partners:
    """A room recording and a head recording that probably show one event: third = offset + rate · first."""

    third: Recording
    first: Recording
    share: float  # of the belief, 0 to 1, among all that either could belong to, and nobody
    confidence: float  # the share, or that the clock is right, whichever is less
    verdict: Verdict  # "in step": both the partner and the clock are sure; else "cannot tell"
    found: Comparison

    @property
    def clock(self) -> Clock:
        """Two anchor points: the ends of what both show."""
        belief, lengths = self.found.belief, (self.third.length, self.first.length)
        ends = max(0.0, -belief.offset / belief.rate), min(lengths[1], (lengths[0] - belief.offset) / belief.rate)
        return Clock(tuple((round(belief.to_one(end), 4), round(end, 4)) for end in ends))


def find_partners(
    thirds: Sequence[Recording],
    firsts: Sequence[Recording],
    comparer: Comparer,
    each: Callable[[], object] = lambda: None,  # called once for each third-person recording
) -> list[Partners]:
    """Compare all with all, by all evidence; each gets at most one partner."""
    table: list[list[Comparison]] = []
    for third in thirds:
        table.append([comparer.compare(third, first) for first in firsts])
        each()
    odds = _log_odds(table)
    shares = partner_shares(odds)
    partners = []
    for row, column in assign(odds):
        if shares[row, column] >= LIKELY:
            third, first, found = thirds[row], firsts[column], table[row][column]
            share = float(shares[row, column])
            sure = found.verdict == "in step" and share >= comparer.calibration.sure
            verdict: Verdict = "in step" if sure else "cannot tell"
            partners.append(Partners(third, first, share, min(share, found.confidence), verdict, found))
    return partners


def stranger_odds(strengths: Array) -> Array:
    """Log odds (N, M) against being strangers, whose strengths the table itself shows: nearly all of its pairs are.

    A recording with much motion agrees a little with everything, so the medians of a pair's row and column are taken
    off. Strangers' strengths fall off exponentially above the median, as the 90th percentile shows.

    >>> table = np.random.default_rng(0).gumbel(2.0, 0.4, (12, 12)); table[3, 5] = 7.0
    >>> odds = stranger_odds(table)
    >>> int(odds.argmax()) == 3 * 12 + 5, bool(odds[3, 5] > 5), bool(np.median(odds) < -1)
    (True, True, True)
    """
    middle = float(np.median(strengths))
    less = np.median(strengths, axis=1, keepdims=True) + np.median(strengths, axis=0, keepdims=True) - middle
    above = strengths - less  # (N, M)
    above -= np.median(above)
    scale = max(float(np.quantile(above, 0.9)) / math.log(5), 0.1)
    return np.asarray(above / scale + math.log(scale / (0.5 * REACH)))


def partner_shares(odds: Array) -> Array:
    """How likely each pair (N, M) is, if everybody has one partner or none: marginals of all one-to-one assignments.

    `odds` are log odds w that a pair picked at random shows one event. Belief propagation: a recording's claim on
    another fades where either has somebody better, α = 1 / (1 + Σ w·β) over its other candidates, and β alike for the
    other side; then p = w·α·β / (1 + w·α·β).

    >>> partner_shares(np.array([[9.0, -3.0], [8.9, -3.0]])).round(2).tolist()
    [[0.53, 0.04], [0.47, 0.05]]
    >>> partner_shares(np.array([[9.0, -3.0], [8.9, 9.0]])).round(2).tolist()  # the second is spoken for
    [[1.0, 0.0], [0.0, 1.0]]
    """
    weight = np.exp(np.minimum(_with_prior(odds), 30.0))  # (N, M)
    third, first = np.ones_like(weight), np.ones_like(weight)  # α and β
    for _ in range(ROUNDS):
        claims = weight * first
        third = 0.5 * third + 0.5 / (1 + np.maximum(claims.sum(axis=1, keepdims=True) - claims, 0))
        claims = weight * third
        first = 0.5 * first + 0.5 / (1 + np.maximum(claims.sum(axis=0, keepdims=True) - claims, 0))
    both = weight * third * first
    return np.asarray(both / (1 + both))


def assign(odds: Array) -> list[tuple[int, int]]:
    """Pairs (row, column) with the largest sum of log odds; whoever would lower it stays alone.

    >>> assign(np.array([[9.0, 8.0], [8.5, -3.0], [-9.0, -9.0]]))
    [(0, 1), (1, 0)]
    """
    gain = _with_prior(odds)
    alone = np.zeros((len(gain), len(gain)))
    rows, columns = linear_sum_assignment(np.concatenate([gain, alone], axis=1), maximize=True)
    return [(int(row), int(column)) for row, column in zip(rows, columns, strict=True) if column < gain.shape[1]]


def _with_prior(odds: Array) -> Array:
    """Most recordings have a partner, but of N candidates it is only one."""
    return np.asarray(odds + math.log(PARTNERED / (1 - PARTNERED) / max(*odds.shape, 1)))


def _log_odds(table: Sequence[Sequence[Comparison]]) -> Array:
    """Log odds of one event for every pair: by the table itself where it is large enough, else as calibrated."""
    strengths = np.array([[found.curve.strength for found in row] for row in table])  # (N, M)
    if min(strengths.shape) >= LEAST_SIDE:
        return stranger_odds(strengths)
    return np.asarray(logit(np.clip([[found.matched for found in row] for row in table], 1e-12, 1 - 1e-12)))

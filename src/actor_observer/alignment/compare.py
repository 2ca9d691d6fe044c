"""Compare any two of several recordings, each looked at only once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from actor_observer.alignment.belief import Belief
from actor_observer.alignment.calibration import EventCalibration, ViewsCalibration, load_calibration
from actor_observer.alignment.curve import Curve, add_up
from actor_observer.alignment.kinds import KINDS
from actor_observer.alignment.kinds.motion import motion_rate
from actor_observer.alignment.kinds.signal_curves import signal_rate
from actor_observer.alignment.recordings.evidence import Evidence, LagScores
from actor_observer.alignment.recordings.lags import Array, Lags, lag_grid
from actor_observer.alignment.recordings.recording import Recording
from actor_observer.alignment.result import Verdict
from actor_observer.alignment.sight import Sight
from actor_observer.features.extract import one_thread

__all__ = ["SHORTEST", "Comparer", "Comparison"]

SHORTEST = 4.0  # seconds of either recording: in less, nothing happens that another camera could recognise
LONG = 20.0  # seconds of either: in less, little evidence does not speak against a match


@dataclass(frozen=True, eq=False)
class Comparison:
    """What comparing two recordings gave: time of one = offset + rate · time of the other."""

    one: Recording
    other: Recording
    curve: Curve
    belief: Belief
    tells: float  # the chance that the curve tells the truth
    matched: float  # the chance that both show one event, 0 to 1
    error: float  # half-width of the offset at the middle of the other recording, 95 %
    telling: bool  # whether anything in the two recordings tells when
    verdict: Verdict

    @property
    def confidence(self) -> float:
        """The chance that the clock is right, 0 to 1."""
        return self.belief.confidence if self.telling else 0.0


@dataclass(eq=False)
class Comparer:
    """Compares recordings by all kinds of evidence; what a network sees is asked only where the others are not sure."""

    sight: Sight | None = None
    max_offset: float | None = None  # seconds: two recordings started no further apart
    same_speed: bool = False
    kinds: Sequence[Evidence] = KINDS
    calibration: EventCalibration = field(default_factory=load_calibration)

    def compare(self, one: Recording, other: Recording) -> Comparison:
        """Two recordings: a room camera before a head camera, either before a signal."""
        rate = signal_rate(one, other) or motion_rate(one.motion, other.motion)
        lags = lag_grid(one.length, other.length, rate, self.max_offset)
        found = self._judged(one, other, lags, self.kinds)
        if found.verdict != "in step" and self.sight is not None and found.telling:
            likeness = self.sight.likeness(one, other)
            if likeness is not None:
                found = self._judged(one, other, lags, [*self.kinds, likeness])
        return found

    @one_thread()  # many small sums: threads would wait for each other longer than they add
    def curve(self, one: Recording, other: Recording, lags: Lags, kinds: Sequence[Evidence]) -> Curve:
        """What these kinds of evidence say about every offset."""
        said = [(kind, found) for kind in kinds if (found := kind.lags(one, other, lags)) is not None]
        middles = max((found.middles for _, found in said), key=len, default=np.array([other.length / 2]))
        weights = self.calibration.weights(one.source, other.source)
        parts = {kind.name: _weighed(kind, found, weights, len(middles), lags.count) for kind, found in said}
        given = {kind.name for kind, _ in said if kind.likelihood}
        senses = {kind.name: kind.sense for kind, _ in said}
        return add_up(parts, given, middles, lags, (one.length, other.length), senses, self.same_speed)

    def _judged(self, one: Recording, other: Recording, lags: Lags, kinds: Sequence[Evidence]) -> Comparison:
        curve = self.curve(one, other, lags, kinds)
        fitted = self.calibration.of(one.source, other.source)
        belief = fitted.believe(curve)
        telling = min(curve.lengths) >= SHORTEST and any(
            float(np.ptp(part)) > 1e-9 for name, part in curve.kinds.items() if curve.senses[name] != "file"
        )
        matched = fitted.matched(belief)
        verdict = self._verdict(belief, fitted, matched, min(curve.lengths)) if telling else "cannot tell"
        tells = fitted.tells(belief.figures)
        return Comparison(one, other, curve, belief, tells, matched, fitted.error_of(belief), telling, verdict)

    def _verdict(self, belief: Belief, fitted: ViewsCalibration, matched: float, shorter: float) -> Verdict:
        if belief.confidence >= self.calibration.sure:
            return "in step"
        return "unrelated" if shorter >= LONG and matched < fitted.unrelated else "cannot tell"


def _weighed(kind: Evidence, found: LagScores, weights: Mapping[str, float], chunks: int, count: int) -> Array:
    """A kind's channels (C, L), each times its weight; a kind without chunks is spread over all of them."""
    total: Array = np.zeros((len(found.middles), count))
    for name, scores in found.channels:
        weight = 1.0 if kind.likelihood else weights.get(name, 0.0)
        if weight > 0:
            total = total + weight * scores()
    if len(total) == chunks:
        return total
    return np.repeat(total.sum(axis=0)[None] / chunks, chunks, axis=0)

"""Sound as a kind of evidence: what everybody else puts recordings in step by, where both have it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from actor_observer.alignment.hearing.sound import match_heard
from actor_observer.alignment.recordings.evidence import LagScores, Sense
from actor_observer.alignment.recordings.lags import Lags
from actor_observer.alignment.recordings.recording import Recording

__all__ = ["SoundEvidence"]

DEAF = 0.1  # chance that cameras at one event hear nothing alike: far apart, behind glass, a covered microphone
DOUBT = 0.02  # that the two sounds agree for another reason: a broadcast, a loop, sound out of step with its pictures


@dataclass(frozen=True)
class SoundEvidence:
    """Both microphones heard one event.

    A log likelihood by itself: high at the offsets that the sound allows, in proportion to how sure it is. Where both
    hear much and nothing agrees, it is below zero at every offset: evidence against one event, limited by the
    chance that one microphone hears what the other does not.
    """

    name: str = "sound"
    sense: Sense = "sound"
    likelihood: bool = True

    def lags(self, one: Recording, other: Recording, lags: Lags) -> LagScores | None:
        heard = one.sound, other.sound
        if heard[0] is None or heard[1] is None or heard[0].silent or heard[1].silent:
            return None
        match = match_heard(heard[0], heard[1], float(np.abs(lags.offsets[[0, -1]]).max()))
        odds = match.probability / max(1 - match.probability, 1e-9)
        middle = other.length / 2
        belief = min(match.probability, 1 - DOUBT) if match.candidates else 0.0
        density = np.full(lags.count, 1 - belief)
        for candidate in match.candidates:
            at = candidate.offset + (candidate.rate - 1) * middle  # the offset at the middle of the recording
            width = max(0.5 * match.middle_error, 0.6 / lags.per_second)
            shape = np.exp(-0.5 * ((lags.offsets - at) / width) ** 2)
            density += belief * candidate.share * lags.count * shape / max(float(shape.sum()), 1e-9)
        density *= min(max(odds, DEAF), 1.0)
        return LagScores([(self.name, lambda: np.log(density)[None])], np.array([middle]))

"""A kind of evidence: somebody claps after five seconds of one recording, and at the start of the other."""

from dataclasses import dataclass

import numpy as np

from actor_observer.alignment.recordings.evidence import LagScores, Sense
from actor_observer.alignment.recordings.lags import Lags
from actor_observer.alignment.recordings.recording import Recording


@dataclass(frozen=True)
class Clap:
    name: str = "clap"
    sense: Sense = "sight"
    likelihood: bool = True

    def lags(self, one: Recording, other: Recording, lags: Lags) -> LagScores:
        return LagScores(
            [("clap", lambda: 9.0 * (np.abs(lags.offsets - 5.0) < 0.2)[None])], np.array([other.length / 2])
        )

"""When the files say that they were recorded: a weak hint, as cameras' clocks are often minutes or hours off."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from actor_observer.alignment.recordings.evidence import LagScores, Sense
from actor_observer.alignment.recordings.lags import Lags
from actor_observer.alignment.recordings.recording import Recording

__all__ = ["RecordingTimes"]

BELIEF = 0.3  # that both clocks were set, and that both files name the start of the recording
EXACT, EXACTLY = 1.5, 0.9  # seconds: what both know so well comes from satellites, and is believed this far


@dataclass(frozen=True)
class RecordingTimes:
    """The difference between the two files' recording times.

    >>> import datetime
    >>> from actor_observer.alignment.recordings.lags import lag_grid
    >>> third, first = (Recording(np.zeros(0, np.uint8), view, 60.0) for view in ("third", "first"))
    >>> start = datetime.datetime(2024, 5, 1, 12, 0, 0)
    >>> third.__dict__["started"], first.__dict__["started"] = start, start + datetime.timedelta(seconds=20)
    >>> lags = lag_grid(60.0, 60.0, 2.0)
    >>> found = RecordingTimes().lags(third, first, lags).channels[0][1]()
    >>> float(lags.offsets[found[0].argmax()])
    20.0
    """

    name: str = "recording times"
    sense: Sense = "file"
    likelihood: bool = True

    def lags(self, one: Recording, other: Recording, lags: Lags) -> LagScores | None:
        if one.started is None or other.started is None:
            return None
        apart = (other.started - one.started).total_seconds()
        spread = math.hypot(one.started_error, other.started_error)
        belief = EXACTLY if max(one.started_error, other.started_error) <= EXACT else BELIEF
        shape = np.exp(-0.5 * ((lags.offsets - apart) / spread) ** 2)
        if shape.max() < 0.1:
            return None  # the recordings would not even overlap: a clock was not set
        scores = np.log(1 - belief + belief * lags.count * shape / shape.sum())
        return LagScores([(self.name, lambda: scores[None])], np.array([other.length / 2]))

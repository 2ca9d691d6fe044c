"""What a kind of evidence is: what it senses in two recordings, and its scores for every offset between them.

The kinds are listed in `kinds/__init__.py`; a new one is a file there and a line in that list. Scores of all kinds are
added up, each channel times the weight that calibration gave it (`calibration.py`): a channel that is noise where the
truth is known gets no say. A kind whose scores are log likelihoods already needs no weight.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from actor_observer.alignment.recordings.lags import Lags
from actor_observer.alignment.recordings.recording import Recording

__all__ = ["Evidence", "LagScores", "Scores", "Sense", "on_lags"]

Array = NDArray[np.float64]
Scores = Callable[[], Array]  # (C, L): a row for each chunk of the other recording; they add up
Sense = Literal["motion", "sound", "sight", "file"]  # what a kind goes by; "file": what is written in the files


@dataclass(frozen=True, eq=False)
class LagScores:
    """What one kind of evidence says about every offset."""

    channels: Sequence[tuple[str, Scores]]  # names, and what computes their scores when they are asked for
    middles: Array  # (C,) seconds of the other recording, of each chunk's middle


class Evidence(Protocol):
    """A kind of evidence that two recordings show one event."""

    @property
    def name(self) -> str:
        """In one or two words, for the answer."""
        ...

    @property
    def sense(self) -> Sense:
        """What it goes by: kinds of one sense fail together."""
        ...

    @property
    def likelihood(self) -> bool:
        """Whether its scores are log likelihoods already; else each channel has a weight from calibration."""
        ...

    def lags(self, one: Recording, other: Recording, lags: Lags) -> LagScores | None:
        """Scores at these lags, time of one = lag + time of the other; None where this kind has nothing to go by."""
        ...


def on_lags(scores: Array, own: Lags, lags: Lags) -> Array:
    """Scores (C, L′) at a kind's own lags, read at the common ones (C, L).

    >>> on_lags(np.array([[0.0, 1.0]]), Lags(0, 2, 1.0), Lags(0, 3, 2.0)).tolist()
    [[0.0, 0.5, 1.0]]
    """
    return np.stack([np.interp(lags.offsets, own.offsets, row) for row in scores])

"""Kinds of evidence for one event, each an object: what it takes from two recordings, and its scores at every lag.

A new kind is a new file with a class like those in `motion.py`, and a line in `align.py`'s list. Scores are added up
over all kinds, each times the weight that calibration gave its channel (`calibration.py`): a channel that is noise on
pairs whose truth is known gets no say. A kind whose scores are log likelihoods already names its channel with a `!`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from actor_observer.alignment.lags import Lags
from actor_observer.alignment.recording import Recording

__all__ = ["Evidence", "LagScores", "on_lags"]

Array = NDArray[np.float64]
Scores = Callable[[], Array]  # (C, L): a row for each chunk of the first-person recording; they add up


@dataclass(frozen=True, eq=False)
class LagScores:
    """What one kind of evidence says about every offset."""

    channels: Sequence[tuple[str, Scores]]  # names, and what computes their scores when they are asked for
    middles: Array  # (C,) seconds of the first-person recording, of each chunk's middle


class Evidence(Protocol):
    """A kind of evidence that two recordings show one event."""

    @property
    def name(self) -> str:
        """In one word, for the answer."""
        ...

    def lags(self, third: Recording, first: Recording, lags: Lags) -> LagScores | None:
        """Scores at these lags; None where this kind has nothing to go by."""
        ...


def on_lags(scores: Array, own: Lags, lags: Lags) -> Array:
    """Scores (C, L′) at a kind's own lags, read at the common ones (C, L).

    >>> on_lags(np.array([[0.0, 1.0]]), Lags(0, 2, 1.0), Lags(0, 3, 2.0)).tolist()
    [[0.0, 0.5, 1.0]]
    """
    return np.stack([np.interp(lags.offsets, own.offsets, row) for row in scores])

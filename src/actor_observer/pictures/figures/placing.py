"""Where the first-person moments of a pair are placed, for the figure: by distance alone, a few of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from actor_observer.features.distances import box_mean, distance_matrix
from actor_observer.features.embeddings import TakeEmbedding
from actor_observer.pairs.clock import Clock
from actor_observer.pictures.figures.choose import spread

__all__ = ["place"]

MOMENTS = 9  # few enough lines to tell apart
Join = tuple[float, float]  # third-person and first-person seconds


def place(
    third: TakeEmbedding, first: TakeEmbedding, clock: Clock, seconds: float = 1.0
) -> tuple[list[Join], Join, NDArray[np.float64]]:
    """Some moments with the third-person time chosen for each, the best pair of all moments, and all errors.

    Moments that the clock puts outside the third-person take are left out, as in the tables.

    >>> times = np.arange(0.5, 12, 1.0)
    >>> same = TakeEmbedding("third", times, np.eye(12))
    >>> joins, best, errors = place(same, same, Clock.scaled(12, 12))
    >>> joins[0], float(errors.max())
    ((0.5, 0.5), 0.0)
    """
    step = float(np.median(np.diff(third.times))) if len(third.times) > 1 else 1.0
    radius = round(seconds / step / 2) if step < seconds else 0
    mean = box_mean(distance_matrix(third.features, first.features), radius)  # (M1, M3)
    at_third, at_first = (
        _middles(take.times, size) for take, size in zip((third, first), mean.shape[::-1], strict=True)
    )
    truth = clock.to_third(at_first)
    shown = (truth >= at_third[0] - step / 2) & (truth <= at_third[-1] + step / 2) & clock.first_in_both(at_first)
    rows = np.flatnonzero(shown) if shown.any() else np.arange(len(at_first))
    placed = at_third[mean[rows].argmin(axis=1)]
    row, column = np.unravel_index(mean[rows].argmin(), mean[rows].shape)
    joins = [(float(placed[number]), float(at_first[rows[number]])) for number in spread(range(len(rows)), MOMENTS)]
    return joins, (float(at_third[column]), float(at_first[rows[row]])), np.abs(placed - truth[rows])


def _middles(times: NDArray[np.float64], windows: int) -> NDArray[np.float64]:
    """The middle times of `windows` whole windows over frames at these times."""
    lost = (len(times) - windows) // 2
    return times[lost : lost + windows]

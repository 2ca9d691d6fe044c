"""Alignment of two takes from their embeddings: the published rule, and one that borders cannot help."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from actor_observer.features.distances import box_mean, distance_matrix, moment_means, moment_radius
from actor_observer.features.embeddings import Embeddings, TakeEmbedding
from actor_observer.pairs.clock import Clock
from actor_observer.pairs.manifest import Pair

__all__ = ["Placement", "place_moments", "published_error"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Placement:
    """Where one pair's first-person moments were put, against where they belong. Times in third-person seconds."""

    placed: Array  # (M,) third-person time chosen for each first-person moment
    truth: Array  # (M,) where it belongs
    weight: Array  # (M,) the selector's mean weight of the moment's frames; ones without a selector
    best_error: float  # of the single pair of moments with the smallest distance
    best_place: float  # relative position, 0 to 1, of that pair in the third-person take
    third_middle: float  # the middle of the third-person take
    third_span: float  # seconds between the first and the last usable third-person moment
    first_span: float  # the same for the first person, in third-person seconds
    outside: int  # first-person moments that the third-person take does not show

    @property
    def error(self) -> Array:
        return np.abs(self.placed - self.truth)


def published_error(third: TakeEmbedding, first: TakeEmbedding, clock: Clock) -> float:
    """Seconds between the two moments of the published choice: clipped windows, smallest mean, `clock` as the truth."""
    mean = box_mean(distance_matrix(third.features, first.features), clipped=True)
    j, i = np.unravel_index(np.argmin(mean), mean.shape)
    return float(abs(third.times[i] - clock.to_third(float(first.times[j]))))


def place_moments(third: TakeEmbedding, first: TakeEmbedding, clock: Clock, seconds: float = 1.0) -> Placement:
    """For each first-person moment the nearest third-person one, and the best pair of all; whole windows only."""
    return place_by_matrix(distance_matrix(third.features, first.features), third, first, clock, seconds)


def place_by_matrix(
    matrix: Array, third: TakeEmbedding, first: TakeEmbedding, clock: Clock, seconds: float = 1.0
) -> Placement:
    """As `place_moments`, from any matrix of distances (first-person rows, third-person columns)."""
    radius = moment_radius(third.times, seconds)
    mean = box_mean(matrix, radius)  # (M, N)
    centres = [moment_means(take.times, radius) for take in (third, first)]
    truth = clock.to_third(centres[1])  # (M,)
    half_step = (third.times[1] - third.times[0]) / 2 if len(third.times) > 1 else 0.5
    shown = (truth >= centres[0][0] - half_step) & (truth <= centres[0][-1] + half_step)
    if not shown.any():
        shown[:] = True
    weight = np.ones(len(first.times)) if first.weight is None else np.asarray(first.weight, dtype=float)
    mean, truth_shown = mean[shown], truth[shown]
    j, i = np.unravel_index(np.argmin(mean), mean.shape)
    span = float(centres[0][-1] - centres[0][0])
    return Placement(
        placed=centres[0][np.argmin(mean, axis=1)],
        truth=truth_shown,
        weight=moment_means(weight, radius)[shown],
        best_error=float(abs(centres[0][i] - truth_shown[j])),
        best_place=float((centres[0][i] - centres[0][0]) / span) if span else 0.5,
        third_middle=float(centres[0][0] + span / 2),
        third_span=span,
        first_span=float(truth_shown[-1] - truth_shown[0]),
        outside=int((~shown).sum()),
    )


def place_all(
    embeddings: Embeddings, pairs: Sequence[Pair], seconds: float = 1.0, share: float = 1.0
) -> list[Placement]:
    """`place_moments` for every pair, by its own clock; a moment is at most `share` of the third-person take."""
    placed = []
    for pair in pairs:
        third, first = embeddings[pair.third], embeddings[pair.first]
        length = float(third.times[-1] + third.times[0])  # frames lie in the middles of their shares
        placed.append(place_moments(third, first, pair.clock, min(seconds, share * length)))
    return placed

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

__all__ = ["Answers", "Placement", "place_all", "place_by_matrix", "place_moments", "published_choice", "tied_minima"]

Array = NDArray[np.float64]
PUBLISHED_SECONDS = 1.0  # of a window: 7 frames at 6 a second
_TIE = 1e-7  # distances that differ by less than this share of the largest one are equal: features are 32-bit floats


@dataclass(frozen=True)
class Answers:
    """The third-person times that were chosen, in third-person seconds.

    Usually one for each question. Where several are equally near, all of them are here, and each has its share of the
    answer, so that every figure takes its expectation over the tie.
    """

    question: NDArray[np.intp]  # (A,) number of the first-person moment, or 0 for a single best pair
    place: Array  # (A,) the third-person time chosen
    error: Array  # (A,) seconds between it and the truth
    share: Array  # (A,) 1 without a tie

    @property
    def mean_error(self) -> Array:
        """The expected error of each question."""
        return np.asarray(np.bincount(self.question, self.error * self.share), dtype=np.float64)


@dataclass(frozen=True)
class Placement:
    """Where one pair's first-person moments were put, against where they belong. Times in third-person seconds."""

    answers: Answers  # one question for each first-person moment
    best: Answers  # the single pair of moments with the smallest distance
    truth: Array  # (M,) where the first-person moments belong
    third: Array  # (N,) the third-person moments to choose from
    weight: Array  # (M,) the selector's mean weight of the moment's frames; ones without a selector
    outside: int  # first-person moments that the third-person take does not show, by the clock
    chance: Array | None = None  # (M,) of being placed, the mean over the moment's frames

    @property
    def error(self) -> Array:
        """The expected error of each first-person moment (M,)."""
        return self.answers.mean_error

    @property
    def best_error(self) -> float:
        """The expected error of the best pair."""
        return float(self.best.mean_error[0])

    @property
    def best_place(self) -> Array:
        """Where in the third-person take the best pair lies, from 0 to 1; several places if they are tied."""
        span = self.third[-1] - self.third[0]
        return (self.best.place - self.third[0]) / span if span else np.full(len(self.best.place), 0.5)

    @property
    def middle(self) -> float:
        """The middle of the third-person moments."""
        return float(self.third[0] + self.third[-1]) / 2

    @property
    def middle_error(self) -> Array:
        """Errors of always answering the middle (M,)."""
        return np.abs(self.truth - self.middle)


def tied_minima(values: Array) -> NDArray[np.bool_]:
    """Where each row has its smallest value, and any that equals it but for rounding.

    >>> tied_minima(np.array([[3.0, 1.0, 1.0 + 1e-12], [2.0, 5.0, 4.0]])).tolist()
    [[False, True, True], [True, False, False]]
    """
    return np.asarray(values <= values.min(axis=1, keepdims=True) + _TIE * np.abs(values).max(initial=0.0))


def published_choice(third: TakeEmbedding, first: TakeEmbedding, clock: Clock) -> Answers:
    """The published choice: the two moments with the smallest mean in clipped windows, `clock` as the truth.

    The windows are as long as the paper's, whose seven frames are a second at its six a second, at any look rate.
    """
    radius = moment_radius(third.times, PUBLISHED_SECONDS)
    mean = box_mean(distance_matrix(third.features, first.features), radius, clipped=True)
    known = clock.first_in_both(first.times)
    known = known if known.any() else ~known
    return _best_pair(mean[known], third.times, clock.to_third(first.times[known]))


def place_moments(third: TakeEmbedding, first: TakeEmbedding, clock: Clock, seconds: float = 1.0) -> Placement | None:
    """For each first-person moment the nearest third-person one, and the best pair of all; whole windows only.

    None when the clock leaves no moment that both takes show.
    """
    return place_by_matrix(distance_matrix(third.features, first.features), third, first, clock, seconds)


def place_by_matrix(
    matrix: Array, third: TakeEmbedding, first: TakeEmbedding, clock: Clock, seconds: float = 1.0
) -> Placement | None:
    """As `place_moments`, from any matrix of distances (first-person rows, third-person columns)."""
    radius = moment_radius(third.times, seconds)
    mean = box_mean(matrix, radius)  # (M, N)
    third_moments, first_moments = (moment_means(take.times, radius) for take in (third, first))
    truth = clock.to_third(first_moments)  # (M,)
    half_step = (third.times[1] - third.times[0]) / 2 if len(third.times) > 1 else 0.5
    shown = (truth >= third_moments[0] - half_step) & (truth <= third_moments[-1] + half_step)
    shown &= clock.first_in_both(first_moments)
    if not shown.any():
        return None
    weight = np.ones(len(first.times)) if first.weight is None else np.asarray(first.weight, dtype=float)
    mean, truth = mean[shown], truth[shown]
    return Placement(
        answers=_nearest(mean, third_moments, truth),
        best=_best_pair(mean, third_moments, truth),
        truth=truth,
        third=third_moments,
        weight=moment_means(weight, radius)[shown],
        outside=int((~shown).sum()),
        chance=None if first.chance is None else moment_means(np.asarray(first.chance, dtype=float), radius)[shown],
    )


def place_all(
    embeddings: Embeddings, pairs: Sequence[Pair], seconds: float = 1.0, share: float = 1.0
) -> list[Placement | None]:
    """`place_moments` for every pair, by its own clock; a moment is at most `share` of the third-person take."""
    placed = []
    for pair in pairs:
        third, first = embeddings[pair.third], embeddings[pair.first]
        placed.append(place_moments(third, first, pair.clock, min(seconds, share * third.length)))
    return placed


def _nearest(mean: Array, third: Array, truth: Array) -> Answers:
    tied = tied_minima(mean)  # (M, N)
    question, chosen = np.nonzero(tied)
    share = 1 / tied.sum(axis=1)
    return Answers(question, third[chosen], np.abs(third[chosen] - truth[question]), share[question])


def _best_pair(mean: Array, third: Array, truth: Array) -> Answers:
    tied = tied_minima(mean.reshape(1, -1)).reshape(mean.shape)
    j, i = np.nonzero(tied)
    share = np.full(len(i), 1 / len(i))
    return Answers(np.zeros(len(i), dtype=np.intp), third[i], np.abs(third[i] - truth[j]), share)

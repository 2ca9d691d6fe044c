"""Likeness as a kind of evidence: what a network sees in both pictures is the same, moment by moment.

It learned from rendered homes. On footage that it knows nothing of, what it sees misleads, and does not speak.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from actor_observer.alignment.performances.moment_matrix import directions, sums_along
from actor_observer.alignment.recordings.evidence import LagScores, Scores, Sense
from actor_observer.alignment.recordings.lags import Array, Lags
from actor_observer.alignment.recordings.recording import Recording
from actor_observer.features.distances import distance_matrix
from actor_observer.features.embeddings import TakeEmbedding

__all__ = ["Likeness"]


@dataclass(frozen=True, eq=False)
class Likeness:
    """Distances between the embeddings and between φ of all moments. Only for footage that the network knows."""

    embeddings: tuple[TakeEmbedding, TakeEmbedding]  # third person, first person
    phi: tuple[TakeEmbedding, TakeEmbedding] | None
    name: str = "likeness"
    sense: Sense = "sight"
    likelihood: bool = False

    def lags(self, one: Recording, other: Recording, lags: Lags) -> LagScores | None:
        found: list[tuple[str, Scores]] = [("likeness", partial(_along, self.embeddings, lags))]
        if self.phi is not None:
            plain = [TakeEmbedding(take.view, take.times, directions(take)) for take in self.phi]
            found.append(("features", partial(_along, (plain[0], plain[1]), lags)))
        return LagScores(found, np.array([other.length / 2]))


def _along(takes: tuple[TakeEmbedding, TakeEmbedding], lags: Lags) -> Array:
    """Mean likeness along every line of rate 1, standardised over lines, (1, L)."""
    near = -distance_matrix(takes[0].features, takes[1].features)  # (M, N)
    near -= near.mean(axis=1, keepdims=True) + near.mean(axis=0, keepdims=True) - near.mean()
    offsets, sums = sums_along(near, takes[0].times, takes[1].times, 1.0)
    known = np.isfinite(sums)
    if known.sum() < 3:
        return np.zeros((1, lags.count))
    spread = float(sums[known].std())
    if spread < 1e-4 * float(np.sqrt(len(takes[1].times))):  # nothing but rounding: one frame looks like any other
        return np.zeros((1, lags.count))
    scores = (sums[known] - sums[known].mean()) / spread
    return np.interp(lags.offsets, offsets[known], scores, left=0.0, right=0.0)[None]

"""What a change of the model brought, video by video: the same quads and the same moments before and after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from actor_observer.evaluation.compared.method import Protocol
from actor_observer.evaluation.measures.correspondence import quad_distances
from actor_observer.evaluation.measures.placement import place_all
from actor_observer.evaluation.statistics.bootstrap import Interval, bootstrap
from actor_observer.evaluation.statistics.over_videos import mean_of
from actor_observer.features.embeddings import Embeddings
from actor_observer.pairs.manifest import Manifest, Pair
from actor_observer.sampling.quads import quads

__all__ = ["Gain", "gain"]


@dataclass(frozen=True)
class Gain:
    """After less before, with 95 % intervals over videos."""

    quads: Interval  # share of quads right: above 0 is better
    moments: Interval  # mean error in seconds: below 0 is better
    videos: int


def gain(
    before: Embeddings, after: Embeddings, manifest: Manifest, pairs: Sequence[Pair], protocol: Protocol | None = None
) -> Gain:
    """The paired difference of two embeddings of the same takes."""
    p = protocol or Protocol()
    asked, _ = quads(manifest, pairs, p.far, p.step, p.per_pair, p.seed, p.far_share)
    was, now = (quad_distances(one, asked, pairs).right().astype(float) for one in (before, after))
    placed = zip(*(place_all(one, pairs, p.moment, p.moment_share) for one in (before, after)), strict=True)
    changed = [(video, b.error - a.error) for video, (a, b) in enumerate(placed) if a and b]
    errors = np.concatenate([error for _, error in changed])
    video = np.concatenate([np.full(len(error), number) for number, error in changed])
    return Gain(
        bootstrap(mean_of(now - was, asked.pair), len(pairs)), bootstrap(mean_of(errors, video), len(pairs)), len(pairs)
    )

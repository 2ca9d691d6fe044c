"""The selector against exact truth: are the frames it weights highly those that show hands and object?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from actor_observer.evaluation.measures.exact_truth import Truth
from actor_observer.evaluation.statistics.bootstrap import Interval, bootstrap
from actor_observer.evaluation.statistics.over_videos import top_taker
from actor_observer.evaluation.statistics.shares import at_the_end
from actor_observer.features.embeddings import Embeddings
from actor_observer.pairs.manifest import View

__all__ = ["Selection", "auc", "score_selector"]

EXTREME = 0.1  # share of frames that count as highest and as lowest weighted


@dataclass(frozen=True)
class Selection:
    """The selector of one view against "hands and object visible"."""

    view: View
    auc: Interval  # 0.5 by chance
    hands_high: float  # share of frames with hands among the highest weighted tenth
    hands_low: float  # among the lowest
    hands_all: float
    frames: int
    videos: int


def auc(score: NDArray[np.float64], positive: NDArray[np.bool_], weight: NDArray[np.float64] | None = None) -> float:
    """Probability that a positive scores above a negative (ties count half), with weighted frames.

    >>> auc(np.array([0.1, 0.4, 0.35, 0.8]), np.array([False, False, True, True]))
    0.75
    """
    weight = np.ones(len(score)) if weight is None else weight
    _, rank = np.unique(score, return_inverse=True)
    of_positive = np.bincount(rank, weights=weight * positive)
    of_negative = np.bincount(rank, weights=weight * ~positive)
    below = np.cumsum(of_negative) - of_negative
    total = of_positive.sum() * of_negative.sum()
    return float((of_positive * (below + of_negative / 2)).sum() / total) if total else float("nan")


def score_selector(embeddings: Embeddings, truth: Truth, takes: Iterable[str], view: View) -> Selection | None:
    """Compare the weights of these takes' frames with what the frames show; None if there is nothing to compare.

    Weights are relative to the mean of their own video.
    """
    weights, seen, hands, videos = [], [], [], []
    for number, id in enumerate(takes):
        take = embeddings[id]
        own = truth.at(id, take.times, "hands_visible")
        thing = truth.at(id, take.times, "object_visible")
        if take.weight is None or take.view != view or own is None or thing is None:
            continue
        weights.append(np.asarray(take.weight, dtype=float))
        seen.append((own & thing).astype(bool))
        hands.append(own.astype(bool))
        videos.append(np.full(len(own), number))
    if not weights:
        return None
    weight, both, hand, video = (np.concatenate(column) for column in (weights, seen, hands, videos))
    names, video = np.unique(video, return_inverse=True)
    ones = np.ones(len(weight))
    high, low = (top_taker(choice)(ones, EXTREME) for choice in (weight, -weight))
    found = bootstrap(lambda counts: auc(weight, both, counts[video]), len(names), replicates=300)
    return Selection(
        view=view,
        auc=at_the_end(found, len(names)),
        hands_high=float(np.average(hand, weights=high)),
        hands_low=float(np.average(hand, weights=low)),
        hands_all=float(hand.mean()),
        frames=len(hand),
        videos=len(names),
    )

"""Recognition as Charades scores it: mean average precision over videos, by the official definition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actor_observer.evaluation.statistics.bootstrap import Interval, bootstrap
from actor_observer.evaluation.statistics.chance import expected_ap
from actor_observer.features.embeddings import Floats

__all__ = ["Recognition", "average_precision", "score_recognition", "video_scores"]

Array = NDArray[np.float64]
PUBLISHED_FRAMES = 25


@dataclass(frozen=True)
class Recognition:
    """Mean average precision, over the classes that have a positive video, and what it rests on."""

    ap: Array  # (C,) NaN for a class without positives
    mean: Interval  # over the classes that count
    chance: float  # exact, over the same classes
    videos: int
    classes: int  # that count

    def as_json(self) -> dict[str, Any]:
        """Plain values; a class without positives has no average precision (null)."""
        return {
            "mAP": self.mean.value,
            "low": self.mean.low,
            "high": self.mean.high,
            "chance": self.chance,
            "videos": self.videos,
            "classes": self.classes,
            "official_mean_defined": self.defined,
            "AP": [None if np.isnan(value) else float(value) for value in self.ap],
        }

    @property
    def defined(self) -> bool:
        """Whether the official mean exists: it is undefined as soon as one class has no positive."""
        return self.classes == len(self.ap)


def average_precision(scores: Array, positive: NDArray[np.bool_]) -> float:
    """Mean of the precision at each positive, no interpolation; ties keep the order they come in.

    >>> average_precision(np.array([0.9, 0.8, 0.7]), np.array([True, False, True]))
    0.8333333333333333
    """
    if not positive.any():
        return float("nan")
    hits = positive[np.argsort(-scores, kind="stable")]
    precision = np.cumsum(hits) / np.arange(1, len(hits) + 1)
    return float(precision[hits].mean())


def score_recognition(scores: Array, positive: NDArray[np.bool_]) -> Recognition:
    """Scores (N, C) against labels (N, C) of N videos in the ground truth's order; interval over videos.

    A video without any label ranks last in every class, as in the official scorer; so does one whose scores are −∞.

    >>> result = score_recognition(np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([[True, False], [False, False]]))
    >>> result.mean.value, result.classes, result.defined
    (1.0, 1, False)
    """
    labelled = np.asarray(positive.any(axis=1))  # (N,)
    scores = np.where(labelled[:, None], np.asarray(scores, dtype=float), -np.inf)

    def mean_ap(counts: Array) -> float:
        rows = np.repeat(np.arange(len(scores)), counts.astype(int))
        return float(np.nanmean(_all_ap(scores[rows], positive[rows]))) if positive[rows].any() else float("nan")

    ap = _all_ap(scores, positive)
    counted = ~np.isnan(ap)
    chance = [expected_ap(int(n), len(scores)) for n in positive.sum(axis=0)[counted]]
    mean = bootstrap(mean_ap, len(scores), replicates=500) if counted.any() else Interval(*[float("nan")] * 3)
    return Recognition(ap, mean, float(np.mean(chance)) if chance else float("nan"), len(scores), int(counted.sum()))


def video_scores(frames: Floats, published: bool = False) -> Array:
    """A video's class scores: the mean of its frames' softmax, over all frames or, as published, over 25.

    >>> video_scores(np.array([[0.0, 1.0], [1.0, 0.0]])).tolist()
    [0.5, 0.5]
    """
    if published:
        frames = frames[np.linspace(0, len(frames) - 1, PUBLISHED_FRAMES).round().astype(int)]
    return np.asarray(frames, dtype=float).mean(axis=0)


def label_matrix(labels: Sequence[set[str]], classes: Mapping[str, str]) -> NDArray[np.bool_]:
    """(N, C): which classes occur in each video."""
    return np.array([[label in own for label in classes] for own in labels], dtype=bool).reshape(
        len(labels), len(classes)
    )


def _all_ap(scores: Array, positive: NDArray[np.bool_]) -> Array:
    """`average_precision` of every class at once."""
    order = np.argsort(-scores, axis=0, kind="stable")
    hits = np.take_along_axis(positive, order, axis=0)  # (N, C)
    precision = np.cumsum(hits, axis=0) / np.arange(1, len(hits) + 1)[:, None]
    count = hits.sum(axis=0)
    with np.errstate(invalid="ignore"):
        return np.asarray((precision * hits).sum(axis=0) / np.where(count, count, np.nan))

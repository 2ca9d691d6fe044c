"""Recognition as Charades scores it: mean average precision over videos, by the official definition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actor_observer.evaluation.statistics.bootstrap import Interval
from actor_observer.evaluation.statistics.chance import expected_ap
from actor_observer.evaluation.statistics.jackknife import jackknife
from actor_observer.features.embeddings import Floats

__all__ = ["Recognition", "average_precision", "score_recognition", "video_scores"]

Array = NDArray[np.float64]
PUBLISHED_FRAMES = 25  # of a video, equally spaced: the published protocol of Charades


@dataclass(frozen=True)
class Recognition:
    """Mean average precision, over the classes that have a positive video, and what it is based on."""

    ap: Array  # (C,) NaN for a class without positives
    mean: Interval  # over the classes that count
    weighted: Interval  # the same, each class counting as often as it has positives
    chance: float  # mean of random scores for every labelled video: exact, over the same classes
    videos: int
    classes: int  # that count

    def to_dict(self) -> dict[str, Any]:
        """Plain values; a class without positives has no average precision (null), one video no interval."""
        found: dict[str, Any] = {
            "mAP": self.mean.value,
            "low": self.mean.low,
            "high": self.mean.high,
            "weighted_AP": self.weighted.value,
            "weighted_low": self.weighted.low,
            "weighted_high": self.weighted.high,
            "chance": self.chance,
            "videos": self.videos,
            "classes": self.classes,
            "official_mean_defined": self.defined,
            "AP": [float(value) for value in self.ap],
        }
        return {name: _plain(value) for name, value in found.items()}

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
    """Scores (N, C) against labels (N, C) of N videos in the ground truth's order, with intervals over videos.

    A video without any label ranks last in every class, as in the official scorer; so does one whose scores are −∞.

    >>> result = score_recognition(np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([[True, False], [False, False]]))
    >>> result.mean.value, result.classes, result.defined
    (1.0, 1, False)
    """
    labelled = np.asarray(positive.any(axis=1))  # (N,)
    scores = np.where(labelled[:, None], np.asarray(scores, dtype=float), -np.inf)
    hits, order = _ranked(scores, positive)
    sums, count = (_precision(hits) * hits).sum(axis=0), hits.sum(axis=0)  # (C,)
    ap = sums / np.where(count, count, np.nan)
    counted = count > 0
    if not counted.any():
        nothing = Interval(float("nan"))
        return Recognition(ap, nothing, nothing, float("nan"), len(scores), 0)
    mean_left_out, weighted_left_out = _leave_one_out(hits, order)
    chance = [expected_ap(int(positives), int(labelled.sum())) for positives in count[counted]]
    return Recognition(
        ap=ap,
        mean=jackknife(float(np.nanmean(ap)), mean_left_out),
        weighted=jackknife(float(sums.sum() / count.sum()), weighted_left_out),
        chance=float(np.mean(chance)),
        videos=len(scores),
        classes=int(counted.sum()),
    )


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


def _ranked(scores: Array, positive: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Which places of each class's ranking are positive (N, C), and which video stands there (N, C)."""
    order = np.argsort(-scores, axis=0, kind="stable")
    return np.take_along_axis(positive, order, axis=0), order


def _precision(hits: NDArray[np.bool_]) -> Array:
    return np.asarray(np.cumsum(hits, axis=0) / np.arange(1, len(hits) + 1)[:, None])


def _leave_one_out(hits: NDArray[np.bool_], order: NDArray[np.intp]) -> tuple[Array, Array]:
    """Mean and weighted average precision with each video left out (N,), in one pass over the ranking.

    Above the place that is left out nothing changes. Below it every rank is smaller by one, and so is the number of
    hits if it was a positive.
    """
    found, rank = np.cumsum(hits, axis=0), np.arange(1, len(hits) + 1)[:, None]
    above = _precision(hits) * hits
    above = np.cumsum(above, axis=0) - above
    below_rank = np.maximum(rank - 1, 1)
    fewer_hits, same_hits = hits * (found - 1) / below_rank, hits * found / below_rank
    below = np.where(hits, _after(fewer_hits), _after(same_hits))
    sums, count = np.empty(hits.shape), np.empty(hits.shape)
    np.put_along_axis(sums, order, above + below, axis=0)
    np.put_along_axis(count, order, (hits.sum(axis=0) - hits).astype(float), axis=0)
    with np.errstate(invalid="ignore"):
        ap = sums / np.where(count, count, np.nan)  # (N, C)
        classes = np.isfinite(ap).sum(axis=1)
        mean = np.nansum(ap, axis=1) / np.where(classes, classes, np.nan)
        return mean, sums.sum(axis=1) / np.where(classes, count.sum(axis=1), np.nan)


def _after(values: Array) -> Array:
    """The sum of what comes after each row."""
    return np.asarray(values.sum(axis=0) - np.cumsum(values, axis=0))


def _plain(value: Any) -> Any:
    """The value for JSON, which has no NaN."""
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return None if isinstance(value, float) and np.isnan(value) else value

"""AE2's four measures for labelled phases, as that field computes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from actor_observer.evaluation.measures.placement import tied_minima
from actor_observer.features.distances import distance_matrix
from actor_observer.features.embeddings import Embeddings
from actor_observer.pairs.manifest import Action, Manifest, View

__all__ = ["PhaseMeasures", "can_classify", "kendalls_tau", "measure_phases"]

Array = NDArray[np.float64]
_HITS = 10  # frames retrieved for mAP@10
_SHUFFLES = 32  # orders that a tie among the retrieved is averaged over
_TIE = 1e-7  # distances that differ by less than this share of the largest one are equal
_ROWS = 256  # queries at a time, to bound memory
_STRIDE = 5  # frames between those that Kendall's τ compares


@dataclass(frozen=True)
class PhaseMeasures:
    """Each is a share or a correlation; None where the data does not allow it."""

    f1_third_to_first: float | None  # phase classification: train on one view, test on the other
    f1_first_to_third: float | None
    retrieval_third_to_first: float  # frame retrieval mAP@10
    retrieval_first_to_third: float
    progression: float | None  # R² of time left in the phase
    tau: float  # Kendall's τ of nearest neighbours across views


@dataclass(frozen=True)
class _Frames:
    features: Array  # (N, D)
    phase: NDArray[np.str_]  # (N,)
    left: Array  # (N,) share of the phase that is left
    take: NDArray[np.int64]  # (N,)


def measure_phases(train: Embeddings, test: Embeddings, manifest: Manifest) -> PhaseMeasures:
    """All four, for takes whose `phases` are in the manifest: fitted on `train`, judged on `test`."""
    views: tuple[View, View] = ("third", "first")
    fit = {view: _gather(train, manifest, view) for view in views}
    judge = {view: _gather(test, manifest, view) for view in views}
    return PhaseMeasures(
        f1_third_to_first=_classify(fit["third"], judge["first"]),
        f1_first_to_third=_classify(fit["first"], judge["third"]),
        retrieval_third_to_first=_retrieve(judge["third"], judge["first"]),
        retrieval_first_to_third=_retrieve(judge["first"], judge["third"]),
        progression=_progression(fit, judge),
        tau=_mean_tau(test, manifest),
    )


def can_classify() -> bool:
    """Whether scikit-learn is there: the extra `phases`."""
    return find_spec("sklearn") is not None


def kendalls_tau(one: Array, other: Array, stride: int = _STRIDE) -> float:
    """How well the order of nearest neighbours in `other` (M, D) follows the order of frames in `one` (N, D).

    >>> line = np.arange(31.0)[:, None]
    >>> kendalls_tau(line, line), kendalls_tau(line, line[::-1])
    (1.0, -1.0)
    """
    nearest = tied_minima(distance_matrix(other[::stride], one[::stride])).astype(float)  # (n, m)
    nearest /= nearest.sum(axis=1, keepdims=True)  # equally near frames are equally likely
    below = np.cumsum(nearest, axis=1)
    later = (1 - below) - (below - nearest)  # (n, m) chance of a frame's neighbour being later, less being earlier
    sign = nearest @ later.T  # (n, n) expected order of the neighbours of frames i and j
    i, j = np.triu_indices(len(nearest), k=1)
    return float(sign[i, j].mean()) if len(i) else float("nan")


def _gather(embeddings: Embeddings, manifest: Manifest, view: View) -> _Frames:
    features, phases, left, takes = [], [], [], []
    for number, (id, take) in enumerate(embeddings.items()):
        if take.view != view or not manifest.takes[id].phases:
            continue
        for row, time in enumerate(take.times):
            phase = next((p for p in manifest.takes[id].phases if p.start <= time < p.end), None)
            if phase is not None:
                features.append(np.asarray(take.features[row], dtype=float))
                phases.append(phase.label)
                left.append(_left(phase, float(time)))
                takes.append(number)
    return _Frames(np.array(features), np.array(phases), np.array(left), np.array(takes, dtype=np.int64))


def _left(phase: Action, time: float) -> float:
    return (phase.end - time) / (phase.end - phase.start)


def _classify(fit: _Frames, judge: _Frames) -> float | None:
    if len(set(fit.phase.tolist())) < 2 or not len(judge.phase) or not can_classify():
        return None
    from sklearn.metrics import f1_score
    from sklearn.svm import SVC

    guessed = SVC().fit(fit.features, fit.phase).predict(judge.features)
    return float(f1_score(judge.phase, guessed, average="weighted"))


def _retrieve(queries: _Frames, pool: _Frames) -> float:
    """Mean over queries of AP@10: the precision at each hit among the ten nearest, same video left out."""
    if not len(queries.phase) or not len(pool.phase):
        return float("nan")
    scores = []
    for rows in np.array_split(np.arange(len(queries.phase)), max(1, len(queries.phase) // _ROWS)):
        distance = distance_matrix(pool.features, queries.features[rows])  # (≤ 2·_ROWS, P)
        rounding = _TIE * distance.max()
        distance[pool.take == queries.take[rows, None]] = np.inf
        for one, phase in zip(distance, queries.phase[rows], strict=True):
            scores.append(_ap_at_ten(np.round(one / rounding) if rounding else one * 0, pool.phase == phase))
    return float(np.mean(scores))


def _ap_at_ten(distance: Array, right: NDArray[np.bool_]) -> float:
    """AP of the ten nearest; over equal distances, the mean of several fixed shuffles."""
    last = np.partition(distance, min(_HITS, len(distance)) - 1)[: min(_HITS, len(distance))].max()
    near = np.flatnonzero(distance <= last)
    tied = len(np.unique(distance[near])) < len(near)
    rng = np.random.default_rng(0)
    scores = []
    for _ in range(_SHUFFLES if tied else 1):
        shuffle = rng.permutation(near)
        hits = right[shuffle[np.argsort(distance[shuffle], kind="stable")[:_HITS]]]
        precision = np.cumsum(hits) / np.arange(1, len(hits) + 1)
        scores.append(float(precision[hits].mean()) if hits.any() else 0.0)
    return float(np.mean(scores))


def _progression(fit: dict[View, _Frames], judge: dict[View, _Frames]) -> float | None:
    scores = []
    for view in fit:
        if len(fit[view].phase) and len(judge[view].phase):
            scores.append(_explained(fit[view], judge[view]))
    return float(np.mean(scores)) if scores else None


def _explained(fit: _Frames, judge: _Frames) -> float:
    """R² of what is left, by linear regression."""
    mean, middle = fit.features.mean(axis=0), fit.left.mean()
    slopes = np.linalg.lstsq(fit.features - mean, fit.left - middle, rcond=None)[0]
    error = judge.left - middle - (judge.features - mean) @ slopes
    spread = float(((judge.left - judge.left.mean()) ** 2).sum())
    return 1 - float((error**2).sum()) / spread if spread else float(not error.any())


def _mean_tau(embeddings: Embeddings, manifest: Manifest) -> float:
    """Over all ordered pairs of different takes with phases."""
    takes = [embeddings[id] for id in embeddings if manifest.takes[id].phases]
    taus: Sequence[float] = [
        kendalls_tau(np.asarray(a.features, float), np.asarray(b.features, float))
        for a in takes
        for b in takes
        if a is not b
    ]
    return float(np.nanmean(taus)) if len(taus) else float("nan")

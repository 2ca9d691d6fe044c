"""Ridge regression from the normal equations, with its strength chosen on held-out takes; fast for many frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Ridge", "fit_ridge"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Ridge:
    """A linear map with an offset."""

    weights: Array  # (D, K)
    offset: Array  # (K,)
    strength: float

    def __call__(self, features: Array) -> Array:
        return np.asarray(features @ self.weights + self.offset)


def fit_ridge(
    features: Array, targets: Array, groups: NDArray[np.int64], strengths: Sequence[float], folds: int = 5
) -> Ridge:
    """The map from features (N, D) to targets (N, K), with the strength that does best on held-out groups (takes).

    >>> x = np.random.default_rng(0).normal(size=(200, 3))
    >>> fitted = fit_ridge(x, x[:, :1] * 2 + 1, np.arange(200) % 10, strengths=(0.01, 1.0, 100.0))
    >>> fitted.strength, fitted(np.array([[1.0, 0.0, 0.0]])).round(2).tolist()
    (0.01, [[3.0]])
    """
    _, group = np.unique(groups, return_inverse=True)
    errors = np.zeros(len(strengths))
    folds = min(folds, int(group.max()) + 1)
    for fold in range(folds) if folds > 1 and len(strengths) > 1 else ():
        held = group % folds == fold
        for number, model in enumerate(_fits(features[~held], targets[~held], strengths)):
            errors[number] += ((model(features[held]) - targets[held]) ** 2).sum()
    best = strengths[int(np.argmin(errors))]
    return _fits(features, targets, [best])[0]


def _fits(features: Array, targets: Array, strengths: Sequence[float]) -> list[Ridge]:
    """One fit for each strength, from one decomposition: of XᵀX, or of XXᵀ where there are fewer rows than columns.

    (XᵀX + sI)⁻¹Xᵀ = Xᵀ(XXᵀ + sI)⁻¹
    """
    centre, middle = features.mean(axis=0), targets.mean(axis=0)
    x, y = features - centre, targets - middle
    few = len(x) < x.shape[1]
    values, vectors = np.linalg.eigh(x @ x.T if few else x.T @ x)  # (M,), (M, M), M = min(N, D)
    rotated = vectors.T @ (y if few else x.T @ y)  # (M, K)
    fits = []
    for strength in strengths:
        solved = vectors @ (rotated / (np.maximum(values, 0) + strength)[:, None])
        weights = x.T @ solved if few else solved  # (D, K)
        fits.append(Ridge(weights, middle - centre @ weights, float(strength)))
    return fits

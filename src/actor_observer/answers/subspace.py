"""The directions that φ of some takes spans, and how much of other φ lies outside them.

φ of frames that are alike lies near a subspace. With every φ scaled to length 1, a frame u is outside by
|u - m|² - |B(u - m)|², where m is the mean of the takes and the rows of B their main directions.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["outside", "span", "to_units"]

Array = NDArray[np.float32]


def to_units(phi: NDArray[np.floating]) -> Array:
    """Rows scaled to length 1.

    >>> to_units(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6..., 0.8...], [0.0, 0.0]]
    """
    values = np.asarray(phi, dtype=np.float32)
    return values / np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-9)


def span(takes: Sequence[Array], directions: int) -> tuple[Array, Array]:
    """Mean (D,) and main directions (directions, D) of takes (T, D) of unit rows; every take counts the same.

    >>> mean, basis = span([np.array([[1.0, 0.0], [0.0, 1.0]], np.float32)], directions=1)
    >>> mean.tolist(), np.allclose(np.abs(basis), np.sqrt(0.5))
    ([0.5, 0.5], True)
    """
    within = [(take - take.mean(axis=0)) / np.sqrt(len(take)) for take in takes]
    mean = np.mean([take.mean(axis=0) for take in takes], axis=0)
    between = [(take.mean(axis=0) - mean)[None] for take in takes]
    _, vectors = np.linalg.eigh(sum(rows.T @ rows for rows in [*within, *between]))
    return mean.astype(np.float32), vectors[:, ::-1][:, :directions].T.astype(np.float32)


def outside(units: Array, mean: Array, basis: Array) -> NDArray[np.float64]:
    """How much of each row (T, D) lies outside a subspace, squared: (T,).

    >>> outside(np.eye(2, dtype=np.float32), np.zeros(2, np.float32), np.array([[1.0, 0.0]], np.float32)).tolist()
    [0.0, 1.0]
    """
    centred = units - mean
    return np.asarray((centred**2).sum(axis=1) - ((centred @ basis.T) ** 2).sum(axis=1), dtype=float)

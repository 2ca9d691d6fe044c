"""The motion of a whole picture, as a turning or moving camera makes it, and what does not follow it."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["less_affine", "median"]

FITS = 3  # of the affine motion: those that fit badly count less and less

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]


def less_affine(flow: Floats) -> tuple[Doubles, float]:
    """How far each flow vector (h, w, 2) is from the affine motion of most of them; and how fast that one zooms.

    >>> still = np.zeros((4, 6, 2), np.float32)
    >>> float(less_affine(still)[0].max()), less_affine(still)[1]
    (0.0, 0.0)
    """
    place = _places(*flow.shape[:2])  # (3, N)
    vectors = flow.reshape(-1, 2).astype(np.float64)
    weighed = place
    for fit in range(1, FITS + 1):
        motion = np.linalg.solve(weighed @ place.T + 1e-6 * np.eye(3), weighed @ vectors)  # (3, 2)
        rest = vectors - place.T @ motion
        apart = np.sqrt(np.einsum("ij,ij->i", rest, rest))
        if fit < FITS:  # what fits badly moves by itself
            weighed = place / (1 + (apart / (median(apart) + 0.05)) ** 2)
    return apart, float(abs(motion[1, 0] + motion[2, 1]))


def median(values: NDArray[np.floating]) -> NDArray[np.floating]:
    """Along the last axis, as `np.median`, which sorts more than it needs.

    >>> median(np.array([[3.0, 1.0, 2.0, 9.0], [5.0, 5.0, 5.0, 5.0]])).tolist(), float(median(np.array([3.0, 1.0])))
    ([2.5, 5.0], 2.0)
    """
    half = values.shape[-1] // 2
    parted = np.partition(values, half, axis=-1)
    upper: NDArray[np.floating] = parted[..., half]
    return upper if values.shape[-1] % 2 else (parted[..., :half].max(axis=-1) + upper) / 2


@lru_cache(maxsize=16)
def _places(height: int, width: int) -> Doubles:
    """1, how far right and how far down every place of a picture is, in shares of it: (3, N)."""
    down, right = np.mgrid[0:height, 0:width]
    return np.stack([np.ones(height * width), right.ravel() / width - 0.5, down.ravel() / height - 0.5])

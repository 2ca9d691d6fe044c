"""The motion of a whole picture, as a turning or moving camera makes it, and what does not follow it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["less_affine"]

Floats = NDArray[np.float32]


def less_affine(flow: Floats) -> tuple[Floats, float]:
    """How far each flow vector (h, w, 2) is from the affine motion of most of them; and how fast that one zooms.

    >>> still = np.zeros((4, 6, 2), np.float32)
    >>> float(less_affine(still)[0].max()), less_affine(still)[1]
    (0.0, 0.0)
    """
    height, width = flow.shape[:2]
    down, right = np.mgrid[0:height, 0:width]
    place = np.stack([np.ones(height * width), right.ravel() / width - 0.5, down.ravel() / height - 0.5], axis=1)
    vectors = flow.reshape(-1, 2).astype(np.float64)
    weight = np.ones(len(vectors))
    apart = np.zeros(len(vectors))
    motion: NDArray[np.floating] = np.zeros((3, 2))
    for _ in range(3):  # those that fit badly count less and less: they move by themselves
        weighed = place * weight[:, None]
        motion = np.linalg.solve(place.T @ weighed + 1e-6 * np.eye(3), weighed.T @ vectors)  # (3, 2)
        apart = np.hypot(*(vectors - place @ motion).T)
        weight = 1 / (1 + (apart / (np.median(apart) + 0.05)) ** 2)
    return apart.astype(np.float32), float(abs(motion[1, 0] + motion[2, 1]))

"""Sensor noise: a grain that is new in every frame, and the same whenever a frame is drawn again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Grain"]

Image = NDArray[np.uint8]


class Grain:
    """Adds noise of a standard deviation, in grey levels. Drawn once; each frame gets another part of it.

    >>> grain = Grain(3.0, (8, 8), (0,))
    >>> 1.5 < float(grain(np.full((8, 8, 3), 128, np.uint8), time=0.5).std()) < 4.5
    True
    """

    def __init__(self, deviation: float, size: tuple[int, int], seed: tuple[int, ...]) -> None:
        rng = np.random.default_rng([*seed, 13])
        self._count = size[0] * size[1] * 3
        self._noise = np.round(rng.normal(0, deviation, 2 * self._count + 8191)).astype(np.int16)

    def __call__(self, image: Image, time: float) -> Image:
        start = round(time * 1e5) * 7919 % (len(self._noise) - self._count)
        noise = self._noise[start : start + self._count].reshape(image.shape)
        return np.clip(image + noise, 0, 255).astype(np.uint8)

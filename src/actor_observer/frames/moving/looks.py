"""What a look at every frame gives for free while motion is measured: how bright, how sharp, how much it changed.

`audit` finds frozen, repeated, black, blank and blurred pictures by it, without decoding a file again.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ["LOOKS", "Looking", "Looks", "edges_of"]

# `change` and `most` compare a frame with the one before (the first: 0); a pixel's own change, never mended.
LOOKS = ("light", "contrast", "edges", "change", "most")

Floats = NDArray[np.float32]
Gray = NDArray[np.uint8]  # (H, W)


def edges_of(picture: Gray) -> Floats:
    """How fast brightness changes from pixel to pixel, (H, W).

    >>> float(edges_of(np.zeros((4, 4), np.uint8)).max())
    0.0
    """
    right, down = (cv2.Sobel(picture, cv2.CV_32F, x, y, scale=0.125) for x, y in ((1, 0), (0, 1)))
    return cv2.magnitude(right, down)


@dataclass(frozen=True, eq=False)
class Looks:
    """Each frame of a take that was looked at."""

    times: NDArray[np.float64]  # (N,) seconds
    values: Floats  # (N, 5) in the order of `LOOKS`, in grey levels

    def of(self, name: str) -> Floats:
        """One figure of all frames, (N,).

        >>> Looks(np.zeros(1), np.array([[9.0, 0, 0, 0, 0]], np.float32)).of("light").tolist()
        [9.0]
        """
        return self.values[:, LOOKS.index(name)]


@dataclass
class Looking:
    """Looks at one frame after the other.

    >>> looking = Looking()
    >>> for level in (50, 50, 90):
    ...     edges = looking.at(0.0, np.full((8, 8), level, np.uint8))
    >>> looking.done()[1][:, 3].tolist()  # change
    [0.0, 0.0, 40.0]
    """

    times: list[float] = field(default_factory=list)
    values: list[tuple[float, ...]] = field(default_factory=list)
    before: Gray | None = None

    def at(self, time: float, gray: Gray) -> Floats:
        """The next frame; its edges (H, W) are given back, for whoever needs them, too."""
        change = most = 0.0
        if self.before is not None and self.before.shape == gray.shape:
            apart = cv2.absdiff(self.before, gray)
            change, most = cv2.mean(apart)[0], float(apart.max())
        mean, spread = cv2.meanStdDev(gray)
        edges = edges_of(gray)
        self.times.append(time)
        self.values.append((float(mean[0, 0]), float(spread[0, 0]), cv2.mean(edges)[0], change, most))
        self.before = gray
        return edges

    def done(self) -> tuple[NDArray[np.float64], Floats]:
        """Times (N,) and figures (N, 5)."""
        return np.array(self.times, np.float64), np.array(self.values, np.float32).reshape(len(self.times), len(LOOKS))

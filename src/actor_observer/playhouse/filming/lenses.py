"""Lenses: from narrow to wide, and bent as fisheyes are. Drawn straight by MuJoCo, then warped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from actor_observer.playhouse.acting.motion import Array

__all__ = ["Lens", "Warp"]

Image = NDArray[np.uint8]
EDGE = np.radians(77.0)  # what lies further off the axis is left black: a flat picture cannot hold it
LARGEST = 2.0  # the picture to warp is at most this many times as large as the warped one


@dataclass(frozen=True)
class Lens:
    """How a camera maps directions to its picture.

    >>> Lens(90.0, 0.0).field((160, 120))  # of a straight lens: the vertical field of view
    61.93
    """

    angle: float  # from corner to corner, degrees
    bend: float  # 0: straight lines stay straight; 1: equal angles are equally far apart (a fisheye)

    def off_axis(self, radius: Array) -> Array:
        """Radians off the axis at a distance from the picture's middle; its corners are at distance 1."""
        half = np.radians(self.angle) / 2
        straight = np.arctan(radius * np.tan(half)) if self.bend < 1 else 0.0 * radius
        return np.asarray((1 - self.bend) * straight + self.bend * radius * half)

    def field(self, size: tuple[int, int]) -> float:
        """Vertical field of view, in degrees, of the straight picture that holds all the lens sees."""
        corner = min(float(self.off_axis(np.array(1.0))), float(EDGE))
        return round(float(np.degrees(2 * np.arctan(np.tan(corner) * size[1] / np.hypot(*size)))), 2)

    def drawn_size(self, size: tuple[int, int]) -> tuple[int, int]:
        """Size of the straight picture: large enough that its middle is about as sharp as the warped one's."""
        if not self.bend:
            return size
        corner = min(float(self.off_axis(np.array(1.0))), float(EDGE))
        factor = 0.8 * np.tan(corner) / float(self.off_axis(np.array(0.01)) / 0.01)
        factor = min(max(factor, 1.0), LARGEST)
        return round(size[0] * factor / 4) * 4, round(size[1] * factor / 4) * 4


class Warp:
    """Bends a straight picture (H', W', 3) into what the lens shows (H, W, 3), between pixels.

    >>> Warp(Lens(120.0, 1.0), (64, 48))(np.full((96, 128, 3), 7, np.uint8)).shape
    (48, 64, 3)
    """

    def __init__(self, lens: Lens, size: tuple[int, int]) -> None:
        width, height = size
        wide, high = self.drawn = lens.drawn_size(size)
        x, y = np.meshgrid(np.arange(width) + 0.5 - width / 2, np.arange(height) + 0.5 - height / 2)
        radius = np.maximum(np.hypot(x, y) / (np.hypot(width, height) / 2), 1e-6)
        angle = lens.off_axis(radius)
        focal = high / 2 / np.tan(np.radians(lens.field(size)) / 2)
        out = focal * np.tan(np.minimum(angle, EDGE)) / np.hypot(x, y).clip(1e-6)
        column, row = wide / 2 - 0.5 + x * out, high / 2 - 0.5 + y * out
        left, top = np.clip(np.floor(column).astype(int), 0, wide - 2), np.clip(np.floor(row).astype(int), 0, high - 2)
        u, v = np.clip(column - left, 0, 1), np.clip(row - top, 0, 1)
        u, v = np.round(16 * u), np.round(16 * v)
        at = top * wide + left  # (H, W)
        parts = ((16 - u) * (16 - v), u * (16 - v), (16 - u) * v, u * v)  # of 256
        self._corners = [
            (at + step, np.where(angle > EDGE, 0, part).astype(np.uint64))
            for step, part in zip((0, 1, wide, wide + 1), parts, strict=True)
        ]

    def __call__(self, image: Image) -> Image:
        # Three colours in one number, 20 bits apart, so that each corner is looked up and weighed once.
        red, green, blue = np.moveaxis(image.reshape(-1, 3).astype(np.uint64), -1, 0)
        packed = red | green << np.uint64(20) | blue << np.uint64(40)
        total = sum(np.take(packed, at) * part for at, part in self._corners)
        return np.stack([total >> np.uint64(bits) & np.uint64(255) for bits in (8, 28, 48)], -1).astype(np.uint8)

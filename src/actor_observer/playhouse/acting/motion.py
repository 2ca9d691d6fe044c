"""How things move: minimum-jerk transitions, drifts that never repeat, and rotations of whole tracks at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from actor_observer.playhouse.home.geoms import Array

__all__ = ["Array", "Drift", "frame_from_z", "min_jerk", "quaternions", "turn_matrix", "unit"]


def min_jerk(share: ArrayLike) -> Array:
    """The smooth curve from 0 to 1 of a reaching hand: rest, speed up, slow down, rest.

    >>> min_jerk([0.0, 0.5, 1.0]).tolist()
    [0.0, 0.5, 1.0]
    """
    u = np.clip(np.asarray(share, float), 0.0, 1.0)
    return np.asarray(u**3 * (10.0 - 15.0 * u + 6.0 * u**2))


@dataclass(frozen=True)
class Drift:
    """A smooth random curve (T,) -> (T, D) through irregularly spaced knots, so that no motion is periodic.

    >>> drift = Drift.random(np.random.default_rng(0), length=10.0, every=1.0, dims=2)
    >>> drift(np.array([0.5, 3.0])).shape
    (2, 2)
    """

    knots: Array  # (K,) seconds
    values: Array  # (K, D), about unit variance

    @classmethod
    def random(cls, rng: np.random.Generator, length: float, every: float, dims: int) -> Drift:
        count = int(np.ceil(length / every)) + 4
        knots = np.cumsum(every * rng.uniform(0.5, 1.5, count)) - 2.5 * every
        return cls(knots, rng.standard_normal((count, dims)))

    def __call__(self, times: Array) -> Array:
        """Catmull-Rom through the knots; constant beyond the last ones."""
        k, v = self.knots, self.values
        i = np.clip(np.searchsorted(k, times, side="right") - 1, 1, len(k) - 3)
        u = np.clip((times - k[i]) / (k[i + 1] - k[i]), 0.0, 1.0)[:, None]
        a, b, c, d = v[i - 1], v[i], v[i + 1], v[i + 2]
        curve = b + 0.5 * u * (c - a + u * (2 * a - 5 * b + 4 * c - d + u * (3 * (b - c) + d - a)))
        return np.asarray(curve, dtype=float)


def unit(vectors: Array) -> Array:
    """Vectors (…, 3) scaled to length one.

    >>> unit(np.array([0.0, 3.0, 4.0])).tolist()
    [0.0, 0.6, 0.8]
    """
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9))


def frame_from_z(z: Array, y_hint: Array) -> Array:
    """Rotation matrices (…, 3, 3) whose z axis is `z` and whose y axis is as close to `y_hint` as possible.

    >>> frame_from_z(np.array([0.0, 0.0, 2.0]), np.array([0.0, 1.0, 0.3])).round(6).tolist()
    [[1.0, 0.0, 0.0], [-0.0, 1.0, 0.0], [0.0, -0.0, 1.0]]
    """
    z = unit(z)
    x = unit(np.cross(y_hint + 1e-9, z))
    return np.stack([x, np.cross(z, x), z], axis=-1)


def turn_matrix(turns: Array) -> Array:
    """Rotation matrices (…, 3, 3) from (yaw, pitch, roll): roll about y, then pitch about x, then yaw about z.

    Pitch tips the top of a thing towards the actor; roll tips it to the right.

    >>> (turn_matrix(np.array([0.0, np.pi / 2, 0.0])) @ np.array([0.0, 0.0, 1.0])).round(9).tolist()
    [0.0, -1.0, 0.0]
    """
    yaw, pitch, roll = np.moveaxis(np.asarray(turns, float), -1, 0)
    cy, sy, cp, sp, cr, sr = (f(a) for a in (yaw, pitch, roll) for f in (np.cos, np.sin))
    rows = [
        [cy * cr - sy * sp * sr, -sy * cp, cy * sr + sy * sp * cr],
        [sy * cr + cy * sp * sr, cy * cp, sy * sr - cy * sp * cr],
        [-cp * sr, sp, cp * cr],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def quaternions(matrices: Array) -> Array:
    """Unit quaternions (…, 4), scalar first, of rotation matrices (…, 3, 3).

    >>> quaternions(np.eye(3)).tolist()
    [1.0, 0.0, 0.0, 0.0]
    """
    m = np.asarray(matrices)
    a, b, c = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    size = np.sqrt(np.maximum(0.0, 1.0 + np.stack([a + b + c, a - b - c, b - a - c, c - a - b], axis=-1))) / 2
    # The largest component is safe to divide by; the others follow from the off-diagonal sums and differences.
    d32, d13, d21 = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    s12, s13, s23 = m[..., 0, 1] + m[..., 1, 0], m[..., 0, 2] + m[..., 2, 0], m[..., 1, 2] + m[..., 2, 1]
    w, x, y, z = (4 * size[..., i] for i in range(4))
    choices = np.stack(
        [
            np.stack([w * size[..., 0], d32, d13, d21], axis=-1),
            np.stack([d32, x * size[..., 1], s12, s13], axis=-1),
            np.stack([d13, s12, y * size[..., 2], s23], axis=-1),
            np.stack([d21, s13, s23, z * size[..., 3]], axis=-1),
        ],
        axis=-2,
    )
    best = np.argmax(size, axis=-1)
    q = np.take_along_axis(choices, best[..., None, None], axis=-2)[..., 0, :]
    return np.asarray(q / np.linalg.norm(q, axis=-1, keepdims=True))

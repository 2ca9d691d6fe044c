"""Free floor: where in a furnished room there is space to move about."""

from __future__ import annotations

import numpy as np

from actor_observer.playhouse.home.geoms import Array
from actor_observer.playhouse.home.homes import Home

__all__ = ["clearance", "free_spots"]

TRIES = 120


def clearance(home: Home, points: Array) -> Array:
    """Metres (N,) from points (N, 2) of the floor to the nearest furniture or wall.

    >>> from actor_observer.playhouse.home.homes import LAYOUTS, build_home
    >>> bool(clearance(build_home(LAYOUTS[0], 0), np.array([[2.6, 0.0]]))[0] < 0.2)
    True
    """
    room = np.array([home.layout.width / 2, home.layout.depth / 2])
    boxes = home.footprints  # (F, 4)
    outside = np.maximum(boxes[None, :, :2] - points[:, None], points[:, None] - boxes[None, :, 2:])  # (N, F, 2)
    furniture = np.linalg.norm(np.maximum(outside, 0.0), axis=-1).min(axis=1)
    return np.asarray(np.minimum(furniture, (room - np.abs(points)).min(axis=1)))


def free_spots(home: Home, rng: np.random.Generator, count: int, avoid: Array | None = None) -> Array:
    """Spots (count, 2) with room around them, apart from each other and from the points `avoid` (K, 2).

    >>> from actor_observer.playhouse.home.homes import LAYOUTS, build_home
    >>> free_spots(build_home(LAYOUTS[0], 0), np.random.default_rng(0), 3).shape
    (3, 2)
    """
    room = np.array([home.layout.width / 2, home.layout.depth / 2]) - 0.5
    points = rng.uniform(-room, room, (TRIES, 2))
    free = np.minimum(clearance(home, points), 0.6)
    taken = np.empty((0, 2)) if avoid is None else avoid
    chosen: list[Array] = []
    for _ in range(count):
        others = np.concatenate([taken, *(spot[None] for spot in chosen)])
        apart = np.linalg.norm(points[:, None] - others[None], axis=-1).min(axis=1) if len(others) else np.ones(TRIES)
        worth = free + 0.5 * np.minimum(apart, 1.2) + rng.uniform(0, 0.15, TRIES)
        chosen.append(points[int(np.argmax(worth))])
    return np.array(chosen)

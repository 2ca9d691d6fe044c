"""Free floor: where in a furnished room there is space to move about, and how one gets there."""

from __future__ import annotations

import heapq
from itertools import product

import numpy as np

from actor_observer.playhouse.home.geoms import Array
from actor_observer.playhouse.home.homes import Home

__all__ = ["clearance", "free_spots", "way_round"]

TRIES = 120  # places that are thought of, until one is free
STEP = 0.2  # metres between two points of the grid on which ways are found
BODY = 0.32  # metres from the middle of a body to what it must not touch


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


def way_round(home: Home, start: Array, goal: Array) -> Array:
    """Where to turn on the way round the furniture from one point (2,) of the floor to another: points (K, 2).

    The last one is the goal. Where no way is free, it leads through the least.

    >>> from actor_observer.playhouse.home.homes import LAYOUTS, build_home
    >>> way_round(build_home(LAYOUTS[0], 0), np.array([-1.5, 1.2]), np.array([-1.4, 1.3])).tolist()
    [[-1.4, 1.3]]
    """
    ends = np.stack([start, goal])
    if _open(home, start, goal, ends):
        return goal[None]
    half = np.array([home.layout.width / 2, home.layout.depth / 2]) - 0.3
    rows, columns = (int(n) + 1 for n in 2 * half[::-1] / STEP)
    grid = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), axis=-1) * STEP - half  # (rows, columns, 2)
    lack = np.maximum(0.0, BODY - clearance(home, grid.reshape(-1, 2))).reshape(rows, columns)
    cells = [int(np.abs(grid - end).sum(axis=-1).argmin()) for end in ends]
    found = _cheapest(1.0 + 40.0 * lack, *(divmod(cell, columns) for cell in cells))
    points = [start, *(grid[at] for at in found), goal]
    kept, here = [], 0
    while here < len(points) - 1:  # straight on as long as nothing is in the way
        further = range(len(points) - 1, here + 1, -1)
        on = next((n for n in further if _open(home, points[here], points[n], ends)), here + 1)
        kept.append(points[on])
        here = on
    return np.array(kept)


def _open(home: Home, start: Array, goal: Array, ends: Array) -> bool:
    """Whether a straight walk touches nothing but what is round the two ends (2, 2) of the whole way."""
    along = np.linspace(0, 1, max(2, int(np.linalg.norm(goal - start) / 0.1)))[:, None]
    points = start + along * (goal - start)
    at_end = (np.linalg.norm(points[:, None] - ends, axis=-1) < 0.45).any(axis=1)
    return bool((at_end | (clearance(home, points) > BODY - 0.04)).all())


def _cheapest(cost: Array, start: tuple[int, int], goal: tuple[int, int]) -> list[tuple[int, int]]:
    """The cells of the cheapest way over a grid of costs, by Dijkstra; the eight neighbours are next to a cell."""
    rows, columns = cost.shape
    costs: list[list[float]] = cost.tolist()
    steps = [
        (down, right, (down**2 + right**2) ** 0.5) for down, right in product((-1, 0, 1), repeat=2) if down or right
    ]
    best: dict[tuple[int, int], float] = {start: 0.0}
    before: dict[tuple[int, int], tuple[int, int]] = {}
    queue = [(0.0, start)]
    while queue:
        spent, here = heapq.heappop(queue)
        if here == goal:
            break
        for down, right, far in steps:
            there = row, column = here[0] + down, here[1] + right
            if 0 <= row < rows and 0 <= column < columns:
                total = spent + far * costs[row][column]
                if total < best.get(there, np.inf):
                    best[there], before[there] = total, here
                    heapq.heappush(queue, (total, there))
    way = [goal]
    while way[-1] != start:
        way.append(before[way[-1]])
    return way[::-1]

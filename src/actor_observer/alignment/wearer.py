"""Who of the people in a room camera's picture wears the head camera?

In every spell of two seconds each cell of the picture answers what the wearer's motion asks (`who_answers`). People do
not jump: from one spell to the next they stay where they are or move to a neighbouring cell, which the forward-backward
sums over all ways through the picture take into account.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from actor_observer.alignment.belief import Belief
from actor_observer.alignment.kinds.learned_motion import LONGEST_CELLS, load_heads, watch
from actor_observer.alignment.recordings.recording import Recording
from actor_observer.alignment.result import Place
from actor_observer.features.extract import one_thread
from actor_observer.frames.moving.flow import COLUMNS, FINE, ROWS
from actor_observer.model.motion_heads import HEAD_RATE
from actor_observer.model.spell_scores import SPELL, paces, who_answers

__all__ = ["find_wearer", "where"]

Array = NDArray[np.float64]
# Of people two seconds later. `align` scores offsets with people who stay longer: a box should follow sooner.
STAY, NEXT = 0.7, 0.25
LEAST = 0.25  # of the belief in one box, without which nobody is pointed at
TALL = 2  # pairs of cells above and below the one that answers best that a standing person may fill


@one_thread()
def find_wearer(third: Recording, first: Recording, belief: Belief) -> tuple[Place, ...]:
    """Where the wearer is in the room camera's picture, second by second; nothing where nobody stands out."""
    if (third.view, first.view) != ("third", "first") or third.length + first.length > LONGEST_CELLS:
        return ()
    shares = where(third, first, belief)  # (K, C)
    found = []
    for spell, share in enumerate(shares):
        for half in (0.25, 0.75):
            time = belief.to_one((spell + half) * SPELL / HEAD_RATE)
            box, inside = _box(share)
            if inside >= LEAST and 0 <= time <= third.length and (spell + half) * SPELL / HEAD_RATE <= first.length:
                found.append(Place(time, box, inside))
    return tuple(found)


@torch.no_grad()
def where(third: Recording, first: Recording, belief: Belief) -> Array:
    """The share of each cell in each spell of the first-person recording, (K, C); none where nothing moves."""
    heads = load_heads()
    if heads is None or third.motion.still or first.motion.still:
        return np.zeros((0, FINE))
    lag = torch.tensor([round(belief.to_one(first.length / 2) * HEAD_RATE - first.length / 2 * HEAD_RATE)])
    both = zip(heads.heads, watch(heads, third), watch(heads, first), strict=True)
    found = [who_answers(one.cells, other.asks, lag, head.sharp.exp())[0] for head, one, other in both]  # type: ignore[operator]
    return smoothed(torch.stack(found).mean(dim=0).double().numpy())


def smoothed(shares: Array) -> Array:
    """What all spells together say about each: shares (K, C) of cells, with people who move at their own pace.

    >>> jump = np.full((3, FINE), 0.2 / 191); jump[[0, 1, 2], [9, 40, 9]] = 0.8
    >>> smoothed(jump).argmax(axis=1).tolist()
    [9, 9, 9]
    """
    moves = paces(STAY, NEXT).double().numpy()
    forward, backward = shares.copy(), np.ones_like(shares)
    for spell in range(1, len(shares)):
        forward[spell] *= forward[spell - 1] @ moves
        forward[spell] /= forward[spell].sum()
    for spell in range(len(shares) - 2, -1, -1):
        backward[spell] = moves @ (backward[spell + 1] * shares[spell + 1])
        backward[spell] /= backward[spell].sum()
    both = forward * backward
    return np.asarray(both / np.maximum(both.sum(axis=1, keepdims=True), 1e-300))


def _box(share: Array) -> tuple[tuple[float, float, float, float], float]:
    """A box in shares of the picture around the cells that answer best, and their share of the belief.

    Cells count in fours: a body is wider than one of the fine grid.

    >>> share = np.zeros(FINE); share[[36, 68]] = 0.4, 0.6
    >>> _box(share)
    ((0.25, 0.1..., 0.375, 0.5), 1.0)
    """
    grid = share.reshape(ROWS, 2, COLUMNS, 2).sum(axis=(1, 3))
    row, column = divmod(int(grid.argmax()), COLUMNS)
    rows = [row]
    for step in (-1, 1):
        for by in range(1, TALL + 1):
            at = row + step * by
            if not 0 <= at < ROWS or grid[at, column] < 0.3 * grid[row, column]:
                break
            rows.append(at)
    columns = [column]
    for at in (column - 1, column + 1):
        if 0 <= at < COLUMNS and grid[rows, at].sum() > 0.5 * grid[rows, column].sum():
            columns.append(at)
    inside = float(grid[min(rows) : max(rows) + 1, min(columns) : max(columns) + 1].sum())
    box = min(columns) / COLUMNS, min(rows) / ROWS, (max(columns) + 1) / COLUMNS, (max(rows) + 1) / ROWS
    return box, min(inside, 1.0)

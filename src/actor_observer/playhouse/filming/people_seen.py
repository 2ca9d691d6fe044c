"""Where everybody is in a picture: a box, a share of the pixels, and a coarse mask for each person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["MASK", "PeopleSeen", "people_seen"]

MASK = (18, 24)  # rows and columns of the coarse masks


@dataclass(frozen=True)
class PeopleSeen:
    """The K people of one picture."""

    boxes: NDArray[np.float32]  # (K, 4) left, top, right, bottom in shares of the picture; zeros: not in it
    shares: NDArray[np.float32]  # (K,) of the picture's pixels
    masks: NDArray[np.bool_]  # (K, 18, 24) where in the picture a person has pixels


def people_seen(geoms: NDArray[np.int64], people: Sequence[Sequence[int]]) -> PeopleSeen:
    """From the geom of every pixel (h, w) and the geoms of each person.

    >>> picture = np.full((36, 48), -1)
    >>> picture[18:, :12] = 7
    >>> seen = people_seen(picture, [(7, 8), (9,)])
    >>> seen.boxes[0].tolist(), seen.shares.tolist(), int(seen.masks[0].sum())
    ([0.0, 0.5, 0.25, 1.0], [0.125, 0.0], 54)
    """
    height, width = geoms.shape
    who = np.full(int(max(geoms.max(), *(max(group) for group in people))) + 2, -1)
    for number, group in enumerate(people):
        who[list(group)] = number
    person = who[geoms]  # (h, w); -1 stays -1: the last entry is nobody's
    boxes, shares = np.zeros((len(people), 4), np.float32), np.zeros(len(people), np.float32)
    masks = np.zeros((len(people), *MASK), bool)
    for number in range(len(people)):
        rows, columns = np.nonzero(person == number)
        if len(rows):
            shares[number] = len(rows) / person.size
            low, high = (columns.min(), rows.min()), (columns.max() + 1, rows.max() + 1)
            boxes[number] = [low[0] / width, low[1] / height, high[0] / width, high[1] / height]
            masks[number, rows * MASK[0] // height, columns * MASK[1] // width] = True
    return PeopleSeen(boxes, shares, masks)

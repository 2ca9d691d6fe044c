"""Cut two clips out of a synchronous pair, as two people would who pressed the button at different times."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Cut", "draw_cuts"]


@dataclass(frozen=True)
class Cut:
    """Where the two clips begin and end, in third-person seconds."""

    third: tuple[float, float]
    first: tuple[float, float]

    @property
    def offset(self) -> float:
        """The truth: third-person time of the clip at which the first-person clip begins."""
        return self.first[0] - self.third[0]


def draw_cuts(start: float, end: float, count: int, rng: np.random.Generator) -> list[Cut]:
    """Cuts out of what both cameras recorded, from `start` to `end`.

    The first-person clip is 50 to 70 % of it, the third-person one 55 to 80 %, both begin anywhere, and at least 60 %
    of the shorter is shared.

    >>> cut = draw_cuts(0.0, 30.0, 1, np.random.default_rng(0))[0]
    >>> 15 <= cut.first[1] - cut.first[0] <= 21
    True
    """
    whole = end - start
    found: list[Cut] = []
    while len(found) < count:
        lengths = rng.uniform(0.55, 0.8) * whole, rng.uniform(0.5, 0.7) * whole
        starts = [start + rng.uniform(0, whole - length) for length in lengths]
        spans = [(begin, begin + length) for begin, length in zip(starts, lengths, strict=True)]
        shared = min(span[1] for span in spans) - max(span[0] for span in spans)
        if shared >= 0.6 * min(lengths):
            found.append(Cut((float(spans[0][0]), float(spans[0][1])), (float(spans[1][0]), float(spans[1][1]))))
    return found

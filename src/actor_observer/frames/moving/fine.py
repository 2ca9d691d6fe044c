"""Motion on the fine grid, thinned: about 15 samples a second are all that anybody asks of it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from actor_observer.frames.moving.flow import CELLS, FINE, Floats

__all__ = ["Thinning", "mend"]

STEP = 1.02 / 15  # seconds: samples that last no longer together become one
BLOCK = 600  # samples that are thinned at once: an hour of them would fill the memory


@dataclass
class Thinning:
    """Takes one sample after the other, and keeps the means of those that follow each other fast.

    >>> thinning = Thinning()
    >>> for n in range(6):
    ...     thinning.add(n / 30, (n + 1) / 30, np.full((len(CELLS), FINE), n), key=False)
    >>> times, values = thinning.done()
    >>> times.round(3).tolist(), values[:, 0, 0].tolist()
    ([0.033, 0.1, 0.167], [0.5, 2.5, 4.5])
    """

    times: list[float] = field(default_factory=list)
    values: list[NDArray[np.float16]] = field(default_factory=list)
    spans: list[tuple[float, float]] = field(default_factory=list)  # of the block that is being filled
    block: list[Floats] = field(default_factory=list)
    keys: list[bool] = field(default_factory=list)

    def add(self, start: float, end: float, values: Floats, key: bool) -> None:
        """A sample (6, 192) of what moved between two moments; `key`: up to a keyframe."""
        self.spans.append((start, end))
        self.block.append(values)
        self.keys.append(key)
        if len(self.block) == BLOCK:
            self._thin()

    def done(self) -> tuple[NDArray[np.float64], NDArray[np.float16]]:
        """Times (F,) and means (F, 6, 192)."""
        self._thin()
        return np.array(self.times), np.array(self.values, np.float16).reshape(len(self.times), len(CELLS), FINE)

    def _thin(self) -> None:
        if not self.block:
            return
        values = np.array(self.block, np.float32)
        mend(values, np.array(self.keys, bool))
        first = 0
        for last in range(len(values)):
            start, end = self.spans[first][0], self.spans[last][1]
            after = self.spans[last + 1][1] if last + 1 < len(values) else np.inf
            if after - start > STEP:
                self.times.append((start + end) / 2)
                self.values.append(values[first : last + 1].mean(axis=0).astype(np.float16))
                first = last + 1
        self.spans, self.block, self.keys = [], [], []


def mend(values: Floats, broken: NDArray[np.bool_]) -> None:
    """Put the mean of the two neighbours in place of what is broken, (T, ...)."""
    if len(values) < 3 or broken.mean() > 0.25:  # a video of keyframes alone has no pulses
        return
    for place in np.flatnonzero(broken):
        values[place] = (values[max(int(place) - 1, 0)] + values[min(int(place) + 1, len(values) - 1)]) / 2

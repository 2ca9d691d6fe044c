"""The clock of a pair: the map from third-person time to first-person time, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Clock", "ClockTable"]


@dataclass(frozen=True)
class Clock:
    """A piecewise-linear, strictly increasing map, through anchor points `(third, first)` in seconds.

    Beyond its first and last anchor it continues at the slope of the outermost piece. A single anchor is an offset
    between two cameras whose clocks run equally fast.

    >>> clock = Clock(((0.0, 2.0), (10.0, 12.0), (20.0, 32.0)))
    >>> clock.to_first(15.0), clock.to_third(22.0)
    (22.0, 15.0)
    """

    anchors: tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        points = np.asarray(self.anchors, dtype=float)
        if points.ndim != 2 or points.shape[1:] != (2,) or not len(points):
            raise ValueError("a clock needs at least one anchor point (third, first)")
        if not np.isfinite(points).all():
            raise ValueError("a clock's anchor points must be finite")
        if (np.diff(points, axis=0) <= 0).any():
            raise ValueError("a clock's anchor points must increase in both times")

    @classmethod
    def scaled(cls, third_length: float, first_length: float) -> Clock:
        """The clock when nothing better is known: the two lengths are scaled onto each other.

        >>> Clock.scaled(30.0, 24.0).to_first(15.0)
        12.0
        """
        return cls(((0.0, 0.0), (float(third_length), float(first_length))))

    @classmethod
    def parse(cls, text: str) -> Clock:
        """Read the `clock` column of `pairs.csv`: `third:first;third:first;…`.

        >>> Clock.parse("0:1.5; 30:31.5").to_first(10.0)
        11.5
        """
        anchors = []
        for part in filter(None, (part.strip() for part in text.split(";"))):
            third, _, first = part.partition(":")
            try:
                anchors.append((float(third), float(first)))
            except ValueError:
                raise ValueError(f"clock anchor {part!r} is not third:first in seconds") from None
        return cls(tuple(sorted(anchors)))

    def __str__(self) -> str:
        return ";".join(f"{float(third)!r}:{float(first)!r}" for third, first in self.anchors)

    @overload
    def to_first(self, third_time: float) -> float: ...
    @overload
    def to_first(self, third_time: NDArray[np.floating]) -> NDArray[np.float64]: ...
    def to_first(self, third_time: ArrayLike) -> float | NDArray[np.float64]:
        """First-person time of a third-person time (a number or an array)."""
        return _interpolate(third_time, *self._columns())

    @overload
    def to_third(self, first_time: float) -> float: ...
    @overload
    def to_third(self, first_time: NDArray[np.floating]) -> NDArray[np.float64]: ...
    def to_third(self, first_time: ArrayLike) -> float | NDArray[np.float64]:
        """Third-person time of a first-person time (a number or an array)."""
        third, first = self._columns()
        return _interpolate(first_time, first, third)

    def overlap(self, third_length: float, first_length: float) -> tuple[float, float]:
        """The stretch of third-person time that both takes show; empty (0, 0) when they do not overlap.

        >>> Clock(((0.0, -2.0),)).overlap(third_length=10.0, first_length=5.0)
        (2.0, 7.0)
        """
        start = max(0.0, self.to_third(0.0))
        end = min(third_length, self.to_third(first_length))
        return (start, end) if end > start else (0.0, 0.0)

    def inverse(self) -> Clock:
        """The clock with the two views swapped.

        >>> Clock(((0.0, 2.0),)).inverse().to_first(5.0)
        3.0
        """
        return Clock(tuple((first, third) for third, first in self.anchors))

    def _columns(self) -> tuple[Iterable[float], Iterable[float]]:
        third, first = zip(*self.anchors, strict=True)
        return third, first


def _interpolate(at: ArrayLike, x: Iterable[float], y: Iterable[float]) -> float | NDArray[np.float64]:
    """Like `np.interp`, but continues at the outermost slope instead of staying constant."""
    times, xs, ys = np.asarray(at, float), np.asarray(x, float), np.asarray(y, float)
    if len(xs) == 1:
        result = times - xs[0] + ys[0]
    else:
        piece = np.clip(np.searchsorted(xs, times, side="right") - 1, 0, len(xs) - 2)
        share = (times - xs[piece]) / (xs[piece + 1] - xs[piece])
        result = ys[piece] + share * (ys[piece + 1] - ys[piece])
    return float(result) if result.ndim == 0 else np.asarray(result, dtype=float)


class ClockTable:
    """Many clocks at once: maps a batch of times, each with its own clock, without a Python loop.

    >>> table = ClockTable([Clock(((0.0, 2.0),)), Clock.scaled(10.0, 20.0)])
    >>> table.to_first(np.array([0, 1]), np.array([3.0, 3.0])).tolist()
    [5.0, 6.0]
    """

    def __init__(self, clocks: Sequence[Clock]) -> None:
        most = max((len(clock.anchors) for clock in clocks), default=1)
        self._third = np.full((len(clocks), max(2, most)), np.inf)  # (C, K), padded at the end
        self._first = np.full_like(self._third, np.inf)
        self._pieces = np.ones(len(clocks), dtype=np.int64)
        for row, clock in enumerate(clocks):
            anchors = np.array(clock.anchors)
            if len(anchors) == 1:
                anchors = np.concatenate([anchors, anchors + 1])  # an offset is a piece of slope 1
            self._third[row, : len(anchors)], self._first[row, : len(anchors)] = anchors.T
            self._pieces[row] = len(anchors) - 1

    def to_first(self, clock: NDArray[np.int64], third_time: NDArray[np.float64]) -> NDArray[np.float64]:
        """First-person time of each third-person time (B,), with the clock of that number (B,)."""
        piece = (self._third[clock] <= third_time[:, None]).sum(axis=1) - 1  # (B,)
        piece = np.clip(piece, 0, self._pieces[clock] - 1)
        x, y = self._third[clock], self._first[clock]  # (B, K)
        row = np.arange(len(clock))
        share = (third_time - x[row, piece]) / (x[row, piece + 1] - x[row, piece])
        return y[row, piece] + share * (y[row, piece + 1] - y[row, piece])

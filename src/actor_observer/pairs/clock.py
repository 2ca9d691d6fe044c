"""The clock of a pair: the map from third-person time to first-person time, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Clock", "ClockTable"]

_INSIDE = 1e-6  # seconds: the end of a piece, and not the start of the next


@dataclass(frozen=True)
class Clock:
    """A piecewise-linear map through anchor points `(third, first)` in seconds, increasing in both times.

    Beyond its first and last anchor it continues at the slope of the outermost piece. A single anchor is an offset
    between two cameras whose clocks run equally fast.

    >>> clock = Clock(((0.0, 2.0), (10.0, 12.0), (20.0, 32.0)))
    >>> clock.to_first(15.0), clock.to_third(22.0)
    (22.0, 15.0)

    Two performances of one script need not show the same things. A clock may then come in pieces, written with `|`, and
    what lies in none of them has no counterpart in the other take: `in_both` is false there, and the map means nothing.
    Pieces may follow each other in another order in the other take.

    >>> clock = Clock.parse("5:2;10:6|14:20;18:24|20:8;25:14")
    >>> clock.in_both(np.array([1.0, 7.0, 12.0, 15.0])).tolist(), clock.to_first(22.5), clock.to_third(22.0)
    ([False, True, False, True], 11.0, 16.0)
    """

    anchors: tuple[tuple[float, float], ...]  # by third-person time
    starts: tuple[int, ...] = ()  # numbers of the anchors with which pieces start; none: all of it is one clock

    def __post_init__(self) -> None:
        points = np.asarray(self.anchors, dtype=float)
        if points.ndim != 2 or points.shape[1:] != (2,) or not len(points):
            raise ValueError("a clock needs at least one anchor point (third, first)")
        if not np.isfinite(points).all():
            raise ValueError("a clock's anchor points must be finite")
        if self.starts and (self.starts[0] != 0 or (np.diff([*self.starts, len(points)]) < 2).any()):
            raise ValueError("each piece of a clock needs two anchor points")
        by_first = [first for piece in self._by_first() for _, first in piece]
        if (np.diff(points[:, 0]) <= 0).any() or (np.diff(by_first) <= 0).any():
            raise ValueError("a clock's anchor points must increase in both times")

    def __repr__(self) -> str:  # runs know their pairs by it: an unbroken clock is written as ever
        return f"Clock(anchors={self.anchors!r}{f', starts={self.starts!r}' if self.starts else ''})"

    @classmethod
    def of_pieces(cls, pieces: Iterable[Sequence[tuple[float, float]]]) -> Clock:
        """A clock in pieces, each a row of anchors.

        >>> Clock.of_pieces([[(9.0, 1.0), (12.0, 3.0)], [(2.0, 5.0), (4.0, 8.0)]]).starts
        (0, 2)
        """
        ordered = sorted((tuple(piece) for piece in pieces), key=lambda piece: piece[0][0])
        starts = np.cumsum([0, *(len(piece) for piece in ordered[:-1])])
        return cls(tuple(anchor for piece in ordered for anchor in piece), tuple(int(start) for start in starts))

    @property
    def pieces(self) -> list[tuple[tuple[float, float], ...]]:
        """The anchors of each piece, by third-person time; all of them where the clock is unbroken."""
        ends = [*(self.starts or (0,)), len(self.anchors)]
        return [self.anchors[start:end] for start, end in pairwise(ends)]

    def _by_first(self) -> list[tuple[tuple[float, float], ...]]:
        return sorted(self.pieces, key=lambda piece: piece[0][1])

    @classmethod
    def scaled(cls, third_length: float, first_length: float) -> Clock:
        """The clock when nothing better is known: the two lengths are scaled onto each other.

        >>> Clock.scaled(30.0, 24.0).to_first(15.0)
        12.0
        """
        return cls(((0.0, 0.0), (float(third_length), float(first_length))))

    @classmethod
    def parse(cls, text: str) -> Clock:
        """Read the `clock` column of `pairs.csv`: `third:first;third:first;…`, with `|` between pieces.

        >>> Clock.parse("0:1.5; 30:31.5").to_first(10.0)
        11.5
        """
        pieces = [sorted(_anchors(piece)) for piece in text.split("|")]
        return cls.of_pieces(filter(None, pieces)) if "|" in text and any(pieces) else cls(tuple(pieces[0]))

    def __str__(self) -> str:
        parts = [";".join(f"{float(third)!r}:{float(first)!r}" for third, first in piece) for piece in self.pieces]
        return ("|" if len(self.starts) == 1 else "") + "|".join(parts)

    @overload
    def to_first(self, third_time: float) -> float: ...
    @overload
    def to_first(self, third_time: NDArray[np.floating]) -> NDArray[np.float64]: ...
    def to_first(self, third_time: ArrayLike) -> float | NDArray[np.float64]:
        """First-person time of a third-person time (a number or an array)."""
        third, first = zip(*self.anchors, strict=True)
        return _interpolate(third_time, third, first)

    @overload
    def to_third(self, first_time: float) -> float: ...
    @overload
    def to_third(self, first_time: NDArray[np.floating]) -> NDArray[np.float64]: ...
    def to_third(self, first_time: ArrayLike) -> float | NDArray[np.float64]:
        """Third-person time of a first-person time (a number or an array)."""
        third, first = zip(*(anchor for piece in self._by_first() for anchor in piece), strict=True)
        return _interpolate(first_time, first, third)

    def in_both(self, third_time: NDArray[np.floating]) -> NDArray[np.bool_]:
        """Whether each moment of the third-person take (T,) has a counterpart by the clock."""
        inside = np.full(np.shape(third_time), not self.starts)
        for piece in self.pieces if self.starts else ():
            inside |= (third_time >= piece[0][0]) & (third_time <= piece[-1][0])
        return inside

    def first_in_both(self, first_time: NDArray[np.floating]) -> NDArray[np.bool_]:
        """Whether each moment of the first-person take (T,) has a counterpart by the clock."""
        return self.inverse().in_both(first_time)

    def apart(self, third_time: NDArray[np.floating], first_time: NDArray[np.floating]) -> NDArray[np.float64]:
        """Seconds of third-person time (M, N) between first-person (M,) and third-person moments (N,).

        Infinite where either has no counterpart.

        >>> Clock.parse("|1:2;9:10").apart(np.array([3.0, 20.0]), np.array([5.0])).tolist()
        [[1.0, inf]]
        """
        apart = np.abs(self.to_third(first_time)[:, None] - third_time[None, :])
        known = self.first_in_both(first_time)[:, None] & self.in_both(third_time)[None, :]
        return np.where(known, apart, np.inf)

    def overlap(self, third_length: float, first_length: float) -> tuple[float, float]:
        """The stretch of third-person time that both takes show; empty (0, 0) when they do not overlap.

        Of a clock in pieces it goes from the first to the last of them; `in_both` tells what in between both show.

        >>> Clock(((0.0, -2.0),)).overlap(third_length=10.0, first_length=5.0)
        (2.0, 7.0)
        """
        start, end = self.to_third(0.0), self.to_third(first_length)
        if self.starts:
            start, end = self.anchors[0][0], self.anchors[-1][0]
        start, end = max(0.0, start), min(third_length, end)
        return (start, end) if end > start else (0.0, 0.0)

    def shared_times(self) -> NDArray[np.float64]:
        """Seconds of all pieces up to each anchor (K,): the end of a piece and the start of the next are one moment.

        >>> Clock.parse("5:20;15:30|20:2;30:12").shared_times().tolist()
        [0.0, 10.0, 10.0, 20.0]
        """
        steps = np.diff([third for third, _ in self.anchors], prepend=self.anchors[0][0])
        steps[list(self.starts)] = 0.0
        return np.cumsum(steps)

    def shared_window(self, third_length: float, first_length: float) -> tuple[float, float]:
        """From when to when shared time goes (see `ClockTable`): `overlap` where the clock is unbroken."""
        return (0.0, float(self.shared_times()[-1])) if self.starts else self.overlap(third_length, first_length)

    def inverse(self) -> Clock:
        """The clock with the two views swapped.

        >>> Clock(((0.0, 2.0),)).inverse().to_first(5.0)
        3.0
        """
        turned = [[(first, third) for third, first in piece] for piece in self._by_first()]
        return Clock.of_pieces(turned) if self.starts else Clock(tuple(turned[0]))


def _anchors(text: str) -> Iterator[tuple[float, float]]:
    for part in filter(None, (part.strip() for part in text.split(";"))):
        third, _, first = part.partition(":")
        try:
            yield float(third), float(first)
        except ValueError:
            raise ValueError(f"clock anchor {part!r} is not third:first in seconds") from None


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

    With `shared`, times count only what both takes show: for clocks in pieces, the seconds of all pieces one after the
    other, from 0. So whatever is drawn from such a time has a counterpart.

    >>> table = ClockTable([Clock.parse("5:20;15:30|20:2;30:12")], shared=True)
    >>> drawn = np.array([0]), np.array([12.0])
    >>> table.to_third(*drawn).tolist(), table.to_first(*drawn).tolist()
    ([22.0], [4.0])
    """

    def __init__(self, clocks: Sequence[Clock], shared: bool = False) -> None:
        most = max((len(clock.anchors) for clock in clocks), default=1)
        self._time = np.full((len(clocks), max(2, most)), np.inf)  # (C, K), padded at the end
        self._third, self._first = np.full_like(self._time, np.inf), np.full_like(self._time, np.inf)
        self._last = np.ones(len(clocks), dtype=np.int64)
        self._moved = np.array([shared and bool(clock.starts) for clock in clocks], dtype=bool)
        for row, clock in enumerate(clocks):
            anchors = np.array(clock.anchors)
            if len(anchors) == 1:
                anchors = np.concatenate([anchors, anchors + 1])  # an offset is a piece of slope 1
            self._third[row, : len(anchors)], self._first[row, : len(anchors)] = anchors.T
            self._time[row, : len(anchors)] = clock.shared_times() if self._moved[row] else anchors[:, 0]
            self._last[row] = len(anchors) - 1
        self._starts = np.full((len(clocks), 1 + max((len(clock.starts) for clock in clocks), default=0)), np.inf)
        for row, clock in enumerate(clocks):
            self._starts[row, 0] = -np.inf
            if self._moved[row]:
                self._starts[row, 1 : len(clock.starts)] = self._time[row, list(clock.starts[1:])]

    def to_first(self, clock: NDArray[np.int64], time: NDArray[np.float64]) -> NDArray[np.float64]:
        """First-person time of each third-person time (or shared time) (B,), with the clock of that number (B,)."""
        return self._map(clock, time, self._first)

    def to_third(self, clock: NDArray[np.int64], time: NDArray[np.float64]) -> NDArray[np.float64]:
        """Third-person time of each shared time (B,)."""
        return np.where(self._moved[clock], self._map(clock, time, self._third), time)

    def beside(
        self, clock: NDArray[np.int64], time: NDArray[np.float64], other: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Other shared times (B,), drawn in to the piece of the clock in which each time (B,) lies."""
        piece = (self._starts[clock] <= time[:, None]).sum(axis=1) - 1  # (B,)
        start = self._starts[clock, piece]
        end = self._starts[clock, np.minimum(piece + 1, self._starts.shape[1] - 1)]
        end = np.where(end > start, end - _INSIDE, np.inf)
        return np.clip(other, start, end)

    def _map(
        self, clock: NDArray[np.int64], time: NDArray[np.float64], onto: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        piece = (self._time[clock] <= time[:, None]).sum(axis=1) - 1  # (B,)
        piece = np.clip(piece, 0, self._last[clock] - 1)
        x, y = self._time[clock], onto[clock]  # (B, K)
        row = np.arange(len(clock))
        share = (time - x[row, piece]) / (x[row, piece + 1] - x[row, piece])
        return y[row, piece] + share * (y[row, piece + 1] - y[row, piece])

"""A signal: numbers over time, in groups that belong together, such as the three axes of a gyroscope."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from actor_observer.signals.groups import Nature, gather
from actor_observer.signals.stamps import GAPS, gaps_of
from actor_observer.signals.wrapping import Unwrapper

__all__ = ["Group", "Signal", "cut_signal", "make_signal"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Group:
    """Columns of one kind and unit."""

    name: str
    nature: Nature  # what its numbers are: places, rates (a gyroscope's) or accelerations
    columns: tuple[str, ...]
    values: NDArray[np.float32]  # (K, T)


@dataclass(frozen=True, eq=False)
class Signal:
    """Numbers over time. Its own time is seconds since its first row, or since the start of a stretch of it."""

    times: Array  # (T,) seconds, never running backwards
    groups: tuple[Group, ...]  # that move; none: the signal says nothing
    time: str = "time"  # the column that times come from
    unit: str = "s"  # what it was written in
    first: float = 0.0  # seconds on the column's own clock at its own time 0
    notes: tuple[str, ...] = ()  # what a reader should know, one line each
    started: datetime.datetime | None = None  # when its first row was recorded, by its own clock
    started_error: float = 3.5  # seconds (one sigma): how far that clock is trusted; a satellite's is exact

    @cached_property
    def step(self) -> float:
        """Seconds between two rows, usually."""
        return float(np.median(np.diff(self.times))) if len(self.times) > 1 else 1.0

    @property
    def per_second(self) -> float:
        """Rows a second, usually."""
        return 1 / max(self.step, 1e-6)

    @property
    def length(self) -> float:
        """Seconds, the last row's own step included."""
        return float(self.times[-1]) + self.step if len(self.times) else 0.0

    @property
    def still(self) -> bool:
        """Whether nothing in it ever moves."""
        return not self.groups

    @cached_property
    def gaps(self) -> list[tuple[float, float]]:
        """Stretches without any row, in seconds."""
        return gaps_of(self.times)

    @property
    def says(self) -> str:
        """What was read, on one line."""
        named = ", ".join(f"{one.name} ({len(one.columns)})" for one in self.groups) or "nothing that moves"
        return f"time from {self.time} ({self.unit}), {self.per_second:.4g} rows a second: {named}"


def make_signal(
    times: Array,
    columns: Mapping[str, NDArray[np.floating]],  # (T,) or (T, K) each
    time: str = "time",
    natures: Mapping[str, Nature] | None = None,  # of groups, where their names do not say it
) -> Signal:
    """A signal out of numbers at hand; columns that never move are left out, wrapping angles unwrapped.

    >>> at = np.arange(300) / 100
    >>> found = make_signal(at, {"joint_1": np.sin(at), "joint_2": np.cos(at), "fixed": np.ones(300)})
    >>> [(group.name, group.columns) for group in found.groups], round(found.per_second)
    ([('joint', ('joint_1', 'joint_2'))], 100)
    """
    flat: dict[str, NDArray[np.floating]] = {}
    for name, values in columns.items():
        if values.ndim == 1:
            flat[name] = values
        else:
            flat |= {f"{name}[{place}]": values[:, place] for place in range(values.shape[1])}
    table = np.stack([*flat.values()], axis=1).astype(np.float64) if flat else np.zeros((len(times), 0))
    own = np.asarray(times, np.float64) - float(times[0])
    return from_rows(own, Unwrapper(len(flat))(table), [*flat], time, natures=natures)


def from_rows(
    times: Array,  # (T,) own seconds
    values: NDArray[np.floating],  # (T, K)
    names: Sequence[str],
    time: str,
    unit: str = "s",
    notes: Sequence[str] = (),
    natures: Mapping[str, Nature] | None = None,
) -> Signal:
    """A signal out of rows whose angles are unwrapped."""
    groups, said = gather(times, values, names, natures or {})
    found = Signal(times, tuple(Group(*one) for one in groups), time, unit, 0.0, (*notes, *said))
    if found.still:
        return replace(found, notes=(*found.notes, "nothing in it ever moves: it says nothing about when"))
    if len(found.gaps) > GAPS:
        return replace(found, notes=(*found.notes, f"{len(found.gaps)} gaps in its rows"))
    return found


def cut_signal(signal: Signal, start: float, end: float) -> Signal:
    """The rows from one own time to another, which becomes 0.

    >>> cut_signal(make_signal(np.arange(30.0), {"a": np.arange(30.0) ** 2}), 2.5, 6.0).times.tolist()
    [0.5, 1.5, 2.5]
    """
    inside = (signal.times >= start) & (signal.times < end)
    groups = tuple(replace(one, values=one.values[:, inside]) for one in signal.groups)
    began = signal.started + datetime.timedelta(seconds=start) if signal.started else None
    return replace(signal, times=signal.times[inside] - start, groups=groups, first=signal.first + start, started=began)

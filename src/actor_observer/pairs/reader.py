"""What a reader of data sets is: how it knows its own, what it may be told, and what it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from actor_observer.pairs.manifest import Fault, Pair, Take

__all__ = ["Asked", "Reader", "Recorded", "SignalTable"]


@dataclass(frozen=True)
class Asked:
    """What a user says about a data set that the data set does not."""

    videos: tuple[Path, ...] = ()  # further folders to look for recordings in
    first: str = ""  # which camera is the actor's; "": as the names of the cameras say


@dataclass
class Recorded:
    """What a data set says was recorded, before splits are dealt and people paired."""

    takes: dict[str, Take]
    pairs: list[Pair]
    faults: list[Fault] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class SignalTable:
    """What was measured beside the cameras of one event, row by row.

    >>> table = SignalTable(np.array([0.0, 0.1]), {"observation.state.joint_1": np.array([0.5, 0.6])})
    >>> len(table.times), [*table.columns]
    (2, ['observation.state.joint_1'])
    """

    times: NDArray[np.float64]  # (N,) seconds, on the clock of the event's cameras
    columns: Mapping[str, NDArray[np.float64]]  # (N,) each


@dataclass(frozen=True)
class Reader:
    """A kind of data set."""

    what: str  # in words, for messages: "a pairs.csv"
    tables: Callable[[Path], list[Path]]  # the tables of such a data set at a path, a folder or a file; else none
    read: Callable[[Sequence[Path], Asked], Recorded]
    asks_first: bool = False  # whether it may be told which camera is the actor's
    signals: Callable[[Sequence[Path]], Callable[[str], SignalTable]] | None = None  # of an event, by its name

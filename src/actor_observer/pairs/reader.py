"""What a reader of data sets is: how it knows its own, and what it gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from actor_observer.pairs.manifest import Fault, Pair, Take

__all__ = ["Reader", "Recorded"]


@dataclass
class Recorded:
    """What a data set says was recorded, before splits are dealt and people paired."""

    takes: dict[str, Take]
    pairs: list[Pair]
    faults: list[Fault] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Reader:
    """A kind of data set."""

    what: str  # in words, for messages: "a pairs.csv"
    tables: Callable[[Path], list[Path]]  # the tables of such a data set at a path, a folder or a file; else none
    read: Callable[[Sequence[Path], Sequence[Path]], Recorded]  # tables, and further folders to look for recordings in

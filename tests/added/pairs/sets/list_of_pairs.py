"""A data set for the test of extending: `list.txt` with two files in each line, the room's and the head's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from actor_observer.pairs.clock import Clock
from actor_observer.pairs.manifest import Pair
from actor_observer.pairs.media import Draft, settle
from actor_observer.pairs.reader import Asked, Reader, Recorded


def tables(place: Path) -> list[Path]:
    return [place / "list.txt"] if (place / "list.txt").is_file() else []


def read(tables: Sequence[Path], asked: Asked) -> Recorded:
    folder = tables[0].parent
    rows = [line.split() for line in tables[0].read_text().splitlines()]
    takes, faults = settle(
        [
            draft
            for third, first in rows
            for draft in (Draft(third, "third", folder / third), Draft(first, "first", folder / first))
        ]
    )
    pairs = [Pair(third, third, first, Clock.scaled(takes[third].length, takes[first].length)) for third, first in rows]
    return Recorded(takes, pairs, faults)


READER = Reader("a list.txt", tables, read)

"""Which events may be fitted on: homes of the test part are for judging alone, whatever set they came with."""

from __future__ import annotations

import sys
from pathlib import Path

from actor_observer.errors import UserError
from actor_observer.playhouse.home.homes import layouts_of
from known_cuts import Filmed, open_set
from motion_set import Event


def for_fitting(folder: Path) -> list[tuple[Event, list[Filmed]]]:
    """The events of a motion set that are in no home of the test part; how many were left out is said."""
    films, held_out = open_set(folder), {layout.name for layout in layouts_of("test")}
    kept = [(event, some) for event, some in films if event.layout not in held_out]
    if not kept:
        raise UserError(
            f"{folder}: all of its events are in homes of the test part, which are for judging alone; fit on "
            "a set of bench/event_set.py --split validation"
        )
    if len(kept) < len(films):
        print(f"{folder}: {len(films) - len(kept)} left out, in homes of the test part", file=sys.stderr)
    return kept

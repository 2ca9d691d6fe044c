"""The rooms of the page: a file here for what the server answers, one in `page/js/` for what the browser runs.

Another room is either or both, of one name, and a line in `ROOMS`.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

__all__ = ["ROOMS", "Room", "routers"]


class Room(NamedTuple):
    """A room with a place in the head of the page."""

    file: str  # without its ending
    name: str  # on the page
    right: str  # that it takes to enter


ROOMS = (  # the first is the one that the page opens with
    Room("look", "Look", "look"),
    Room("search", "Search", "look"),
    Room("queue", "Queue", "mark"),
    Room("study", "Study", "mark"),
    Room("collect", "Collect", "collect"),
    Room("runs", "Runs", "look"),
    Room("people", "People", "own"),
)


def routers() -> Iterator[Any]:
    """What the server answers: for the door, for what several rooms share, and for each room."""
    for name in ("doors", "mark", "labels", "event", "takes", *(room.file for room in ROOMS)):
        if find_spec(f"{__name__}.{name}"):
            yield import_module(f"{__name__}.{name}").router

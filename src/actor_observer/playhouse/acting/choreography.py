"""Which choreography plays which verb."""

from __future__ import annotations

from collections.abc import Callable

from actor_observer.playhouse.acting.chores.cleaning import fold, pane, spray, sweep, wipe
from actor_observer.playhouse.acting.chores.eating import cook, drink, eat, medicine, pour, wash
from actor_observer.playhouse.acting.chores.leisure import (
    hug,
    look,
    mirror,
    read,
    shoes,
    switch,
    talk,
    text,
    type_on,
    watch,
    window,
    write,
)
from actor_observer.playhouse.acting.moves import close, hold, open_up, put, sit, stand, take, walk
from actor_observer.playhouse.acting.scripting.scripts import Step
from actor_observer.playhouse.acting.stage import Stage

__all__ = ["CHOREOGRAPHIES"]

CHOREOGRAPHIES: dict[str, Callable[[Stage, Step], None]] = {
    **{
        "take": take,
        "put": put,
        "hold": hold,
        "open": open_up,
        "close": close,
        "sit": sit,
        "stand": stand,
        "walk": walk,
    },
    **{"drink": drink, "pour": pour, "read": read, "text": text, "talk": talk, "type": type_on, "write": write},
    **{"wipe": wipe, "pane": pane, "spray": spray, "sweep": sweep, "eat": eat, "medicine": medicine, "cook": cook},
    **{"wash": wash, "fold": fold, "hug": hug, "look": look, "watch": watch, "shoes": shoes, "switch": switch},
    **{"window": window, "mirror": mirror},
}

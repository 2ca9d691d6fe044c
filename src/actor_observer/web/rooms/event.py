"""An event: the other cameras of a pair's event on its clock, and what was measured beside them."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from actor_observer.pairs.manifest import Pair
from actor_observer.web.event.together import others_of
from actor_observer.web.guard import LOOK, InStudio
from actor_observer.web.store.people import Person
from actor_observer.web.studio import Studio

__all__ = ["router"]

router = APIRouter()


@router.get("/api/event")
def event(id: str, studio: InStudio, person: Person = LOOK) -> dict[str, Any]:
    """The other takes of a pair's event, each with the way to it; whether something was measured beside them."""
    pair = studio.pair(id)
    near = [studio.cards.cards[one].pair for one in studio.cards.sharing(pair)]
    others = others_of(studio.manifest, pair, near, lambda other: _clock(studio, other))
    for one in others:
        take = studio.take(one["take"])
        one |= {"view": take.view, "length": take.length, "name": take.path.name, "subject": take.subject}
    return {"others": others, "event": studio.take(pair.third).event}


@router.get("/api/curves")
def curves(id: str, studio: InStudio, person: Person = LOOK) -> dict[str, Any]:
    """Signals of a pair's event, thinned out, on the clock of its cameras; or how far the reading is."""
    data, name = studio.settings.places.data, studio.take(studio.pair(id).third).event
    if not name or len(data) != 1:
        return {"state": "done", "result": {"curves": []}}
    asked: dict[str, Any] = {"data": str(data[0].absolute()), "event": name}
    key = f"curves {name}"
    return studio.jobs.start(key, lambda progress: studio.slow.call("curves", about=key, **asked)).to_dict()


def _clock(studio: Studio, pair: Pair) -> tuple[Any, bool]:
    """The clock of a pair that can be trusted most, and whether it is a guess."""
    clocks, seen = studio.clocks(pair), studio.seen(pair)
    sure = seen is not None and seen["align"]["verdict"] == "in step"
    for name in ("marks", "data", *(("align",) if sure else ())):
        if name in clocks:
            return clocks[name], False
    return clocks["scaled"], True

"""An event: the other cameras of a pair's event on its clock, and what was measured beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import APIRouter

from actor_observer.pairs.manifest import Pair
from actor_observer.web.door.guard import LOOK, InStudio
from actor_observer.web.event.signal_clocks import clock_of
from actor_observer.web.event.together import others_of
from actor_observer.web.media.cache import key_of
from actor_observer.web.store.people import Person
from actor_observer.web.studio import Studio

__all__ = ["router"]

router = APIRouter()


@router.get("/api/event")
def event(id: str, studio: InStudio, person: Person = LOOK) -> dict[str, Any]:
    """The other takes of a pair's event, each with the way to it; whether something was measured beside them."""
    pair = studio.pair(id)
    doubtful = {one.id for one in studio.doubts.pairs} - {
        one for one, state in studio.states.all().items() if state == "accepted"
    }
    near = [studio.cards.cards[one].pair for one in studio.cards.sharing(pair) if one not in doubtful]
    others = others_of(studio.manifest, pair, near, lambda other: _clock(studio, other))
    for one in others:
        take = studio.take(one["take"])
        one |= {"view": take.view, "length": take.length, "name": take.path.name, "subject": take.subject}
    return {"others": others, "measured": bool(pair.signals or studio.take(pair.third).event)}


@router.get("/api/curves")
def curves(id: str, studio: InStudio, person: Person = LOOK) -> dict[str, Any]:
    """What was measured beside a pair's cameras, thinned out, each with its clock; or how far the reading is."""
    pair = studio.pair(id)
    event, data = studio.take(pair.third).event, studio.settings.places.data
    files = [str(path.absolute()) for path in pair.signals]
    if not files and (not event or len(data) != 1):
        return {"state": "done", "result": {"curves": [], "signals": []}}
    asked: dict[str, Any] = {"data": str(data[0].absolute()) if data else "", "event": event, "files": files}
    key = f"curves {event} {' '.join(key_of(path) for path in pair.signals)}"
    work = studio.jobs.follow(key, lambda progress: studio.slow.call("curves", about=key, **asked), str(person.id))
    job = work.to_dict()
    if job["state"] == "done":
        kept = zip(pair.signals, job["result"]["files"], strict=True)
        signals = [{**said, "name": path.name, **clock_of(_kept(studio, pair, path))} for path, said in kept]
        job["result"] = {"curves": job["result"]["curves"], "signals": signals}
    return job


@router.get("/api/signals")
def put_in_step(id: str, studio: InStudio, start: bool = False, person: Person = LOOK) -> dict[str, Any]:
    """Let `align` put the signals beside a pair in step with its observer's video; or how far that is."""
    pair = studio.pair(id)
    third, key = studio.take(pair.third), f"signals {id}"
    waiting = {
        str(path.absolute()): str(out.absolute())
        for path in pair.signals
        if not (out := _kept(studio, pair, path)).is_file()
    }
    if not waiting:
        return {"state": "done", "progress": 1.0}
    job = studio.jobs.get(key)
    if start:
        asked: dict[str, Any] = {"third": str(third.path.absolute()), "rate": third.frame_rate, "signals": waiting}
        job = studio.jobs.follow(
            key, lambda progress: studio.slow.call("signal_clocks", progress, about=key, **asked), str(person.id)
        )
    return job.to_dict() if job else {"state": "none"}


def _kept(studio: Studio, pair: Pair, signal: Path) -> Path:
    """Where the clock of a signal is kept: by the recordings it is between."""
    return studio.cache.folder / "signals" / f"{studio.key(studio.take(pair.third))}-{key_of(signal)}.json"


def _clock(studio: Studio, pair: Pair) -> tuple[Any, bool]:
    """The clock of a pair that can be trusted most, and whether it is a guess."""
    clocks, seen = studio.clocks(pair), studio.seen(pair)
    sure = seen is not None and seen["align"]["verdict"] == "in step"
    for name in ("marks", "data", *(("align",) if sure else ())):
        if name in clocks:
            return clocks[name], False
    return clocks["scaled"], True

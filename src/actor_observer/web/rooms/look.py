"""Look: cards of all pairs, one pair with its clocks, what a model sees in it, its videos and pictures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

import anyio
import anyio.to_thread
from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import FileResponse, JSONResponse

from actor_observer.disk.sealed_json import read_sealed_json
from actor_observer.errors import UserError
from actor_observer.pairs.frame_files import holds_frames
from actor_observer.pairs.manifest import Take
from actor_observer.pairs.window import file_of
from actor_observer.web import cards
from actor_observer.web.door.guard import LOOK, InStudio
from actor_observer.web.export import marks_csv, pairs_csv, pairs_zip, write_export
from actor_observer.web.labels import elan_zip
from actor_observer.web.media.playable import SUFFIXES
from actor_observer.web.store.people import Person
from actor_observer.web.studio import Studio

__all__ = ["router"]

router = APIRouter()
_NUMBERS = {"start": int, "count": int}
KEPT = {"cache-control": "private, max-age=3600"}


@router.get("/api/pairs")
def pairs(request: Request, studio: InStudio, person: Person = LOOK) -> Response:
    """Cards that fit a query."""
    found = studio.cards.find(_query(request), studio.known())
    return JSONResponse(found)  # plain values already: nothing to convert


@router.get("/api/ids")
def ids(request: Request, studio: InStudio, person: Person = LOOK) -> dict[str, Any]:
    """The ids of all pairs that fit a query."""
    return {"ids": [card.pair.id for card in studio.cards.fitting(_query(request), studio.known())]}


def _query(request: Request) -> cards.Query:
    """What a call asks of the list."""
    asked: dict[str, Any] = {}
    for field in fields(cards.Query):
        value = request.query_params.get(field.name)
        if value is None:
            continue
        try:
            asked[field.name] = int(value) if field.name in _NUMBERS else value
        except ValueError:
            raise UserError(f"{field.name} should be a number.") from None
    asked["descending"] = asked.get("descending") == "true"
    return cards.Query(**asked)


@router.get("/api/choices")
def choices(studio: InStudio, person: Person = LOOK) -> dict[str, Any]:
    """What the filters offer, and what the data set says about itself."""
    faults = [str(fault) for fault in studio.manifest.faults]
    return {
        **studio.cards.choices,
        "tags": sorted({tag for tags in studio.known().tags.values() for tag in tags}),
        "notes": list(studio.manifest.notes),
        "faults": faults[:200],
        "total_faults": len(faults),
    }


@router.get("/api/pair")
def pair(id: str, studio: InStudio, person: Person = LOOK) -> dict[str, Any]:
    """One pair: its card, its clocks, the actions of both takes, the marks, and what is next to it."""
    found = studio.pair(id)
    card = studio.cards.cards[id].to_dict(studio.cards.names, studio.known())
    return {
        **card,
        "clocks": {**studio.clocks(found), **_hand(studio, id, person)},
        "align": _trust(studio.seen(found)),
        "takes": {view: _take(studio, studio.take(getattr(found, view))) for view in ("third", "first")},
        "turn": studio.queue.turn(id, person.id),
        "notes": [],
    }


@router.get("/api/neighbours")
def neighbours(id: str, studio: InStudio, person: Person = LOOK) -> dict[str, Any]:
    """The pairs before and after one, by id."""
    ids = sorted(studio.cards.cards)
    if id not in studio.cards.cards:
        raise UserError("There is no such pair in this data set.")
    at = ids.index(id)
    return {"before": ids[at - 1] if at else None, "after": ids[at + 1] if at + 1 < len(ids) else None}


@router.get("/api/seen")
def seen(
    id: str, studio: InStudio, run: int | None = None, start: bool = False, person: Person = LOOK
) -> dict[str, Any]:
    """What a model sees in a pair, and what `align` says and rests on; or how far it has got."""
    found, model = studio.pair(id), run_model(studio, run)
    known = studio.seen(found, model)
    if known is not None and ("scores" in known["align"] or not start):  # the version before kept no scores
        return {"state": "done", **known}
    job = (
        studio.look(found, model, str(person.id))
        if start
        else studio.jobs.get(f"look {id} {model or studio.settings.model or ''}")
    )
    return job.to_dict() if job else {"state": "none"}


def run_model(studio: Studio, run: int | None) -> str | None:
    """The folder of a run by its number; None: the studio's own model."""
    runs = studio.settings.places.runs
    if run is None:
        return None
    if not 0 <= run < len(runs):
        raise UserError("There is no such run.")
    return str(runs[run].absolute())


@router.get("/api/ready")
def ready(take: str, studio: InStudio, force: bool = False, person: Person = LOOK) -> dict[str, Any]:
    """Whether a take can be played; where not, it is converted and this says how far that is."""
    found = studio.take(take)
    _refuse_gone(found)
    job = studio.prepare(found, force, str(person.id))
    if job is not None and job.state != "done":
        return job.to_dict()
    fps = found.frame_rate if holds_frames(found.path) else studio.facts(found).fps
    return {"state": "done", "progress": 1.0, "fps": fps or 0}


@router.get("/api/wave")
def wave(take: str, studio: InStudio, person: Person = LOOK) -> dict[str, Any]:
    """How loud a take is over time; or how far the reading of its sound is."""
    found = studio.take(take)
    out = studio.cache.folder / "wave" / f"{studio.key(found)}.json"
    known = _peaks(out)
    if known is not None:
        studio.cache.used(out)
        return {"state": "done", "peaks": known}
    asked: dict[str, Any] = {"path": str(found.path.absolute()), "length": found.length, "out": str(out.absolute())}
    key = f"wave {take}"
    return studio.jobs.follow(
        key, lambda progress: studio.slow.call("wave", about=key, **asked), str(person.id), out
    ).to_dict()


def _peaks(path: Path) -> list[int] | None:
    """What was read of a take's sound; None where it was not, or the file is not what it should be."""
    try:
        found = read_sealed_json(path.read_bytes())["peaks"]
        return [int(value) for value in found]
    except (OSError, ValueError, TypeError, KeyError):
        return None


@router.get("/media/video")
def video(take: str, studio: InStudio, person: Person = LOOK) -> Response:
    """The video of a take, in ranges."""
    found = studio.take(take)
    _refuse_gone(found)
    path = studio.file_of(found)
    return FileResponse(path, media_type=SUFFIXES.get(path.suffix.lower(), "video/mp4"), headers=KEPT)


def _refuse_gone(take: Take) -> None:
    if not file_of(take.path).exists():
        raise UserError("The video's file is no longer there.")


@router.get("/media/strip")
async def strip(take: str, studio: InStudio, person: Person = LOOK) -> Response:
    """Six frames of a take side by side."""
    return await _picture(studio, studio.take(take), "strip")


@router.get("/media/frame")
async def frame(
    take: str,
    time: Annotated[float, Query(ge=0, le=1e6)],
    studio: InStudio,
    height: Annotated[int, Query(ge=32, le=480)] = 120,
    person: Person = LOOK,
) -> Response:
    """The frame of a take at a time, to a tenth of a second."""
    found = studio.take(take)
    at = round(min(time, found.length) * 10) / 10
    return await _picture(studio, found, "frame", time=at, height=height)


async def _picture(studio: Studio, take: Take, kind: str, **asked: float) -> Response:
    """A picture; those still to be made wait in threads of their own, so that other calls need not."""
    waiting = studio.pictures
    path = await anyio.to_thread.run_sync(lambda: studio.picture(take, kind, **asked), limiter=waiting)
    return FileResponse(path, media_type="image/jpeg", headers=KEPT)


EXPORTS: dict[str, tuple[Callable[[Studio], str | bytes], str]] = {
    "pairs.zip": (pairs_zip, "application/zip"),
    "pairs.csv": (pairs_csv, "text/csv; charset=utf-8"),
    "marks.csv": (marks_csv, "text/csv; charset=utf-8"),
    "marks-elan.zip": (elan_zip, "application/zip"),
}


@router.get("/api/export/{name}")
def export(name: str, studio: InStudio, person: Person = LOOK) -> Response:
    """All pairs with their clocks, as a data set or a table, or all marks; pairs also go into the studio's folder."""
    if name not in EXPORTS:
        raise UserError(f"This cannot be exported; there are {', '.join(EXPORTS)}.")
    made, kind = EXPORTS[name]
    write_export(studio)
    return Response(made(studio), media_type=kind, headers={"content-disposition": f'attachment; filename="{name}"'})


def _hand(studio: Studio, pair: str, person: Person) -> dict[str, Any]:
    """The clock that this person set by hand, if any."""
    own = studio.hand.of(pair).get(person.id)
    return {"hand": own.clock.anchors} if own else {}


def _trust(seen: dict[str, Any] | None) -> dict[str, Any] | None:
    """What `align` says of a pair, in short; None where it was not asked."""
    if seen is None:
        return None
    return {name: seen["align"].get(name) for name in ("verdict", "offset_error", "confidence")}


def _take(studio: Studio, take: Take) -> dict[str, Any]:
    names = studio.cards.names
    return {
        "id": take.id,
        "length": take.length,
        "name": take.path.name,
        "subject": take.subject,
        "actions": [
            {
                "label": action.label,
                "name": names.get(action.label, action.label),
                "start": action.start,
                "end": action.end,
            }
            for action in take.actions
        ],
    }

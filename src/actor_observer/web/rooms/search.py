"""Search: the nearest moments of an index to a moment of a video, to a picture, or to words."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Annotated, Any

import anyio.to_thread
from fastapi import APIRouter, Body, HTTPException, Request

from actor_observer.errors import UserError
from actor_observer.web.door.guard import LOOK, InStudio
from actor_observer.web.store.people import Person
from actor_observer.web.studio import Studio
from actor_observer.web.work.turns import Busy

__all__ = ["index_folder", "router"]

router = APIRouter()
PICTURES = {b"\xff\xd8\xff": ".jpg", b"\x89PNG": ".png", b"RIFF": ".webp", b"BM": ".bmp"}
TOP = 12  # answers unless told: what fits a screen


@router.get("/api/index")
def index(studio: InStudio, start: bool = False, person: Person = LOOK) -> dict[str, Any]:
    """Whether there is an index to search; the owner can have one made of all takes."""
    if index_folder(studio) is not None:
        return {"state": "done"}
    job = studio.jobs.get("index")
    if start and person.may("own"):
        if not studio.manifest.takes:
            raise UserError("There are no videos to make searchable.")
        rows = [
            {"path": str(take.path.absolute()), "view": take.view, "subject": take.subject, "rate": take.frame_rate}
            for take in studio.manifest.takes.values()
        ]
        out, model = str(_own(studio).absolute()), studio.settings.model
        job = studio.jobs.start("index", lambda progress: _made(studio, progress, rows, out, model))
    return job.to_dict() if job else {"state": "none"}


@router.post("/api/search")
async def search(
    take: Annotated[str, Body()],
    time: Annotated[float, Body(ge=0, le=1e6)],
    studio: InStudio,
    in_view: Annotated[str, Body()] = "",
    subject: Annotated[str, Body()] = "",
    person: Person = LOOK,
) -> dict[str, Any]:
    """The moments nearest to a moment of a take, of the other view unless told otherwise."""
    found = studio.take(take)
    other = "first" if found.view == "third" else "third"
    at = min(time, max(0.0, found.length - 0.05))
    return await _in_turn(studio, person, str(found.path.absolute()), at, found.view, in_view or other, subject)


@router.post("/api/search/words")
async def search_words(
    words: Annotated[str, Body(max_length=1000)],
    studio: InStudio,
    subject: Annotated[str, Body()] = "",
    person: Person = LOOK,
) -> dict[str, Any]:
    """The moments of either view nearest to words, where the index's model knows words."""
    return await _in_turn(studio, person, words, None, None, "", subject)


@router.post("/api/search/picture")
async def search_picture(
    request: Request, studio: InStudio, view: str = "third", subject: str = "", person: Person = LOOK
) -> dict[str, Any]:
    """The moments nearest to a picture that was dropped on the page."""
    path = studio.keep / "cache" / f"query-{secrets.token_hex(8)}"
    path.parent.mkdir(parents=True, exist_ok=True)
    other = "first" if view == "third" else "third"
    try:
        with path.open("wb") as file:  # not in memory: many may send slowly
            async for piece in request.stream():
                file.write(piece)
        with path.open("rb") as file:
            head = file.read(8)
        suffix = next((suffix for start, suffix in PICTURES.items() if head.startswith(start)), None)
        if suffix is None:
            raise UserError("This is not a picture that can be read: drop a JPEG, PNG, WebP or BMP file.")
        path = path.rename(path.with_suffix(suffix))
        return await _in_turn(studio, person, str(path.absolute()), None, view, other, subject)
    except UserError as error:
        raise UserError(str(error).replace(f"{path.absolute()}: ", "The picture: ")) from None
    finally:
        path.unlink(missing_ok=True)


async def _in_turn(studio: Studio, person: Person, *asked: Any) -> dict[str, Any]:
    """Search in threads of their own, a few for each person: whoever searches much keeps nobody else waiting."""
    try:
        with studio.turns.taken(person.id):
            return await anyio.to_thread.run_sync(lambda: _find(studio, *asked), limiter=studio.searches)
    except Busy:
        raise HTTPException(429, "Wait until your last searches have answered.") from None


def _find(
    studio: Studio, query: str, time: float | None, view: str | None, in_view: str, subject: str
) -> dict[str, Any]:
    folder = index_folder(studio)
    if folder is None:
        job = studio.jobs.get("index")
        if job is not None and job.state in ("waiting", "running"):
            raise UserError(f"The index is being made ({job.progress:.0%}): search when it is done.")
        raise UserError("There is no index yet: make one first.")
    asked: dict[str, Any] = {
        "view": view,
        "in_view": in_view,
        "subject": subject or None,
        "top": TOP,
        "model": studio.settings.model,
    }
    found = studio.finder.call("search", folder=str(folder.absolute()), query=query, time=time, **asked)
    hits = []
    for hit in found["hits"]:
        take = studio.take_at(Path(hit["video"]))
        if take is not None:  # an index may hold other videos: only what the manifest names is shown
            hits.append({**hit, "video": take.path.name, "take": take.id, "pair": _pair_of(studio, take.id)})
    left_out = len(found["hits"]) - len(hits)
    note = f"{left_out} nearer moments are in videos that are not part of this data set." if left_out else ""
    return {"hits": hits, "verdict": found["verdict"], "note": note}


def _pair_of(studio: Studio, take: str) -> str | None:
    return next(iter(studio.cards.of_take.get(take, ())), None)


def _made(studio: Studio, progress: Any, rows: Any, out: str, model: str | None) -> dict[str, Any]:
    made = studio.slow.call("index", progress, about="index", takes=rows, out=out, model=model)
    (_own(studio) / "whole").touch()
    return made


def _own(studio: Studio) -> Path:
    return studio.keep / "index"


def index_folder(studio: Studio) -> Path | None:
    """The index that is searched: the one named when the studio was started, else the one made here."""
    if studio.settings.places.index is not None:
        return studio.settings.places.index
    return _own(studio) if (_own(studio) / "whole").is_file() else None

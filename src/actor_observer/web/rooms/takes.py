"""The map of all takes: two dimensions of their embeddings, with what people have said of their pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from actor_observer.web.door.guard import LOOK, InStudio
from actor_observer.web.overview.spread import place_of, read_spread
from actor_observer.web.rooms.search import index_folder
from actor_observer.web.store.people import Person
from actor_observer.web.studio import Studio

__all__ = ["router"]

router = APIRouter()


@router.get("/api/takes")
def takes(studio: InStudio, person: Person = LOOK) -> Response:
    """Where each take lies; or how far that is; or that there is no index to know it from."""
    folder = index_folder(studio)
    if folder is None:
        return JSONResponse({"state": "none"})
    out = place_of(studio.cache.folder / "spread", folder)
    found = read_spread(out)
    if found is None:
        key = f"spread {out.name}"
        asked: dict[str, Any] = {"index": str(folder.absolute()), "out": str(out.absolute())}
        job = studio.jobs.follow(key, lambda _: studio.finder.call("spread", about=key, **asked), str(person.id), out)
        return JSONResponse(job.to_dict() if job.state != "done" else {"state": "waiting", "progress": 1.0})
    studio.cache.used(out)
    return JSONResponse(_points(studio, found))


def _points(studio: Studio, found: dict[str, Any]) -> dict[str, Any]:
    """A row for each take of the data that the index has; an index may hold other videos."""
    known, of_take = studio.known(), studio.cards.of_take
    points = []
    for video, (x, y) in zip(found["videos"], found["places"], strict=True):
        take = studio.take_at(Path(video))
        if take is None:
            continue
        pair = next(iter(of_take.get(take.id, ())), "")
        points.append(
            {
                "take": take.id,
                "view": take.view,
                "pair": pair,
                "x": x,
                "y": y,
                "subject": take.subject,
                "split": (studio.cards.cards[pair].pair.split if pair else take.split) or "",
                "state": known.states.get(pair, "open") if pair else "",
                "tags": list(known.tags.get(pair, ())),
            }
        )
    missing = len(studio.manifest.takes) - len(points)
    return {"state": "done", "points": points, "missing": missing, "share": found["share"]}

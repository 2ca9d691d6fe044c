"""Collect: consent, scripts handed out, recordings uploaded piece by piece, and withdrawal."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Annotated, Any

from fastapi import APIRouter, Body, HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse, JSONResponse, Response

from actor_observer.errors import UserError
from actor_observer.web.collect.consent import CONSENT
from actor_observer.web.collect.take_in import Intake
from actor_observer.web.collect.uploads import OutOfPlace
from actor_observer.web.door.guard import COLLECT, OWN, InStudio
from actor_observer.web.media.playable import SUFFIXES
from actor_observer.web.store.people import Person

__all__ = ["router"]

router = APIRouter()
MOUNTS, HANDS = ("on a head mount", "held to the forehead"), ("both free", "one free")


def intake_of(request: Request) -> Intake:
    """The intake of the studio that a request is for."""
    intake: Intake = request.app.state.intake
    return intake


@router.get("/api/collect")
def state(request: Request, studio: InStudio, person: Person = COLLECT) -> dict[str, Any]:
    """Where a person stands: consent, their script, what was recorded, and how far the collection is."""
    collection = intake_of(request).collection
    consent = collection.consent(person.id)
    now = collection.current(person.id) if consent else None
    if now and not studio.lanes["intake"].started:
        threading.Thread(target=studio.lanes["intake"].warm, daemon=True).start()  # it will look at the recording
    limits = studio.settings.limits
    return {
        "consent": CONSENT if consent is None else None,
        "consented": consent["given"] if consent else None,
        "script": _script(request, dict(now)) if now else None,
        "mine": [
            {"id": row["id"], "view": row["view"], "length": row["length"], "made": row["made"]}
            for row in collection.recordings(person=person.id)
        ],
        "progress": collection.progress(studio.settings.per_class) if person.may("own") else [],
        "scripts": bool(studio.database.one("SELECT 1 FROM scripts")),
        "limits": {"chunk": min(limits.chunk, 2 << 20), "longest": limits.longest, "upload": limits.upload},
    }


@router.post("/api/consent")
def consent(request: Request, person: Person = COLLECT) -> dict[str, Any]:
    """Agree to the words that the page showed."""
    intake_of(request).collection.give_consent(person.id, CONSENT)
    return {}


@router.post("/api/script")
def script(request: Request, studio: InStudio, person: Person = COLLECT) -> dict[str, Any]:
    """Hand out a script, or the one that is open."""
    row = intake_of(request).collection.hand_out(person.id, studio.settings.per_class)
    return {"script": _script(request, dict(row)) if row else None}


@router.post("/api/script/{id}/other")
def other(id: int, request: Request, person: Person = COLLECT) -> dict[str, Any]:
    """Put a script back; its recordings go."""
    intake_of(request).give_up(id, person.id)
    return {}


@router.post("/api/script/{id}/keep")
def keep(id: int, request: Request, person: Person = COLLECT) -> dict[str, Any]:
    """Say that two recordings belong together although the studio doubts it."""
    intake_of(request).keep(id, person.id)
    return {}


@router.get("/media/own")
def own(id: str, request: Request, person: Person = COLLECT) -> Response:
    """One of a person's own recordings, in ranges."""
    intake = intake_of(request)
    row = next((row for row in intake.collection.recordings(person=person.id) if row["id"] == id), None)
    if row is None or not (path := intake.videos / row["file"]).is_file():
        raise UserError("There is no such recording of yours.")
    return FileResponse(path, media_type=SUFFIXES.get(path.suffix.lower(), "video/mp4"))


@router.post("/api/uploads")
def start(
    assignment: Annotated[int, Body()],
    view: Annotated[str, Body()],
    request: Request,
    size: Annotated[int | None, Body(ge=1)] = None,
    mount: Annotated[str, Body()] = "",
    hands: Annotated[str, Body()] = "",
    others: Annotated[bool, Body()] = False,
    scene: Annotated[str, Body()] = "",
    person: Person = COLLECT,
) -> dict[str, Any]:
    """Begin to send a recording."""
    intake = intake_of(request)
    intake.collection.assignment(assignment, person.id)
    if intake.collection.consent(person.id) is None:
        raise UserError("Please read and give your consent first.")
    facts = {"mount": mount if mount in MOUNTS else "", "hands": hands if hands in HANDS else "", "others": others}
    if scene:
        intake.collection.describe(assignment, scene)
    return {"id": intake.uploads.start(person.id, assignment, view, size, facts), "received": 0}


@router.get("/api/uploads/{id}")
def received(id: str, request: Request, person: Person = COLLECT) -> dict[str, Any]:
    """How much of an upload is here."""
    row = intake_of(request).uploads.get(id, person.id)
    return {"received": row["received"], "state": row["state"], "note": row["note"]}


@router.put("/api/uploads/{id}")
async def put(id: str, offset: int, request: Request, studio: InStudio, person: Person = COLLECT) -> Response:
    """Add a piece. The answer comes when it is on disk."""
    content = bytearray()
    async for piece in request.stream():
        content += piece
        if len(content) > studio.settings.limits.chunk:
            raise HTTPException(413, "This piece is too large.")
    try:
        got = await run_in_threadpool(intake_of(request).uploads.put, id, person.id, offset, bytes(content))
    except OutOfPlace as error:
        return JSONResponse({"error": str(error), "received": error.received}, 409)
    return JSONResponse({"received": got})


@router.post("/api/uploads/{id}/finish")
async def finish(id: str, request: Request, person: Person = COLLECT) -> Response:
    """Say that all was sent; the recording is then examined and taken in."""
    try:
        job = await run_in_threadpool(intake_of(request).finish, id, person.id)
    except OutOfPlace as error:
        return JSONResponse({"error": str(error), "received": error.received}, 409)
    for _ in range(20):  # what is plainly no video is refused at once; nobody else waits for it
        if job.ended.is_set():
            break
        await asyncio.sleep(0.05)
    return JSONResponse(job.to_dict())


@router.get("/api/uploads/{id}/taken")
def taken(id: str, request: Request, studio: InStudio, person: Person = COLLECT) -> dict[str, Any]:
    """How far the taking in of an upload is."""
    row = intake_of(request).uploads.get(id, person.id)
    job = studio.jobs.get(f"take in {id}")
    if job is not None:
        return job.to_dict()
    if row["state"] == "refused":
        return {"state": "failed", "progress": 1.0, "error": row["note"], "result": None}
    known = studio.database.one("SELECT * FROM recordings WHERE upload = ?", (id,))
    if known is None:
        return {"state": "waiting", "progress": 0.0, "error": "", "result": None}
    found = {"recording": known["id"], "findings": json.loads(known["checks"])}
    return {"state": "done", "progress": 1.0, "error": "", "result": found}


@router.post("/api/withdraw")
def withdraw(request: Request, person: Person = COLLECT) -> dict[str, Any]:
    """Delete everything that one has recorded."""
    return {"deleted": intake_of(request).withdraw(person.id)}


@router.post("/api/people/{id}/withdraw")
def withdraw_other(id: int, request: Request, person: Person = OWN) -> dict[str, Any]:
    """Delete everything that somebody has recorded, for them."""
    return {"deleted": intake_of(request).withdraw(id)}


def _script(request: Request, row: dict[str, Any]) -> dict[str, Any]:
    collection = intake_of(request).collection
    names = collection.class_names()
    recorded = {
        one["view"]: {"id": one["id"], "length": one["length"], "findings": json.loads(one["checks"])}
        for one in collection.recordings(row["id"])
    }
    return {
        "id": row["id"],
        "text": row["text"],
        "objects": [part for part in row["objects"].split(";") if part],
        "classes": [names.get(label, label) for label in row["classes"].split(";") if label],
        "scene": row["scene"],
        "recorded": recorded,
        "doubt": intake_of(request).doubt(row["id"]),
    }

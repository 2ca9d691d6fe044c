"""Coming in: links with tokens, sessions, and the owner's list of people."""

from __future__ import annotations

import html
import io
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Body, HTTPException, Request, Response
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse

from actor_observer.errors import UserError
from actor_observer.web.door.guard import MARK, NOBODY, OWN, InStudio, cookie_name
from actor_observer.web.rooms import ROOMS
from actor_observer.web.store.people import DAY, LINK_DAYS, ROLES, SESSION_DAYS, Person
from actor_observer.web.studio import Studio

__all__ = ["router"]

router = APIRouter()
PAGE = Path(__file__).parents[1] / "page"


@router.get("/enter/{token}")
def enter(token: str, request: Request, studio: InStudio) -> Response:
    """Start a session with a link and go to the page."""
    who = request.client.host if request.client else ""
    try:
        session = studio.people.enter(token)  # a right link opens, however many wrong ones came before
    except UserError as error:
        if not request.app.state.door_limit.allows(who):
            return _refused("Too many tries: wait a minute and open your link again.", 429)
        return _refused(str(error), 403)
    answer = RedirectResponse("/", 303)
    answer.set_cookie(
        cookie_name(studio),
        session,
        max_age=int(SESSION_DAYS * DAY),  # counted from now, whatever the visitor's clock says
        httponly=True,
        secure=studio.settings.https,
        samesite="lax",
    )
    return answer


@router.post("/api/leave")
def leave(request: Request, studio: InStudio) -> dict[str, Any]:
    """End the session."""
    studio.people.leave(request.cookies.get(cookie_name(studio), ""))
    return {}


@router.get("/")
def page() -> Response:
    """The page itself."""
    return FileResponse(PAGE / "index.html", media_type="text/html")


@router.get("/api/me")
def me(studio: InStudio, request: Request) -> dict[str, Any]:
    """Who I am, and what there is; without a session, that."""
    person: Person | None = request.state.person
    if person is None:
        raise HTTPException(401, NOBODY)
    return {
        "id": person.id,
        "name": person.name,
        "role": person.role,
        "kind": person.kind,
        "rights": sorted(ROLES[person.role]),
        "rooms": [room for room in ROOMS if person.may(room.right)],
        "pairs": len(studio.cards.cards),
        "runs": len(studio.settings.places.runs),
        "shared": _host(studio) != "127.0.0.1",
        "data": " + ".join(path.name for path in studio.settings.places.data) or "what is collected here",
    }


@router.put("/api/me")
def rename(
    studio: InStudio, name: Annotated[str, Body()], kind: Annotated[str, Body()], person: Person = MARK
) -> dict[str, Any]:
    """Say who marks, and whether a person or a program does."""
    changed = studio.people.rename(person, name, kind)
    return {"name": changed.name, "kind": changed.kind}


@router.get("/api/people")
def people(studio: InStudio, person: Person = OWN) -> list[dict[str, Any]]:
    """Everybody, for the owner; those removed too as long as there are recordings of theirs."""
    names = ("id", "name", "role", "kind", "made", "expires", "recordings")
    return [
        {**{name: row[name] for name in names}, "removed": row["gone"] is not None} for row in studio.people.listed()
    ]


@router.post("/api/people")
def add(
    studio: InStudio, name: Annotated[str, Body()], role: Annotated[str, Body()], person: Person = OWN
) -> dict[str, Any]:
    """A new person with a link of their own."""
    [(made, token)] = studio.people.invite([name], role)
    return {"id": made.id, "name": made.name, **_link(studio, token)}


@router.post("/api/people/many")
def add_many(
    studio: InStudio, names: Annotated[list[str], Body()], role: Annotated[str, Body()], person: Person = OWN
) -> list[dict[str, Any]]:
    """New people from a list of names, each with a link and a picture of it to print."""
    made = studio.people.invite(names, role)
    return [{"id": one.id, "name": one.name, **_link(studio, token)} for one, token in made]


@router.post("/api/people/{id}/link")
def link(id: int, request: Request, studio: InStudio, person: Person = OWN) -> dict[str, Any]:
    """A new link for a person; the old one no longer works, and whoever came in by it is out."""
    if all(row["id"] != id for row in studio.people.all()):
        raise UserError("There is no such person.")
    return _link(studio, studio.people.renew(id, request.cookies.get(cookie_name(studio), "")))


@router.delete("/api/people/{id}")
def remove(id: int, studio: InStudio, person: Person = OWN) -> dict[str, Any]:
    """Take away a person's access."""
    if id == person.id:
        raise UserError("You cannot remove yourself.")
    studio.people.remove(id)
    return {}


def _link(studio: Studio, token: str) -> dict[str, Any]:
    import segno

    settings = studio.settings
    address = f"{'https' if settings.https else 'http'}://{_host(studio)}:{settings.port}/enter/{token}"
    picture = io.BytesIO()
    segno.make(address, error="m").save(picture, kind="svg", scale=4, border=3, xmldecl=False, svgns=True)
    return {"link": address, "qr": picture.getvalue().decode(), "days": LINK_DAYS}


def _host(studio: Studio) -> str:
    """The name by which others reach the page; this machine's own where nobody else does."""
    own = ("localhost", "[::1]", "::1", "127.0.0.1")
    return next((host for host in studio.settings.hosts if host not in own), "127.0.0.1")


def _refused(said: str, code: int) -> Response:
    text = html.escape(said)
    return HTMLResponse(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Studio</title>'
        f'<link rel="stylesheet" href="/static/style.css"><main class="alone"><h1>Studio</h1><p>{text}</p></main>',
        code,
    )

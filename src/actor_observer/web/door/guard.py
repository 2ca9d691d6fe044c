"""The door: who may do what, from where, how often; and the headers that keep a page from doing anything else."""

from __future__ import annotations

import threading
import time
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import Depends, HTTPException, Request
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from actor_observer.web.door.bodies import JSON, Body, largest, said_to_be
from actor_observer.web.store.people import Person
from actor_observer.web.studio import Studio
from actor_observer.web.work.turns import Busy, Turns

__all__ = ["COLLECT", "LOOK", "MARK", "OWN", "Guard", "InStudio", "RateLimit"]

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; "
    "connect-src 'self'; frame-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": CSP,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(self), microphone=(self), geolocation=(), payment=()",
    "cache-control": "no-store",
}
SAFE = ("GET", "HEAD", "OPTIONS")


NOBODY = "You are not signed in, or your session is over: open your link again."
TOO_MANY = "Too many calls at once: wait a moment."
AT_ONCE = 32  # calls of one person that are answered at a time; a browser makes six
LARGE_AT_ONCE = 4  # calls of one person that carry much
PATIENCE = 5.0  # seconds that a body which is not wanted may take to pass


class Guard:
    """Refuses other hosts' names, other sites' writes, strangers' and too long bodies; puts headers on every answer.

    Who calls is found here, before a byte of the body is read.
    """

    def __init__(self, app: ASGIApp, studio: Studio) -> None:
        self._app, self._studio = app, studio
        self._hosts = frozenset(host.lower() for host in studio.settings.hosts)
        self._turns = {False: Turns(AT_ONCE), True: Turns(LARGE_AT_ONCE)}  # by whether calls carry much

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = largest(scope, self._studio.settings.limits)
        body = Body(receive, most)
        person = self._person(scope)
        scope.setdefault("state", {})["person"] = person
        code, refused = self._refuse(scope, person, most)

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if not body.whole and said_to_be(scope):
                    headers["connection"] = "close"  # what is still to come is nobody's
            await send(message)

        async def refuse(code: int, said: str) -> None:
            if said_to_be(scope) <= most:
                await body.skip(PATIENCE)
            await JSONResponse({"error": said}, code)(scope, receive, with_headers)

        if refused:
            await refuse(code, refused)
        elif person is None:
            await self._app(scope, body, with_headers)
        else:
            try:
                with self._turns[most > JSON].taken(person.id):
                    await self._app(scope, body, with_headers)
            except Busy:
                await refuse(429, TOO_MANY)

    def _person(self, scope: Scope) -> Person | None:
        """Who calls, by the session's cookie."""
        session = Request(scope).cookies.get(cookie_name(self._studio), "")
        return self._studio.people.of_session(session) if session else None

    def _refuse(self, scope: Scope, person: Person | None, most: int) -> tuple[int, str]:
        """A status and a sentence; an empty one lets the call pass."""
        foreign = self._foreign(scope)
        if foreign:
            return 403, foreign
        length = said_to_be(scope)
        if scope["method"] not in SAFE and person is None:
            return 401, NOBODY
        if length > most:
            return 413, f"This is too large: at most {most:,} bytes are taken." if most else "This call takes no body."
        return 0, ""

    def _foreign(self, scope: Scope) -> str:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
        if name.lower() not in self._hosts:
            return "This page does not answer to that name."
        if scope["method"] in SAFE:
            return ""
        origin = headers.get("origin")
        if origin is None:
            same = headers.get("sec-fetch-site") == "same-origin"
        else:
            parts = urlsplit(origin)
            same = parts.scheme == scope["scheme"] and parts.netloc.lower() == host.lower()
        return "" if same else "Another site may not write here."


class RateLimit:
    """So many calls a second, with a store of unused ones for bursts; for each key of its own.

    >>> limit = RateLimit(rate=1.0, burst=2)
    >>> [limit.allows("ann", at=0.0) for _ in range(3)], limit.allows("ann", at=1.0)
    ([True, True, False], True)
    """

    def __init__(self, rate: float, burst: int) -> None:
        self._rate, self._burst = rate, float(burst)
        self._left: dict[str, tuple[float, float]] = {}
        self._lock = threading.Lock()

    def allows(self, key: str, at: float | None = None) -> bool:
        """Whether one more call is allowed now."""
        now = time.monotonic() if at is None else at
        with self._lock:
            if len(self._left) > 10_000:
                self._left.clear()
            left, then = self._left.get(key, (self._burst, now))
            left = min(self._burst, left + (now - then) * self._rate)
            self._left[key] = (max(left - 1, 0.0) if left >= 1 else left, now)
            return left >= 1

    def spent(self, key: str, at: float | None = None) -> bool:
        """Whether no call is left now; asking costs nothing.

        >>> limit = RateLimit(rate=1.0, burst=1)
        >>> limit.spent("ann", at=0.0), limit.allows("ann", at=0.0), limit.spent("ann", at=0.0)
        (False, True, True)
        """
        now = time.monotonic() if at is None else at
        with self._lock:
            left, then = self._left.get(key, (self._burst, now))
            return left + (now - then) * self._rate < 1


def studio_of(request: Request) -> Studio:
    """The studio that a request is for."""
    studio: Studio = request.app.state.studio
    return studio


InStudio = Annotated[Studio, Depends(studio_of)]


def cookie_name(studio: Studio) -> str:
    """Cookies do not know ports: each studio has a name of its own."""
    return f"studio-{studio.settings.port}"


async def person_of(request: Request) -> Person:
    """Who asks, as the guard has found; 401 without a session, 429 for too many calls."""
    person: Person | None = request.state.person
    if person is None:
        raise HTTPException(401, NOBODY)
    if not request.app.state.limit.allows(str(person.id)):
        raise HTTPException(429, TOO_MANY)
    return person


def may(right: str) -> Any:
    """A dependency: the person, if their role has this right."""

    async def allowed(person: Annotated[Person, Depends(person_of)]) -> Person:
        if not person.may(right):
            raise HTTPException(403, f"Your role, {person.role}, may not do this.")
        return person

    return Depends(allowed)


LOOK, MARK, COLLECT, OWN = (may(right) for right in ("look", "mark", "collect", "own"))

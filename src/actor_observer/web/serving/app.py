"""The page as an application: its rooms, the guard at the door, and errors as one clear sentence."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from actor_observer.errors import TakeError, UserError
from actor_observer.web.collect.take_in import Intake
from actor_observer.web.door.guard import Guard, RateLimit
from actor_observer.web.rooms import routers
from actor_observer.web.studio import Studio

__all__ = ["make_app"]

PAGE = Path(__file__).parents[1] / "page"
FULL_DISK = (
    "The disk is full, so this was not saved: make room, then do it again. What was saved before is still there."
)


def make_app(studio: Studio) -> FastAPI:
    """The application of a studio."""

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        yield
        studio.close()

    app = FastAPI(title="studio", docs_url=None, redoc_url=None, openapi_url=None, lifespan=life)
    app.state.studio = studio
    app.state.intake = Intake(studio)
    app.state.limit = RateLimit(studio.settings.limits.calls, studio.settings.limits.burst)
    app.state.door_limit = RateLimit(0.5, 30)
    for router in routers():
        app.include_router(router)
    app.mount("/static", StaticFiles(directory=PAGE))
    app.add_middleware(_ZipText)
    app.add_middleware(Guard, studio=studio)
    app.add_exception_handler(UserError, _sentence)
    app.add_exception_handler(TakeError, _sentence)
    app.add_exception_handler(RequestValidationError, _sentence)
    app.add_exception_handler(StarletteHTTPException, _sentence)
    app.add_exception_handler(sqlite3.Error, _sentence)
    app.add_exception_handler(ClientDisconnect, _sentence)
    app.add_exception_handler(OSError, _sentence)
    app.add_exception_handler(OverflowError, _sentence)
    app.add_exception_handler(UnicodeError, _sentence)
    app.add_exception_handler(Exception, _sentence)
    return app


class _ZipText:
    """Compresses answers of the API and the page's own files; videos and pictures are small already."""

    def __init__(self, app: ASGIApp) -> None:
        self._app, self._zipped = app, GZipMiddleware(app, minimum_size=2000, compresslevel=4)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        media = scope["type"] == "http" and scope["path"].startswith("/media/")
        await (self._app if media else self._zipped)(scope, receive, send)


async def _sentence(request: Request, error: Exception) -> JSONResponse:
    """Any error as one sentence."""
    if isinstance(error, HTTPException | StarletteHTTPException):
        return JSONResponse({"error": error.detail}, error.status_code)
    if isinstance(error, RequestValidationError):
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:]) or "the call"
        said = f"{where}: {first['msg']}.".encode(errors="replace").decode()
        return JSONResponse({"error": said}, 422)
    if isinstance(error, sqlite3.Error | OSError):
        full = getattr(error, "errno", None) == 28 or "full" in str(error).lower()
        said = FULL_DISK if full else f"This could not be saved ({error})."
        return JSONResponse({"error": said}, 507 if full else 500)
    if isinstance(error, ClientDisconnect):
        return JSONResponse({"error": "Whoever called has gone."}, 400)  # nobody hears it, and nobody need read of it
    if isinstance(error, UserError | TakeError):
        return JSONResponse({"error": str(error).encode(errors="replace").decode()}, 409)
    if isinstance(error, OverflowError | UnicodeError):
        return JSONResponse({"error": "This has a number or a character in it that cannot be kept."}, 422)
    return JSONResponse({"error": f"Something went wrong inside ({type(error).__name__})."}, 500)

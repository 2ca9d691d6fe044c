"""Start the page: a port, the owner's link, a browser."""

from __future__ import annotations

import html
import os
import signal
import socket
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from actor_observer.errors import UserError
from actor_observer.web.serving.app import make_app
from actor_observer.web.serving.connections import Connection, allow_many
from actor_observer.web.settings import Settings
from actor_observer.web.store.holding import only_studio
from actor_observer.web.studio import Studio

__all__ = ["configure", "listen", "serve"]

SOON = 60.0  # seconds in which a browser has opened the page


def serve(
    settings: Settings,
    owner: str,
    share: bool = False,
    certificate: tuple[Path, Path] | None = None,
    open_page: bool = True,
    say: Callable[[str], object] = print,
) -> None:
    """Serve a studio until it is interrupted. Without `share`, only this machine can reach it."""
    host = "0.0.0.0" if share else "127.0.0.1"
    try:
        listener = listen(host, settings.port)
    except UserError:
        with only_studio(settings.keep):  # where this studio runs already, that is what to say
            raise
    studio = Studio(settings)
    app = make_app(studio)
    person = studio.people.owner(owner)
    scheme = "https" if settings.https else "http"
    known = [name for name in settings.hosts if name not in ("localhost", "127.0.0.1", "[::1]", "::1")]
    name = known[0] if share and known else "127.0.0.1"
    link = f"{scheme}://{name}:{settings.port}/enter/{studio.people.link(person.id)}"
    say(f"Studio: {link}")
    say(f"kept in {settings.keep}; Ctrl+C ends it")
    if share:
        say("On the local network: add people on the page People; each gets a link of their own.")
    threading.Thread(target=studio.quick.warm, daemon=True).start()
    allow_many()
    try:
        server = uvicorn.Server(configure(app, certificate))
        with open_in_browser(settings.keep, link) if open_page else nullcontext(), hearing_hangup(server):
            server.run(sockets=[listener])
    finally:
        studio.close()


@contextmanager
def hearing_hangup(server: uvicorn.Server) -> Iterator[None]:
    """A closed terminal ends the server as Ctrl+C does, and the signal goes on; uvicorn hears only others."""
    before = signal.getsignal(signal.SIGHUP)
    if not callable(before) or threading.current_thread() is not threading.main_thread():  # nobody listens
        yield
        return
    heard = []

    def hear(number: int, _: object) -> None:
        heard.append(number)
        server.should_exit = True

    signal.signal(signal.SIGHUP, hear)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)
    if heard:
        signal.raise_signal(signal.SIGHUP)


@contextmanager
def open_in_browser(keep: Path, link: str) -> Iterator[None]:
    """Open a link by way of a page that only this user can read: others see a program's arguments, not its files."""
    page = keep / "open.html"
    page.unlink(missing_ok=True)
    with os.fdopen(os.open(page, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        target = html.escape(link)
        file.write('<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">')
        file.write(f'<meta http-equiv="refresh" content="0; url={target}"><a href="{target}">Studio</a>')
    opening = threading.Timer(0.7, webbrowser.open, [page.absolute().as_uri()])
    removing = threading.Timer(SOON, page.unlink, kwargs={"missing_ok": True})
    for timer in (opening, removing):
        timer.daemon = True
        timer.start()
    try:
        yield
    finally:
        for timer in (opening, removing):
            timer.cancel()
        page.unlink(missing_ok=True)


def configure(app: FastAPI, certificate: tuple[Path, Path] | None = None) -> uvicorn.Config:
    """How the page is served: connections with limits, and nothing believed that a proxy would say."""
    return uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        log_level="error",  # a stranger's broken call is not worth a line
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ssl_certfile=certificate[0] if certificate else None,
        ssl_keyfile=certificate[1] if certificate else None,
        timeout_graceful_shutdown=1,
    )


def listen(host: str, port: int) -> socket.socket:
    """A socket at a port that is free; a busy one is the user's to change."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(128)  # whoever opens the link at once waits for the page, and is not refused
    except OSError as error:
        listener.close()
        raise UserError(f"port {port}: {error.strerror}; choose another one with --port") from None
    return listener

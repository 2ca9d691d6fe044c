"""A studio that is really served, in a thread of the test's process, and a plain client for it."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn

from actor_observer.web.data import sort_places
from actor_observer.web.serving.app import make_app
from actor_observer.web.serving.server import configure, listen
from actor_observer.web.settings import Settings
from actor_observer.web.studio import Studio


class Served:
    """A running studio, its owner's link, and clients for people of any role."""

    def __init__(self, studio: Studio, port: int) -> None:
        self.studio, self.port = studio, port
        self.base = f"http://127.0.0.1:{port}"

    def link(self, role: str = "owner", name: str = "ann") -> str:
        person = self.studio.people.named(name, role)
        return f"{self.base}/enter/{self.studio.people.link(person.id)}"

    def client(self, role: str = "owner", name: str = "ann") -> Client:
        return Client(self.port).enter(self.link(role, name))


class Client:
    """Calls with a session's cookie, as a page of the same origin makes them."""

    def __init__(self, port: int) -> None:
        self.port, self.cookie = port, ""

    def enter(self, link: str) -> Client:
        answer = self.raw("GET", "/" + link.split("/", 3)[3])
        self.cookie = answer[2].get("set-cookie", "").split(";")[0]
        return self

    def raw(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, bytes, dict[str, str]]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        given = {"cookie": self.cookie, "origin": f"http://127.0.0.1:{self.port}"} | headers
        connection.request(method, path, body, {key.replace("_", "-"): value for key, value in given.items() if value})
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, content, {key.lower(): value for key, value in answer.getheaders()}

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        sent = None if body is None else json.dumps(body).encode()
        kind = {"content_type": "application/json"} if sent else {}
        status, content, _ = self.raw(method, path, sent, **kind, **headers)
        return status, json.loads(content or b"null")

    def good(self, method: str, path: str, body: Any = None) -> Any:
        status, said = self.call(method, path, body)
        assert status == 200, said
        return said

    def upload(self, assignment: int, view: str, content: bytes, chunk: int = 1 << 20) -> str:
        """Send a recording; its id."""
        facts = {"assignment": assignment, "view": view, "size": len(content)}
        id = self.good("POST", "/api/uploads", facts)["id"]
        for at in range(0, len(content), chunk):
            status, said, _ = self.raw("PUT", f"/api/uploads/{id}?offset={at}", content[at : at + chunk])
            assert status == 200, said
        return str(id)

    def taken(self, id: str, seconds: float = 300) -> dict[str, Any]:
        """Finish an upload and wait until it was taken in, or refused."""
        status, state = self.call("POST", f"/api/uploads/{id}/finish")
        assert status == 200, state
        end = time.monotonic() + seconds
        while state["state"] not in ("done", "failed"):
            assert time.monotonic() < end, "the recording was never taken in"
            time.sleep(0.1)
            state = self.good("GET", f"/api/uploads/{id}/taken")
        found: dict[str, Any] = state
        return found


@contextmanager
def serving(keep: Path, *places: Path, **settings: Any) -> Iterator[Served]:
    """Serve a studio at a free port until the block ends."""
    listener = listen("127.0.0.1", 0)
    port = listener.getsockname()[1]
    own = {"apart": False, **settings}  # quicker: one process less to start
    studio = Studio(Settings(keep=keep, places=sort_places(places), port=port, **own))
    server = uvicorn.Server(configure(make_app(studio)))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield Served(studio, port)
    finally:
        server.should_exit = True
        thread.join(10)

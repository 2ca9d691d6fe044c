"""Calls that would fill the memory or hold the door: refused before they are read, given up when they stop."""

from __future__ import annotations

import http.client
import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from actor_observer.web.door import bodies
from actor_observer.web.serving import connections
from served import Client, Served, serving


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory, pairs: Path) -> Iterator[Served]:
    """A studio of its own: these tests have limits of their own."""
    with serving(tmp_path_factory.mktemp("hostile"), pairs) as running:
        yield running


class Half:
    """A connection that sends what it likes."""

    def __init__(self, served: Served, head: str, body: bytes = b"", cookie: str = "") -> None:
        self.socket = socket.create_connection(("127.0.0.1", served.port), timeout=10)
        lines = [head, f"Host: 127.0.0.1:{served.port}", f"Origin: {served.base}", f"Cookie: {cookie}"]
        self.socket.sendall("\r\n".join(lines).encode() + body)

    def answer(self) -> tuple[int, bytes]:
        """Status and all that comes until the connection is closed; 0 where it is closed without a word."""
        said = b""
        while piece := self.read():
            said += piece
        return int(said.split()[1]) if said else 0, said.partition(b"\r\n\r\n")[2]

    def read(self) -> bytes:
        try:
            return self.socket.recv(65536)
        except ConnectionResetError:
            return b""


LONG = b"\r\nContent-Type: application/json\r\nContent-Length: 1000000000\r\n\r\n"


def test_a_strangers_body_is_not_waited_for(shop: Served) -> None:
    began = time.monotonic()
    for head in (
        "POST /api/marks HTTP/1.1",
        "PUT /api/uploads/x?offset=0 HTTP/1.1",
        "POST /api/search/picture HTTP/1.1",
    ):
        status, said = Half(shop, head, LONG + b"{").answer()
        assert status == 401 and b"open your link again" in said
    assert time.monotonic() - began < 5


def test_a_body_that_is_too_long_is_refused_by_its_header_or_where_it_passes_the_limit(shop: Served) -> None:
    cookie = shop.client("mark", "talker").cookie
    status, said = Half(shop, "POST /api/marks HTTP/1.1", LONG, cookie).answer()
    assert status == 413 and json.loads(said) == {"error": "This is too large: at most 262,144 bytes are taken."}
    piece = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    pieces = b"\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" + piece * 5
    assert Half(shop, "POST /api/marks HTTP/1.1", pieces, cookie).answer()[0] == 413
    assert Half(shop, "GET /api/pairs HTTP/1.1", LONG, cookie).answer()[0] == 413


def test_half_a_call_is_given_up(shop: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "SILENCE", 0.3)
    monkeypatch.setattr(connections, "HEADERS", 0.4)
    monkeypatch.setattr(connections, "STRANGERS", 0.4)
    cookie = shop.client("mark", "sleeper").cookie
    started = b"\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
    halves = [Half(shop, "GET / HTTP/1.1") for _ in range(3)]
    body = Half(shop, "POST /api/marks HTTP/1.1", started, cookie)
    status, said = body.answer()
    assert status == 408 and b"did not come in time" in said
    assert [half.answer()[0] for half in halves] == [0, 0, 0], "closed"


def test_a_connection_that_keeps_calling_stays_open(shop: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEADERS", 0.3)
    client = shop.client("mark", "busy")
    connection = http.client.HTTPConnection("127.0.0.1", shop.port, timeout=10)
    for _ in range(12):  # 0.6 s of quick calls over one connection: twice what silence may last
        connection.request("GET", "/api/me", headers={"cookie": client.cookie})
        assert connection.getresponse().read()
        assert connection.sock is not None, "the server has closed it"
        time.sleep(0.05)
    connection.close()


def test_a_slow_body_within_the_limits_is_taken(shop: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "SILENCE", 0.5)
    client = shop.client("mark", "slow")
    sent = json.dumps({"pair": "cup", "id": "slowly-sent", "third": 1.0, "first": 2.5}).encode()
    head = f"\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {len(sent)}\r\n\r\n".encode()
    half = Half(shop, "POST /api/marks HTTP/1.1", head + sent[:5], client.cookie)
    for at in range(5, len(sent), 20):
        time.sleep(0.1)
        half.socket.sendall(sent[at : at + 20])
    assert half.answer()[0] == 200


def test_strangers_connections_do_not_keep_people_out(shop: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST_STRANGERS", 8)
    client = shop.client("look", "guest")
    held = [Half(shop, "GET / HTTP/1.1") for _ in range(40)]
    assert client.call("GET", "/api/pairs")[0] == 200
    for half in held[:30]:
        assert half.read() == b"", "the oldest ones were closed"
    held[-1].socket.settimeout(0.1)
    with pytest.raises(TimeoutError):
        held[-1].read()


def test_one_person_has_few_pictures_under_way(shop: Served, capfd: pytest.CaptureFixture[str]) -> None:
    client = shop.client("look", "collage")
    started = b"\r\nContent-Length: 1000000\r\n\r\n\xff\xd8\xff"
    held = [Half(shop, "POST /api/search/picture HTTP/1.1", started, client.cookie) for _ in range(4)]
    time.sleep(0.2)
    status, said = client.call("POST", "/api/search/picture", {"small": True})
    assert (status, said["error"]) == (429, "Too many calls at once: wait a moment.")
    assert client.call("GET", "/api/pairs")[0] == 200, "other calls go on"
    for half in held:
        half.socket.close()
    end = time.monotonic() + 10
    while (now := client.call("POST", "/api/search/picture", {"small": True})[0]) == 429:
        assert time.monotonic() < end
        time.sleep(0.02)
    assert now == 409, "not a picture, and somebody listens again"
    assert not list((shop.studio.keep / "cache").glob("query-*"))
    assert "Traceback" not in capfd.readouterr().err, "a visitor who leaves is no fault"


def test_a_session_that_is_over_hears_so_also_in_the_middle_of_an_upload(shop: Served) -> None:
    stranger = Client(shop.port)
    status, said, _ = stranger.raw("PUT", "/api/uploads/abc?offset=0", bytes(2 << 20))
    assert status == 401 and b"open your link again" in said

"""People of a load test: one kept connection each, the least work on this side."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from urllib.parse import urlsplit

__all__ = ["Person", "get_links"]


class Person:
    """Somebody with a session and an open connection."""

    def __init__(self, host: str, cookie: str) -> None:
        self.host, self.cookie = host, cookie
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    @classmethod
    async def at(cls, link: str, cookie: str = "") -> Person:
        """Somebody who has opened a link, or who has a session already."""
        parts = urlsplit(link)
        person = cls(parts.netloc, cookie)
        if not cookie:
            headers, _ = await person._ask("GET", parts.path)
            person.cookie = headers["set-cookie"].split(";")[0]
        return person

    async def call(self, method: str, path: str, body: Any = None, raw: bytes | None = None) -> Any:
        """A call of the API; anything but success is an error here."""
        content = raw if raw is not None else json.dumps(body).encode() if body is not None else b""
        headers, answer = await self._ask(method, path, content)
        if headers["status"] != "200":
            raise RuntimeError(f"{method} {path}: {headers['status']} {answer[:200]!r}")
        return json.loads(answer)

    async def range(self, path: str, start: int, count: int) -> int:
        """A stretch of a video, as a browser asks for it; how many bytes came."""
        _, answer = await self._ask("GET", path, b"", f"range: bytes={start}-{start + count - 1}\r\n")
        return len(answer)

    async def _ask(self, method: str, path: str, content: bytes = b"", more: str = "") -> tuple[dict[str, str], bytes]:
        if self._writer is None or self._reader is None:
            name, port = self.host.split(":")
            self._reader, self._writer = await asyncio.open_connection(name, int(port))
        head = f"{method} {path} HTTP/1.1\r\nhost: {self.host}\r\norigin: http://{self.host}\r\n{more}"
        head += f"cookie: {self.cookie}\r\ncontent-type: application/json\r\ncontent-length: {len(content)}\r\n\r\n"
        self._writer.write(head.encode() + content)
        await self._writer.drain()
        lines = (await self._reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {"status": lines[0].split(" ")[1]}
        headers |= {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:] if line)}
        return headers, await self._reader.readexactly(int(headers.get("content-length", "0")))


async def get_links(owner: Person, count: int, role: str) -> list[str]:
    """Links of new people."""
    made = [await owner.call("POST", "/api/people", {"name": f"person {n}", "role": role}) for n in range(count)]
    return [one["link"] for one in made]

"""What a call may send, and how long it may take to: nobody fills the memory or holds the door with half a call."""

from __future__ import annotations

import asyncio
import time

from fastapi import HTTPException
from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope

from actor_observer.web.settings import Limits

__all__ = ["Body", "largest", "said_to_be"]

JSON = 256 << 10  # bytes of a call in JSON
PICTURE = 20 << 20  # bytes of a picture to search with
SILENCE = 20.0  # seconds without a single byte
SLOWEST = 2048.0  # bytes a second, on average, after the first half minute
START = 30.0  # seconds in which a body may be slower


def largest(scope: Scope, limits: Limits) -> int:
    """How many bytes the body of a call may have.

    >>> largest({"method": "POST", "path": "/api/marks"}, Limits()), largest({"method": "GET", "path": "/"}, Limits())
    (262144, 0)
    """
    if scope["method"] in ("GET", "HEAD", "OPTIONS"):
        return 0
    if scope["method"] == "PUT" and scope["path"].startswith("/api/uploads/"):
        return limits.chunk
    return PICTURE if scope["path"] == "/api/search/picture" else JSON


def said_to_be(scope: Scope) -> int:
    """How long the header says a body is; one byte at least where it comes in pieces of unknown number.

    >>> said_to_be({"headers": [(b"content-length", b"12")]}), said_to_be({"headers": []})
    (12, 0)
    """
    headers = Headers(scope=scope)
    length = headers.get("content-length", "0")
    return int(length) if length.isdecimal() and length != "0" else int("transfer-encoding" in headers)


class Body:
    """The body of a call as it comes in: counted, and given up where it is too long or too slow."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive, self._most = receive, most
        self._began, self._bytes, self.whole = time.monotonic(), 0, False

    async def __call__(self) -> Message:
        if self.whole:  # what comes now is only that the visitor has gone
            return await self._receive()
        slow = self._began + START + self._bytes / SLOWEST - time.monotonic()
        try:
            message = await asyncio.wait_for(self._receive(), max(0.0, min(SILENCE, slow)))
        except TimeoutError:
            raise HTTPException(408, "The rest of this call did not come in time: try again.") from None
        if message["type"] == "http.request":
            self._bytes += len(message.get("body", b""))
            self.whole = not message.get("more_body", False)
        else:
            self.whole = True
        if self._bytes > self._most:
            raise HTTPException(413, "This is too large for one call.")
        return message

    async def skip(self, seconds: float) -> None:
        """Let a body pass that is not wanted, so that its sender hears why; not for long."""
        try:
            async with asyncio.timeout(seconds):
                while not self.whole:
                    await self()
        except (TimeoutError, HTTPException):
            return

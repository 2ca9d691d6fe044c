"""Connections: those that say nothing, or only half, are closed; strangers cannot use them up."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["Connection", "allow_many"]

HEADERS = 20.0  # seconds that the head of a call may take
STRANGERS = 30.0  # seconds that somebody without a session may stay
MOST_STRANGERS = 256  # connections without a session; one more closes the oldest
FILES = 65_536  # files and connections that the process may have open, where the system allows it


class Connection(H11Protocol):
    """One visitor's connection."""

    known = False  # whether a call with a session came over it
    began = 0.0
    last = 0.0  # when a call was last being answered, or was

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take note of the time, and close the oldest stranger's connection where there are too many."""
        super().connection_made(transport)
        self.began = self.last = self.loop.time()
        if len(self.connections) > MOST_STRANGERS:
            strangers = [one for one in self.connections if isinstance(one, Connection) and one.is_stranger()]
            for one in sorted(strangers, key=lambda one: one.began)[:-MOST_STRANGERS]:
                one.end()
        self._later()

    def is_known(self) -> bool:
        """Whether somebody with a session uses it; `Guard` writes into the scope who that is."""
        if not self.known and self.scope is not None:
            self.known = self.scope["state"].get("person") is not None
        return self.known

    def is_stranger(self) -> bool:
        """Whether it is open, and nobody with a session uses it."""
        return not self.transport.is_closing() and not self.is_known()

    def end(self) -> None:
        """Close it now, whatever was half said."""
        if not self.transport.is_closing():
            with contextlib.suppress(h11.LocalProtocolError):
                self.conn.send(h11.ConnectionClosed())
            self.transport.abort()

    def on_response_complete(self) -> None:
        """Count from here: somebody who calls every second is not silent, however quick the answers are."""
        self.last = self.loop.time()
        super().on_response_complete()

    def _later(self) -> None:
        self.loop.call_later(min(HEADERS, STRANGERS) / 4, self._watch)

    def _watch(self) -> None:
        if self.transport.is_closing():
            return
        now = self.loop.time()
        if self.cycle is not None and not self.cycle.response_complete:
            self.last = now  # a call is being answered: its body has limits of its own
        if now - self.last > HEADERS or (self.is_stranger() and now - self.began > STRANGERS):
            self.end()
        else:
            self._later()


def allow_many() -> None:
    """Let this process have as many connections as the system gives it."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted: Any = FILES if most == resource.RLIM_INFINITY else min(FILES, most)
        if now != resource.RLIM_INFINITY and now < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))

"""Calls in processes of their own, to be watched, stopped and killed.

They are forked off a server that has imported everything before: a new Python would spend two seconds and more on that
each time. The server computes nothing itself: what torch starts is started in the fork, as in a new Python.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import sys
import tempfile
import time
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

PATIENCE = 540.0  # seconds: it matters only where something hangs, and a machine may be slow
PRELOAD = ["actor_observer.cli.learn", "actor_observer.training", "torch._dynamo", "torch.utils.tensorboard"]

_server: Any = multiprocessing.get_context("forkserver" if sys.platform != "win32" else "spawn")
_server.set_forkserver_preload(PRELOAD)


class Forked:
    """A call that runs in a process, with a session of its own; `said` is what it has printed so far."""

    def __init__(
        self, call: Callable[..., object], *arguments: Any, environment: Mapping[str, str] | None = None
    ) -> None:
        handle, name = tempfile.mkstemp(prefix="said", suffix=".txt")
        os.close(handle)
        self._printed = Path(name)
        given = {**os.environ, **(environment or {})}
        self._process = _server.Process(target=_run, args=(name, given, call, arguments))
        self._process.start()
        self.pid = int(self._process.pid or 0)
        weakref.finalize(self, _end, self._process, self._printed)

    @property
    def returncode(self) -> int | None:
        """None while it runs; the negative number of the signal that ended it."""
        return self._process.exitcode

    @property
    def said(self) -> str:
        return self._printed.read_text()

    def wait(self) -> str:
        """Until it has ended; all that it said."""
        self._process.join(PATIENCE)
        assert self.returncode is not None, f"it never ended; it said: {self.said}"
        return self.said

    def wait_until(self, seen: Callable[[], object]) -> None:
        """Until something is to be seen, or the process has ended."""
        deadline = time.monotonic() + PATIENCE
        while not seen() and self.returncode is None:
            assert time.monotonic() < deadline, f"never seen; it said: {self.said}"
            time.sleep(0.003)

    def stop(self, how: signal.Signals = signal.SIGKILL) -> str:
        """Send a signal to the process alone, and wait for its end; all that it said."""
        if self.returncode is None:
            os.kill(self.pid, how)
        return self.wait()

    def kill_all(self) -> None:
        """Kill it and whatever it has started."""
        os.killpg(self.pid, signal.SIGKILL)
        self.wait()


def command(*arguments: str, **environment: str) -> Forked:
    """`actor-observer ARGUMENTS`."""
    return Forked(_main, list(arguments), environment=environment)


def ranks(count: int, *arguments: str) -> list[Forked]:
    """The command on several processes, told as torchrun tells them which they are."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    shared = {"WORLD_SIZE": str(count), "LOCAL_WORLD_SIZE": str(count), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    shared |= {"GLOO_SOCKET_IFNAME": "lo"}
    return [command(*arguments, **shared, RANK=str(rank), LOCAL_RANK=str(rank)) for rank in range(count)]


def listing_what_is_opened(arguments: list[str]) -> None:
    """The command in this process, which then prints every file and folder that Python opened meanwhile."""
    seen: list[str] = []
    events = ("open", "os.listdir", "os.scandir")
    sys.addaudithook(lambda event, about: seen.append(str(about[0])) if event in events else None)
    _main(arguments)
    print(*(f"opened {path}" for path in seen), sep="\n")


def _main(arguments: list[str]) -> None:
    from actor_observer.cli import main

    sys.argv[1:] = arguments
    main()  # as the command does that is a process of its own


def _run(printed: str, environment: dict[str, str], call: Callable[..., object], arguments: tuple[Any, ...]) -> None:
    import torch

    if hasattr(os, "setsid"):
        os.setsid()
    os.environ.clear()
    os.environ.update(environment)
    handle = os.open(printed, os.O_WRONLY | os.O_APPEND)
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
    torch.set_num_threads(1)
    call(*arguments)


def _end(process: Any, printed: Path) -> None:
    if process.exitcode is None:
        process.kill()
        process.join()
    printed.unlink(missing_ok=True)

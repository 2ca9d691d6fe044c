"""A process that does one task at a time for the server, started when it is first needed and again if it dies."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from actor_observer.errors import UserError

__all__ = ["Helper", "TooLong"]

Progress = Callable[[float], object]
_SAID: set[str] = set()  # what was said already in this process


class TooLong(UserError):
    """A task that took longer than it may."""


class Helper:
    """Calls tasks of `web.tasks` by name in a child process. Calls wait for each other.

    >>> with Helper("example") as helper:
    ...     helper.call("echo", text="hello")
    {'text': 'hello'}
    """

    def __init__(
        self,
        name: str,
        patient: bool = False,  # it lets everything else go first
        cache: Path | None = None,  # where models keep what they measured, if not in the user's cache
        confined: bool = False,  # with limits on memory and files: see `work.limits`
        offline: bool = False,  # … and without network
    ) -> None:
        self.name, self._cache = name, cache
        words = {"patient": patient, "confined": confined, "offline": confined and offline}
        self._how = [word for word, wanted in words.items() if wanted]
        self.missing: list[str] = []  # limits that this system does not allow, once it was started
        self._lock = threading.Lock()
        self._child: subprocess.Popen[str] | None = None
        self._closed = False
        self._about = ""

    def call(
        self,
        task: str,
        progress: Progress = lambda share: None,
        about: str = "",  # what it is done for, so that it can be stopped: see `stop`
        seconds: float | None = None,  # that it may take, once it has begun
        **arguments: Any,
    ) -> dict[str, Any]:
        """Do a task and return its answer; what goes wrong with the user's files is a `UserError`."""
        with self._lock:
            if self._closed:
                raise UserError("The studio is closing.")
            child = self._started()
            with self._limited(child, about, seconds) as late:
                try:
                    return self._ask(child, {"task": task, "arguments": arguments}, progress)
                except (OSError, ValueError):
                    child.kill()
                    child.wait()
                    self._child = None
                    if late.is_set():
                        raise TooLong(f"This took longer than {(seconds or 0) / 60:.0f} minutes.") from None
                    raise UserError("The helper process ended before it was done: try again.") from None

    def warm(self) -> None:
        """Start the process and load what it needs, so that the first call need not wait for it."""
        with contextlib.suppress(UserError):
            self.call("warm")

    def stop(self, about: str) -> None:
        """End the task that is being done for this, if any; returns when it has ended."""
        child = self._child
        if about and self._about == about and child is not None:
            child.kill()
            child.wait()

    @property
    def started(self) -> bool:
        """Whether the process is there."""
        return self._child is not None

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self._closed = True
        child = self._child
        if child is not None:
            child.kill()
            child.wait()

    def __enter__(self) -> Helper:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextlib.contextmanager
    def _limited(self, child: subprocess.Popen[str], about: str, seconds: float | None) -> Iterator[threading.Event]:
        """Know what is being done; end the process where it takes too long, and say so by the event."""
        late = threading.Event()

        def give_up() -> None:
            late.set()
            child.kill()

        timer = threading.Timer(seconds, give_up) if seconds is not None else None
        self._about = about
        if timer:
            timer.daemon = True
            timer.start()
        try:
            yield late
        finally:
            self._about = ""
            if timer:
                timer.cancel()

    def _started(self) -> subprocess.Popen[str]:
        if self._child is None or self._child.poll() is not None:
            environment = dict(os.environ)
            if self._cache is not None:
                environment["ACTOR_OBSERVER_CACHE"] = str(self._cache.absolute())
            self._child = subprocess.Popen(
                [sys.executable, "-m", "actor_observer.web.tasks.child", *self._how],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                env=environment,
            )
        return self._child

    def _note(self, missing: list[str]) -> None:
        """Keep which limits this system does not allow, and say so once."""
        self.missing = missing
        new = [what for what in missing if what not in _SAID]
        _SAID.update(new)
        if new:
            print(
                f"This system does not allow {' or '.join(new)} for what opens recordings.", file=sys.stderr, flush=True
            )

    def _ask(self, child: subprocess.Popen[str], question: dict[str, Any], progress: Progress) -> dict[str, Any]:
        assert child.stdin is not None and child.stdout is not None
        child.stdin.write(json.dumps(question) + "\n")
        child.stdin.flush()
        while line := child.stdout.readline():
            said: dict[str, Any] = json.loads(line)
            if "missing" in said:
                self._note(said["missing"])
            elif "progress" in said:
                progress(said["progress"])
            elif "error" in said:
                raise UserError(said["error"])
            else:
                answer: dict[str, Any] = said["answer"]
                return answer
        raise OSError("the helper ended")

"""How a command ends: one line and an exit code for scripts.

0: done. 2: a mistake, in one line. 3: done, but some files were left out. 130: Ctrl-C. 143: SIGTERM during training.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import Any, NoReturn, Protocol

from actor_observer.console import Step, print_json, progress, say

__all__ = ["LEFT_OUT", "Done", "end", "finish", "heard", "hearing_interrupts", "under_way", "warn"]

MISTAKE, LEFT_OUT, INTERRUPTED, TERMINATED = 2, 3, 130, 143

_interrupts: list[int] = []


def end(message: str, code: int) -> NoReturn:
    """Say one line on stderr and stop."""
    say(message, error=True)
    sys.exit(code)


def warn(line: str) -> None:
    """Say one line on stderr and carry on."""
    say(line, error=True)


class Done(Protocol):
    """What a command that may leave files out has done."""

    @property
    def faults(self) -> Sequence[object]:
        """The files that were left out, and why."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""


def finish(done: Done, json: bool) -> None:
    """Print the answer, and on stderr what was left out; exit code 3 where something was."""
    if json:
        print_json(done.to_dict())
    else:
        say(done)
    for fault in done.faults:
        warn(str(fault))
    if done.faults:
        sys.exit(LEFT_OUT)


@contextmanager
def under_way(what: str, total: int, kept: str) -> Iterator[Step]:
    """Progress of work that Ctrl-C ends between two items, in one line; `kept` says what becomes of what is done.

    >>> with under_way("embedding", total=1, kept="all is kept") as step:
    ...     step.part(0.5); step()
    """
    try:
        with progress(what, total) as step:
            heard()
            yield _HeardStep(step)
    except KeyboardInterrupt:
        end(f"interrupted; {kept}, and the same command resumes", INTERRUPTED)


class _HeardStep(Step):
    """A step that also hears an interrupt."""

    def __init__(self, step: Step) -> None:
        self._step = step

    def __call__(self) -> None:
        self._step()
        heard()

    def part(self, share: float) -> None:
        self._step.part(share)
        heard()


def heard() -> None:
    """Raise a Ctrl-C again that a library swallowed: call it between pieces of work.

    >>> heard()
    """
    if _interrupts:
        raise KeyboardInterrupt


@contextmanager
def hearing_interrupts() -> Iterator[None]:
    """Note every Ctrl-C, so that none is lost in a library that catches everything, as some do while imported.

    >>> with hearing_interrupts():
    ...     heard()
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler or current_thread() is not main_thread():
        yield  # somebody else decides what an interrupt does: a shell's background job ignores it
        return

    def hear(number: int, _: object) -> None:
        _interrupts.append(number)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, hear)
    try:
        yield
    except Exception as error:
        if _interrupts:  # what a library made of it, such as an ImportError
            raise KeyboardInterrupt from error
        raise
    finally:
        signal.signal(signal.SIGINT, before)
        _interrupts.clear()

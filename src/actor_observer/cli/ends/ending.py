"""How a command ends: one line and an exit code for scripts.

0: done. 2: a mistake, in one line. 3: done, but some files were left out. 129, 130, 143: SIGHUP, Ctrl-C, SIGTERM.
"""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import current_thread, main_thread
from typing import Any, NoReturn, Protocol

from actor_observer.cli.ends.deadline import SIGNALS, WORDS, leave, take_last_word
from actor_observer.console import Step, print_json, progress, say
from actor_observer.stopping import forget, keeping, kept

__all__ = [
    *("LEFT_OUT", "MISTAKE", "Done", "end", "end_stopped", "finish", "heard", "hearing_interrupts", "interrupts_first"),
    *("under_way", "warn"),
]

MISTAKE, LEFT_OUT = 2, 3  # exit codes (docs/use.md)
BURST = 1.0  # seconds: `timeout` and others send a signal twice, to the process and to its group

_interrupts: list[int] = []


def end(message: str, code: int) -> NoReturn:
    """Say one line on stderr and stop."""
    take_last_word()
    with suppress(OSError):  # the terminal may be gone
        say(message, error=True)
    sys.exit(code)


def end_stopped(alone: bool) -> NoReturn:
    """Say in one line that a signal ended the command, and what is kept; `alone`: the process ends with it."""
    number = signal.Signals(_interrupts[0]) if _interrupts else signal.SIGINT
    if alone:
        for other in SIGNALS:
            signal.signal(other, signal.SIG_IGN)  # it is ending
    try:
        end(f"{WORDS[number]}; {kept()}", 128 + number)
    finally:
        if alone:
            leave(128 + number)


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
    """Progress of work that a signal ends between two items, in one line; `kept` says what becomes of what is done.

    >>> with under_way("embedding", total=1, kept="all is kept") as step:
    ...     step.part(0.5); step()
    """
    with keeping(f"{kept}, and the same command resumes"), progress(what, total) as step:
        heard()
        yield _HeardStep(step)


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
    """Raise an interrupt again that a library swallowed: call it between pieces of work.

    >>> heard()
    """
    if _interrupts:
        raise KeyboardInterrupt


@contextmanager
def hearing_interrupts() -> Iterator[None]:
    """Make each of the signals an interrupt, and note it: some libraries catch everything while they are imported.

    >>> with hearing_interrupts():
    ...     heard()
    """
    if current_thread() is not main_thread():
        yield  # signals go elsewhere
        return
    last = -BURST

    def hear(number: int, _: object) -> None:
        nonlocal last
        _interrupts.append(number)
        again, last = time.monotonic() - last < BURST, time.monotonic()
        if not again:
            raise KeyboardInterrupt

    forget()
    unheard = (signal.SIG_DFL, signal.default_int_handler)  # others decide themselves: a background job ignores SIGINT
    before = {number: signal.signal(number, hear) for number in SIGNALS if signal.getsignal(number) in unheard}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        _interrupts.clear()


@contextmanager
def interrupts_first() -> Iterator[None]:
    """What a library makes of an interrupt, such as an ImportError or a lost worker, is an interrupt.

    >>> with interrupts_first():
    ...     raise ImportError("no such module")
    Traceback (most recent call last):
    ImportError: no such module
    """
    try:
        yield
    except Exception as error:
        if _interrupts:
            raise KeyboardInterrupt from error
        raise

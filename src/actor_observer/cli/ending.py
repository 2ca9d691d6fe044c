"""How the command ends when it cannot go on: one line, and a code for scripts."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import NoReturn

__all__ = ["end", "hearing_interrupts", "warn"]


def end(message: str, code: int) -> NoReturn:
    """Say one line on stderr and stop."""
    print(f"actor-observer: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(code)


def warn(line: str) -> None:
    """Say one line on stderr and carry on."""
    print(f"actor-observer: {' '.join(line.split())}", file=sys.stderr)


@contextmanager
def hearing_interrupts() -> Iterator[Callable[[], None]]:
    """Ctrl-C is not lost where a library swallows it: call what this gives between pieces of work.

    >>> with hearing_interrupts() as heard:
    ...     heard()
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler or current_thread() is not main_thread():
        yield lambda: None  # somebody else decides what an interrupt does: a shell's background job ignores it
        return
    interrupts: list[int] = []

    def hear(number: int, _: object) -> None:
        interrupts.append(number)
        raise KeyboardInterrupt

    def heard() -> None:
        if interrupts:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, hear)
    try:
        yield heard
    finally:
        signal.signal(signal.SIGINT, before)

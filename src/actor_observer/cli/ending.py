"""How a command ends: one line and an exit code for scripts.

0: done. 2: a mistake, in one line. 3: done, but some files were left out. 130: Ctrl-C. 143: SIGTERM during training.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import NoReturn

from actor_observer.console import say

__all__ = ["LEFT_OUT", "end", "heard", "hearing_interrupts", "warn"]

MISTAKE, LEFT_OUT, INTERRUPTED, TERMINATED = 2, 3, 130, 143

_interrupts: list[int] = []


def end(message: str, code: int) -> NoReturn:
    """Say one line on stderr and stop."""
    say(message, error=True)
    sys.exit(code)


def warn(line: str) -> None:
    """Say one line on stderr and carry on."""
    say(line, error=True)


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

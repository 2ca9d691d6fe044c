"""The end in time: a few seconds after a signal, a command that has not ended by itself is ended.

Python runs a signal's handler between two instructions of its own: not while one step of a large network is computed,
a compiler is waited for, or threads are joined. What does run at once is the system's part, which writes the signal's
number into a pipe. A thread waits at its other end.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import select
import shutil
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

from actor_observer.cli.ends.children import adopt_orphans, end_children
from actor_observer.console import printable
from actor_observer.stopping import clear_away, kept

__all__ = ["SIGNALS", "STOPPED", "WORDS", "ending_in_time", "leave", "take_last_word"]

SECONDS = 3.0  # for what ends by itself; killing, clearing away and what a GPU's driver does come after
WORDS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated", signal.SIGHUP: "hung up"}
SIGNALS = tuple(WORDS)
STOPPED = tuple(128 + number for number in SIGNALS)  # exit codes, as a shell gives them

_last_word = threading.Lock()  # whoever has it says how the command ended, and gives it not back
_set: list[int] = []  # the pipe of a deadline that is set: reading end, writing end


@contextmanager
def ending_in_time() -> Iterator[None]:
    """From here to the end of the process, a signal is waited for no longer than `SECONDS`.

    It is set off again only where the work inside comes to its end as if there had been no signal.
    """
    adopt_orphans()
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    _set[:] = [reading, writing]
    over = threading.Event()
    threading.Thread(target=_watch, args=(reading, over), name="deadline", daemon=True).start()
    yield
    over.set()  # not where an interrupt goes on: the end of the process is waited for too
    signal.set_wakeup_fd(before)
    _set.clear()


def take_last_word() -> None:
    """Where a process ends in time, one thread alone says how; any other waits here for the end."""
    if _set and not _last_word.acquire(blocking=False):
        threading.Event().wait()


def leave(code: int) -> NoReturn:
    """End the process without waiting for its threads, with all others that it has started; nothing temporary stays."""
    logging.disable()  # others would complain about their lost workers
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    _end_now(code)


def _end_now(code: int) -> NoReturn:
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # all is said: threads would complain about what is killed now
    end_children()
    clear_away()
    sockets = multiprocessing.current_process()._config.get("tempdir")  # type: ignore[attr-defined]
    if sockets and multiprocessing.parent_process() is None:  # else they are the parent's
        shutil.rmtree(sockets, ignore_errors=True)
    os._exit(code)


def _watch(reading: int, over: threading.Event) -> None:
    """Wait for a signal, then for the end."""
    while (number := os.read(reading, 1)[0]) not in SIGNALS:
        pass  # a child that ended, say
    if not over.wait(SECONDS):
        if _last_word.acquire(blocking=False):
            _shout(f"{WORDS[signal.Signals(number)]}; {kept()}")
        _end_now(128 + number)


def _shout(line: str) -> None:
    """A line on stderr, past whatever the main thread holds; nobody is waited for who does not read it."""
    shown = "\x1b[?25h\r\x1b[2K" if sys.stderr.isatty() else ""  # a progress bar hides the cursor
    with suppress(OSError, ValueError):
        if select.select([], [2], [], 0.2)[1]:
            os.write(2, f"{shown}actor-observer: {printable(line)}\n".encode())


def _in_child() -> None:
    """A forked worker leaves signals to its parent: it would write into the parent's pipe."""
    if _set:
        with suppress(ValueError):
            signal.set_wakeup_fd(-1)
        for handle in _set:
            os.close(handle)
        _set.clear()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


os.register_at_fork(after_in_child=_in_child)

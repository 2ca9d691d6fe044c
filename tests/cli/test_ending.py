"""Ctrl-C ends the work, even where something in between swallowed it."""

import contextlib
import os
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from actor_observer.cli.ending import hearing_interrupts


def test_an_interrupt_that_was_swallowed_is_heard_later() -> None:
    before = signal.getsignal(signal.SIGINT)
    with hearing_interrupts() as heard:
        heard()
        with contextlib.suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            heard()
    assert signal.getsignal(signal.SIGINT) is before


def test_an_interrupt_that_the_shell_ignores_stays_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with hearing_interrupts() as heard:
            os.kill(os.getpid(), signal.SIGINT)
            heard()
    finally:
        signal.signal(signal.SIGINT, before)


def test_in_another_thread_nothing_is_listened_to() -> None:
    def listen() -> bool:
        with hearing_interrupts() as heard:
            heard()
        return True

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(listen).result()

"""Ctrl-C ends the work, even where something in between swallowed it."""

import contextlib
import os
import signal

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

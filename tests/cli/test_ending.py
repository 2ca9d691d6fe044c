"""Ctrl-C ends the work, even where something in between swallowed it."""

import contextlib
import os
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from actor_observer.cli import VERBS, main
from actor_observer.cli.ending import heard, hearing_interrupts


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture(autouse=True)
def python_hears_interrupts() -> object:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_that_was_swallowed_is_heard_later() -> None:
    with hearing_interrupts():
        heard()
        with contextlib.suppress(KeyboardInterrupt):
            interrupt()
        with pytest.raises(KeyboardInterrupt):
            heard()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    heard()  # what is over is forgotten


def test_it_is_heard_from_the_first_import_on(monkeypatch, capsys: pytest.CaptureFixture[str]) -> None:
    def verb() -> None:
        with contextlib.suppress(BaseException):  # as a library that catches everything while it is imported
            interrupt()
        heard()
        pytest.fail("the interrupt was lost")

    monkeypatch.setitem(VERBS, "inspect", verb)
    with pytest.raises(SystemExit) as stop:
        main(["inspect"])
    assert stop.value.code == 130
    assert capsys.readouterr().err == "actor-observer: interrupted\n"


def test_what_a_library_makes_of_an_interrupt_is_an_interrupt(monkeypatch, capsys: pytest.CaptureFixture[str]) -> None:
    def verb() -> None:
        try:
            interrupt()
        except KeyboardInterrupt:
            raise ImportError("numpy._core.multiarray failed to import") from None

    monkeypatch.setitem(VERBS, "inspect", verb)
    with pytest.raises(SystemExit) as stop:
        main(["inspect"])
    assert stop.value.code == 130


def test_an_interrupt_that_the_shell_ignores_stays_ignored() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with hearing_interrupts():
        interrupt()
        heard()


def test_in_another_thread_nothing_is_listened_to() -> None:
    def listen() -> bool:
        with hearing_interrupts():
            heard()
        return True

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(listen).result()

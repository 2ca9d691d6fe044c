"""How commands end: Ctrl-C ends the work, even where something swallowed it; what was left out gives exit code 3."""

import contextlib
import json
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from actor_observer import console
from actor_observer.cli import VERBS, main
from actor_observer.cli.ends.ending import heard, hearing_interrupts
from tiny import write_csv, write_video


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
    assert capsys.readouterr().err == "actor-observer: interrupted; it was not done, and the same command starts anew\n"


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


def ended(arguments: list[str]) -> int | str | None:
    """The status that a command exits with; one that returns exits with 0."""
    try:
        main(arguments)
    except SystemExit as stop:
        return stop.code
    return 0


@pytest.mark.parametrize("verb", ["index", "embed", "inspect"])
def test_files_that_were_left_out_give_exit_code_3(
    verb: str, model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a", "b"):
        write_video(tmp_path / "videos" / f"{name}.mp4", frames=8, fps=2)
    rows = [{"id": "p", "third": "videos/a.mp4", "first": "videos/b.mp4"}]
    data = write_csv(tmp_path / "pairs.csv", rows, list(rows[0]))
    seen = ["--view", "first", "--model", str(model), "--out"]
    arguments = {
        "index": [str(tmp_path / "videos"), *seen, str(tmp_path / "i")],
        "embed": [str(tmp_path / "videos"), *seen, str(tmp_path / "e.npz")],
        "inspect": [str(data)],
    }[verb]
    assert ended([verb, *arguments, "--json"]) == 0
    json.loads(capsys.readouterr().out)
    (tmp_path / "videos" / "b.mp4").write_bytes(b"")
    assert ended([verb, *arguments, "--json"]) == 3
    said = capsys.readouterr()
    json.loads(said.out)  # the answer stays one piece of JSON
    assert verb == "inspect" or "b.mp4: the file is empty" in said.err


def test_without_a_terminal_progress_is_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [0.0]
    monkeypatch.setattr(console.time, "monotonic", lambda: now[0])
    with console.progress("embedding", 100) as step:
        for _ in range(100):
            now[0] += 1.0
            step()
        step.part(0.5)
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines() == [f"actor-observer: embedding: {done} of 100" for done in (30, 60, 90)]


def test_every_command_with_an_answer_has_it_as_json_too() -> None:
    import inspect

    without = [name for name, verb in VERBS.items() if "json" not in inspect.signature(verb).parameters]
    assert without == ["studio"]  # it answers in a browser

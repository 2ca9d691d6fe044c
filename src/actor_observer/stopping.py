"""What is kept when a command is stopped, and what is cleared away, however abruptly it has to end."""

from __future__ import annotations

import multiprocessing.util
import secrets
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.context import SpawnContext
from pathlib import Path

__all__ = [
    *("clear_away", "keeping", "kept", "one_folder_for_workers", "started_anew", "starting_workers", "temporary"),
    "temporary_folder",
]

NOTHING = "it was not done, and the same command starts anew"

_now: list[str | Callable[[], str]] = []  # the innermost last
_stopped: list[str] = []  # what was kept where an interrupt came from, the innermost first
_temporary: set[Path] = set()  # files and folders that nobody needs after the process
_locks: list[str] = []  # how the names of the semaphores begin that this process shares


@contextmanager
def keeping(what: str | Callable[[], str]) -> Iterator[None]:
    """Say what is kept if the work inside is stopped; of several such lines, the innermost is told.

    >>> with keeping("every finished stage is kept"):
    ...     kept()
    'every finished stage is kept'
    >>> kept()
    'it was not done, and the same command starts anew'
    """
    _now.append(what)
    try:
        yield
    except KeyboardInterrupt:
        if not _stopped:
            _stopped.append(kept())
        raise
    finally:
        _now.remove(what)


def kept() -> str:
    """What is kept of the work that is being done, or of that which an interrupt has just ended."""
    if _stopped:
        return _stopped[0]
    what = _now[-1] if _now else NOTHING
    return what if isinstance(what, str) else what()


def forget() -> None:
    """Forget an earlier interrupt: another command begins."""
    _stopped.clear()


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder for a while, which also goes where the process is ended in the middle of things.

    >>> with temporary_folder() as folder:
    ...     _ = (folder / "a.txt").write_text("a")
    >>> folder.exists()
    False
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name, temporary(Path(name)) as folder:
        yield folder


@contextmanager
def temporary(path: Path) -> Iterator[Path]:
    """A file or folder that is to be cleared away if the process ends meanwhile."""
    _temporary.add(path)
    try:
        yield path
    finally:
        _temporary.discard(path)


def clear_away() -> None:
    """Remove what is temporary, right before an end that runs nothing else.

    >>> _temporary.clear()  # as in a process that has just begun
    >>> folder = Path(tempfile.mkdtemp())
    >>> with temporary(folder):
    ...     clear_away()
    >>> folder.exists()
    False
    """
    locks = (path for name in _locks for path in Path("/dev/shm").glob(f"sem.{name}-*"))
    for path in [*_temporary, *locks]:
        with suppress(OSError):
            path.unlink() if path.is_file() else shutil.rmtree(path, ignore_errors=True)


def one_folder_for_workers() -> None:
    """Have processes that are started from now on share one temporary folder, which goes however this one ends.

    What they pass to each other goes through sockets there; else each makes a folder, and leaves it where it is killed.

    >>> one_folder_for_workers()
    >>> (folder := next(path for path in _temporary if path.name.startswith("pymp-"))).exists()
    True
    >>> _temporary.remove(folder)  # this process goes on
    """
    _temporary.add(Path(multiprocessing.util.get_temp_dir()))


def started_anew() -> SpawnContext:
    """For workers that are not forked: what they lock has a name in /dev/shm, and goes however this process ends.

    Else Python leaves it to a process of its own, which is killed with all others.

    >>> started_anew().get_start_method()
    'spawn'
    """
    if not _locks:
        _locks.append(f"ao-{secrets.token_hex(4)}")
        multiprocessing.current_process()._config["semprefix"] = f"/{_locks[0]}"  # type: ignore[attr-defined]
    return multiprocessing.get_context("spawn")


@contextmanager
def starting_workers() -> Iterator[None]:
    """Processes that are started inside never hear Ctrl-C: it goes to all of them, and the main one ends the others.

    >>> with starting_workers():
    ...     signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])
    True
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGHUP])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

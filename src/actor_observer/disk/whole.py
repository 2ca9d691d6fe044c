"""Files that are written whole or not at all, and folders that one process at a time writes to."""

from __future__ import annotations

import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from actor_observer.errors import UserError
from actor_observer.stopping import temporary

__all__ = ["only_writer", "write_whole", "writing_whole"]

PATIENCE = 2.0  # seconds: a killed process's decoders hold its lock until they notice


def write_whole(path: Path, content: bytes) -> None:
    """Write a file beside its place, force it to disk, and rename it: readers see the old file or the new one.

    >>> place = Path(tempfile.mkdtemp()) / "note.txt"
    >>> write_whole(place, b"all of it")
    >>> place.read_bytes()
    b'all of it'
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    part = Path(name)
    try:
        with temporary(part):
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            mask = os.umask(0)
            os.umask(mask)
            part.chmod(0o666 & ~mask)  # mkstemp makes files that nobody else may read
            part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


@contextmanager
def writing_whole(path: Path) -> Iterator[Path]:
    """A place beside a file to write it to, piece by piece; it takes its name only when all went well.

    >>> with writing_whole(Path(__file__) / "a.mp4") as part:
    ...     pass
    Traceback (most recent call last):
    actor_observer.errors.UserError: /...a.mp4: cannot be written (...)
    """
    part = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield part
        part.replace(path)
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror or error})") from error
    finally:
        with suppress(OSError):
            part.unlink()


@contextmanager
def only_writer(
    lock: Path, what: str, shared: bool = False, instead: str = "wait for it, or use another --out"
) -> Iterator[None]:
    """Hold a lock on a file (made if needed) or folder; a second writer gets one line that says what to do `instead`.

    Those that say `shared` keep out only those that do not.

    >>> place = Path(tempfile.mkdtemp())
    >>> with only_writer(place, "this folder"), only_writer(place, "this folder"):
    ...     pass
    Traceback (most recent call last):
    actor_observer.errors.UserError: /...: another process is writing to this folder; wait for it, or use another --out
    """
    handle = os.open(lock, os.O_RDONLY if lock.is_dir() else os.O_RDWR | os.O_CREAT, 0o666)
    try:  # released when it is closed, however the process ends
        until = time.monotonic() + PATIENCE
        while not _locked(handle, shared):
            if time.monotonic() > until:
                place = lock if lock.is_dir() else lock.parent
                raise UserError(f"{place}: another process is writing to {what}; {instead}")
            time.sleep(0.1)
        yield
    finally:
        os.close(handle)


def _locked(handle: int, shared: bool) -> bool:
    try:
        fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True

"""What can be made again: pictures, converted videos, what models saw. It has a size; the oldest goes first."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import threading
from collections.abc import Collection
from pathlib import Path

from actor_observer.pairs.window import file_of

__all__ = ["Cache", "key_of"]

EVERY = 200  # new files after which its size is looked at


class Cache:
    """A folder with a size limit. Its files carry the key of their recording in their names.

    >>> import tempfile
    >>> cache = Cache(Path(tempfile.mkdtemp()), most=5)
    >>> for name in ("a.jpg", "b.jpg"):
    ...     _ = (cache.folder / name).write_bytes(b"1234")
    >>> os.utime(cache.folder / "b.jpg", (1, 1))
    >>> cache.sweep()
    >>> [path.name for path in cache.folder.iterdir()]
    ['a.jpg']
    """

    def __init__(self, folder: Path, most: int) -> None:
        self.folder, self._most = folder, most
        self._new = 0
        self._lock = threading.Lock()

    @property
    def models(self) -> Path:
        """Where models keep what they measured of recordings that were collected here."""
        return self.folder / "models"

    def used(self, path: Path) -> None:
        """Note that a file was wanted now: it goes last."""
        with contextlib.suppress(OSError):
            os.utime(path)

    def added(self) -> None:
        """Note that a file was made; now and then the folder is swept, in the background."""
        with self._lock:
            self._new += 1
            due = self._new >= EVERY
            if due:
                self._new = 0
        if due:
            threading.Thread(target=self.sweep, daemon=True).start()

    def sweep(self) -> None:
        """Delete what was not wanted for longest until the rest is within the limit."""
        files = []
        for path in self.folder.rglob("*"):
            with contextlib.suppress(OSError):
                if path.is_file():
                    state = path.stat()
                    files.append((state.st_mtime, state.st_size, path))
        left = sum(size for _, size, _ in files)
        for _, size, path in sorted(files, key=lambda one: one[0]):
            if left <= self._most:
                return
            path.unlink(missing_ok=True)
            left -= size

    def forget(self, keys: Collection[str]) -> None:
        """Delete all that was made of these recordings. What models measured is named by contents: all of it goes."""
        for key in keys:
            for path in self.folder.glob(f"*/*{key}*"):
                path.unlink(missing_ok=True)
        shutil.rmtree(self.models, ignore_errors=True)


def key_of(path: Path) -> str:
    """A name for what is kept of a recording: another file or a changed one gets another name.

    >>> len(key_of(Path("no-such.mp4")))
    24
    """
    try:
        state = file_of(path).stat()
        stamp = f"{state.st_size} {state.st_mtime_ns}"
    except OSError:
        stamp = ""
    return hashlib.blake2b(f"{path.absolute()} {stamp}".encode(), digest_size=12).hexdigest()

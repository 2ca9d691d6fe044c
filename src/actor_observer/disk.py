"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

__all__ = ["write_whole"]


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

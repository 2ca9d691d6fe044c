"""A stretch of a file as a path of its own: `episodes.mp4#t=12.4,41.9`, a W3C media fragment in seconds.

Whatever takes a path takes such a stretch: its times run from 0 at its start, and its frames are those that begin in
it. A real file of that very name is read as it is.
"""

from __future__ import annotations

import math
import os
import re
from pathlib import Path

from actor_observer.errors import TakeError

__all__ = ["bounds_in", "file_of", "hint", "is_window", "stem_of", "window_of", "with_window"]

MARK = "#t="
_NUMBER = r"\d+(?:\.\d*)?|\.\d+"
_WINDOW = re.compile(rf"(?P<file>.+)#t=(?P<start>{_NUMBER})?(?P<comma>,(?P<end>{_NUMBER})?)?", re.DOTALL)


def with_window(file: Path, start: float, end: float) -> Path:
    """The path of a stretch of a file, to a microsecond.

    >>> with_window(Path("videos/episodes.mp4"), 12.4, 41.900000004)
    PosixPath('videos/episodes.mp4#t=12.4,41.9')
    """
    return file.with_name(f"{file.name}{MARK}{_plain(start)},{_plain(end)}")


def is_window(path: Path) -> bool:
    """Whether a path names a stretch of a file.

    >>> is_window(Path("room.mp4#t=10,40")), is_window(Path("room.mp4"))
    (True, False)
    """
    return _parsed(path) is not None


def file_of(path: Path) -> Path:
    """The file that a path is a stretch of; any other path as it is.

    >>> file_of(Path("room.mp4#t=10,40")), file_of(Path("room.mp4"))
    (PosixPath('room.mp4'), PosixPath('room.mp4'))
    """
    found = _parsed(path)
    return path.with_name(found["file"]) if found else path


def window_of(path: Path) -> tuple[float, float]:
    """From when to when in its file a path goes, in seconds: from 0 on without end where it is the file itself.

    >>> window_of(Path("room.mp4#t=10,40")), window_of(Path("room.mp4#t=10")), window_of(Path("room.mp4"))
    ((10.0, 40.0), (10.0, inf), (0.0, inf))
    """
    found = _parsed(path)
    if found is None:
        return 0.0, math.inf
    start, end = float(found["start"] or 0.0), float(found["end"] or math.inf)
    if not start < end:
        raise TakeError(path, "a stretch ends after it starts: #t=START,END in seconds")
    return start, end


def bounds_in(path: Path, length: float) -> tuple[float, float]:
    """As `window_of`, within a file that lasts so many seconds; a stretch that lies outside is a `TakeError`.

    >>> bounds_in(Path("room.mp4#t=10,40"), 30.0), bounds_in(Path("room.mp4"), 30.0)
    ((10.0, 30.0), (0.0, 30.0))
    """
    start, end = window_of(path)
    if start > 0.0 and not start < length:
        raise TakeError(path, f"starts at {start:g} s, but the file lasts {length:.2f} s")
    return start, min(end, length)


def stem_of(path: Path) -> str:
    """The name without its ending, also of a stretch: for ids and for files that are made of it.

    >>> stem_of(Path("videos/room.mp4")), stem_of(Path("room.mp4#t=10,40.5")), stem_of(Path("room.mp4#t=10"))
    ('room', 'room_10-40.5', 'room_10-')
    """
    found = _parsed(path)
    if found is None:
        return path.stem
    return f"{Path(found['file']).stem}_{found['start'] or 0}-{found['end'] or ''}"


def hint(path: Path) -> str:
    """What to add where a file is missing that may have been meant as a stretch of one; usually nothing.

    >>> hint(Path("room.mp4#t=0:10")), hint(Path("room.mp4"))
    (' (a stretch of a file is FILE#t=START,END, in seconds)', '')
    """
    meant = MARK in path.name and not is_window(path)
    return " (a stretch of a file is FILE#t=START,END, in seconds)" if meant else ""


def _parsed(path: Path) -> re.Match[str] | None:
    name = path.name
    found = _WINDOW.fullmatch(name) if MARK in name else None
    if found is None or not (found["start"] or found["end"]):
        return None
    return None if os.path.lexists(path) else found  # a real file may have any name


def _plain(seconds: float) -> str:
    return f"{max(0.0, seconds):.6f}".rstrip("0").rstrip(".")

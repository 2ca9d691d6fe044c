"""What an index says about itself and about each of its videos."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from actor_observer.features.identity import Identity
from actor_observer.pairs.manifest import View

__all__ = ["Entry", "IndexHead", "wrong_with"]

LONGEST = 4096  # characters of a path or a name
MOST = 1 << 20  # numbers in a vector, moments of a video: a million seconds are eleven days


@dataclass(frozen=True)
class IndexHead:
    """What all videos of an index share.

    >>> IndexHead(Identity("runs/first", "93ab12cd34ef56ab"), 128, 1.0).dimension
    128
    """

    model: Identity
    dimension: int  # numbers in a vector
    moment_rate: float  # moments a second


@dataclass(frozen=True)
class Entry:
    """One video of an index.

    >>> Entry("kitchen.mp4", "first", rows=12).name
    'kitchen.mp4'
    """

    video: str  # its path, or the name that pixels were given
    view: View
    rows: int  # moments
    subject: str = ""
    size: int = 0  # bytes; a file whose size and date are unchanged is not read again
    changed: int = 0  # date of the last change, in nanoseconds
    content: str = ""  # fingerprint of the file's bytes
    frame_rate: float | None = None  # of a folder of frames
    is_file: bool = True  # False: pixels from memory
    rows_check: int | None = None  # CRC-32 of its vectors and times; None in an index made before there were any

    @property
    def name(self) -> str:
        """The video without its folders."""
        return Path(self.video).name or self.video


def wrong_with(entry: Entry) -> str:
    """Why an entry is not valid; empty for a valid one.

    >>> wrong_with(Entry("kitchen.mp4", "first", rows=0))
    'an impossible number of moments'
    """
    for text, least in ((entry.video, 1), (entry.subject, 0), (entry.content, 0)):
        if type(text) is not str or not least <= len(text) <= LONGEST or not text.isprintable():
            return "an invalid name"
    if entry.view not in get_args(View):
        return "an invalid view"
    if type(entry.rows) is not int or not 1 <= entry.rows <= MOST:
        return "an impossible number of moments"
    if type(entry.size) is not int or type(entry.changed) is not int or type(entry.is_file) is not bool:
        return "an invalid size or date"
    if not (entry.rows_check is None or type(entry.rows_check) is int):
        return "an invalid checksum"
    rate = entry.frame_rate
    return "" if rate is None or (type(rate) in (int, float) and 0 < rate < 1e6) else "an invalid frame rate"

"""A fingerprint of bytes that costs almost nothing: what was zeroed, flipped, moved or cut has another one.

Rows of 4 KiB are added up, word by word, along and across; a digest of both sums is the fingerprint. Numpy adds faster
than memory delivers, five times as fast as CRC-32. It is there for disks and copies, not against people: whoever
wants can make two files of one sum.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["DIGITS", "PIECE", "Adding", "bytes_of", "sum_of", "sum_of_file"]

DIGITS = 16  # of a sum, in hexadecimal
ROW = 512  # words of 8 bytes: a page of most disks
SMALL = 1 << 20  # bytes: to read such a file is quicker than to map it
PIECE = 128 * 8 * ROW  # bytes, half a MiB, which stay in a core's cache while they are added up twice


class Adding:
    """A sum that grows piece by piece, so that each can be added up while it is still in the core's cache.

    >>> adding = Adding(PIECE + 9)
    >>> adding.add(np.zeros(PIECE, dtype=np.uint8))
    >>> adding.add(np.zeros(9, dtype=np.uint8))
    >>> adding.digits() == sum_of(bytes(PIECE + 9))
    True
    """

    def __init__(self, size: int) -> None:  # bytes in all
        self._along = np.empty(size // (8 * ROW), dtype=np.uint64)  # one for each row
        self._across = np.zeros(ROW, dtype=np.uint64)  # one for each place in a row
        self._rows, self._rest = 0, b""
        self._digest = hashlib.blake2b(f"{size} ".encode(), digest_size=DIGITS // 2)

    def add(self, piece: NDArray[np.uint8]) -> None:
        """Add the next `PIECE` bytes, or the last ones, which may be fewer."""
        whole = len(piece) // (8 * ROW)
        words = np.frombuffer(piece, dtype="<u8", count=whole * ROW).reshape(whole, ROW)
        np.add.reduce(words, axis=1, out=self._along[self._rows : self._rows + whole])
        self._across += np.add.reduce(words, axis=0)
        self._rows, self._rest = self._rows + whole, piece[8 * ROW * whole :].tobytes()

    def digits(self) -> str:
        """The sum, once everything is added."""
        for part in (self._along.astype("<u8").data, self._across.astype("<u8").data, self._rest):
            self._digest.update(part)
        return self._digest.hexdigest()


def sum_of(content: Any) -> str:
    """The sum of bytes, of an array of bytes, or of a mapped file.

    >>> sum_of(b"all of it"), sum_of(b"all of it") == sum_of(b"all of jt")
    ('fedb1dd96f3da8df', False)
    """
    flat = np.frombuffer(content, dtype=np.uint8)
    adding = Adding(len(flat))
    for start in range(0, len(flat), PIECE):
        adding.add(flat[start : start + PIECE])
    return adding.digits()


def sum_of_file(path: Path) -> str:
    """The sum of a file, however large.

    >>> sum_of_file(Path(__file__)) == sum_of(Path(__file__).read_bytes())
    True
    """
    return sum_of(bytes_of(path))


def bytes_of(path: Path) -> NDArray[np.uint8]:
    """A file as an array of bytes: read where it is small, mapped where it is large.

    >>> len(bytes_of(Path(__file__))) == Path(__file__).stat().st_size
    True
    """
    if path.stat().st_size <= SMALL:
        return np.frombuffer(path.read_bytes(), dtype=np.uint8)
    return np.memmap(path, dtype=np.uint8, mode="r")

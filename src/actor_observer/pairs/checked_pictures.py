"""Pictures that `frames` wrote, with their checksums: one that is not as it was written is never decoded.

Beside the pictures of a folder lies a note with the CRC-32 of each, and their frame rate.
"""

from __future__ import annotations

import os
import zlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from actor_observer.disk.sealed_json import read_sealed_json
from actor_observer.errors import TakeError

__all__ = ["MADE_OF", "CheckedPicture", "folder_note", "refuse_damaged"]

MADE_OF = "made_of.json"  # in a take's folder


@dataclass(frozen=True)
class CheckedPicture:
    """One picture in a folder, with the members of a path that readers of pictures need."""

    path: Path
    check: int

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def suffix(self) -> str:
        return self.path.suffix

    def read_bytes(self) -> bytes:
        content = self.path.read_bytes()
        refuse_damaged(self.path, content, self.check, self.path.parent)
        return content

    def stat(self) -> os.stat_result:
        return self.path.stat()

    def __str__(self) -> str:
        return str(self.path)


def refuse_damaged(picture: object, content: bytes, check: int, whole: Path) -> None:
    """Refuse a picture whose CRC-32 is another; `whole` is what `frames` has to write again."""
    if zlib.crc32(content) != check:
        raise TakeError(picture, f"damaged, not as it was written; remove {whole} and run `frames` again")


def folder_note(folder: Path) -> dict[str, Any] | None:
    """What `frames` noted about the pictures in a folder; None where it noted nothing.

    >>> folder_note(Path("no-such-folder")) is None
    True
    """
    path = folder / MADE_OF
    try:
        state = path.stat()
    except OSError:
        return None
    return _read(path, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=512)
def _read(path: Path, size: int, changed: int) -> dict[str, Any] | None:
    try:
        content = path.read_bytes()
        if content.startswith(b"["):  # by an earlier version
            return None
        told = read_sealed_json(content)
        told["frame_rate"] = float(told["frame_rate"])
        told["checks"] = {str(name): int(check) for name, check in told["checks"].items()}
        return told
    except OSError as error:
        raise TakeError(path, f"cannot be read ({error.strerror})") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise TakeError(path, f"damaged ({error}); remove {path.parent} and run `frames` again") from None

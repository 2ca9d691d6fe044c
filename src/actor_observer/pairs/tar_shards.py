"""Takes as pictures in tar files, for disks on which many small files are slow.

Beside `000003.tar` lies `000003.json`: for each take its frame rate, and where each of its pictures is, with its
CRC-32. A take's path is `000003.tar/ID`, as if the tar were a folder. Unpacked, it is a folder of frames, as Charades
has them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from io import FileIO
from pathlib import Path
from typing import Any, overload

from actor_observer.disk.sealed_json import read_json
from actor_observer.errors import TakeError
from actor_observer.pairs.checked_pictures import refuse_damaged

__all__ = ["FORMAT", "TarFrames", "TarPicture", "contents", "in_tar", "picture_name", "tar_frames"]

FORMAT = "actor-observer frames 1"
OPEN = 64  # tar files kept open


@dataclass(frozen=True)
class TarPicture:
    """One picture in a tar, with the members of a path that readers of pictures need."""

    tar: Path
    name: str
    offset: int
    size: int  # bytes
    check: int | None = None  # CRC-32; None in a tar made before there were any

    @property
    def suffix(self) -> str:
        return Path(self.name).suffix

    def read_bytes(self) -> bytes:
        file = _opened(self.tar)  # held until it is read: another thread may have it forgotten, and so closed
        content = os.pread(file.fileno(), self.size, self.offset)
        if self.check is not None:
            refuse_damaged(self, content, self.check, self.tar)
        return content

    def stat(self) -> Stat:
        return Stat(self.size, self.tar.stat().st_mtime_ns)

    def __str__(self) -> str:
        return f"{self.tar}/{self.name}"


@dataclass(frozen=True)
class Stat:
    """Size in bytes and date in nanoseconds, as `os.stat` names them."""

    st_size: int
    st_mtime_ns: int


@dataclass(frozen=True)
class TarFrames(Sequence[TarPicture]):
    """The pictures of a take in a tar, in order."""

    tar: Path
    id: str
    frame_rate: float
    offsets: tuple[int, ...]
    sizes: tuple[int, ...]
    checks: tuple[int, ...] | None = None

    def __len__(self) -> int:
        return len(self.sizes)

    @overload
    def __getitem__(self, place: int) -> TarPicture: ...
    @overload
    def __getitem__(self, place: slice) -> list[TarPicture]: ...
    def __getitem__(self, place: int | slice) -> TarPicture | list[TarPicture]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        number = range(len(self))[place]
        name = picture_name(self.id, number)
        check = self.checks[number] if self.checks else None
        return TarPicture(self.tar, name, self.offsets[number], self.sizes[number], check)


def picture_name(id: str, number: int) -> str:
    """The n-th picture (from 0) of a take, as Charades names them.

    >>> picture_name("AB1CD", 0)
    'AB1CD/AB1CD-000001.jpg'
    """
    return f"{id}/{id}-{number + 1:06d}.jpg"


def in_tar(path: Path) -> bool:
    """Whether a path is that of a take in a tar.

    >>> in_tar(Path("frames/AB1CD")), in_tar(Path("no-such.tar/AB1CD"))
    (False, False)
    """
    return path.parent.suffix == ".tar" and path.parent.is_file()


def tar_frames(path: Path) -> TarFrames:
    """The pictures of a take whose path is `SHARD.tar/ID`.

    >>> tar_frames(Path("no-such.tar/AB1CD"))
    Traceback (most recent call last):
    actor_observer.errors.TakeError: no-such.tar: no such file
    """
    held = contents(path.parent)
    if path.name not in held:
        raise TakeError(path.parent, f"there is no take {path.name} in it")
    return held[path.name]


def contents(tar: Path) -> dict[str, TarFrames]:
    """The takes of a tar by id, as the file beside it says; remembered while both stay unchanged."""
    beside = tar.with_suffix(".json")
    try:
        state, note = tar.stat(), beside.stat()
        return _contents(tar, state.st_size, state.st_mtime_ns, note.st_mtime_ns)
    except FileNotFoundError as error:
        raise TakeError(error.filename or tar, "no such file") from None
    except OSError as error:
        raise TakeError(tar, f"cannot be read ({error.strerror})") from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise TakeError(beside, f"does not say what is in the tar beside it ({error})") from None


@lru_cache(maxsize=4096)
def _contents(tar: Path, size: int, changed: int, noted: int) -> dict[str, TarFrames]:
    told = read_json(tar.with_suffix(".json").read_bytes())
    if told["format"] != FORMAT:
        raise ValueError(f"not the format {FORMAT!r}")
    return {id: _frames(tar, size, id, take) for id, take in told["takes"].items()}


def _frames(tar: Path, size: int, id: str, told: Any) -> TarFrames:
    offsets, sizes, rate = tuple(told["offsets"]), tuple(told["sizes"]), float(told["frame_rate"])
    checks = tuple(told["checks"]) if "checks" in told else None
    whole = all(type(number) is int and number >= 0 for number in (*offsets, *sizes, *(checks or ())))
    if not whole or not sizes or len(offsets) != len(sizes) or not 0 < rate < 1e6:
        raise ValueError(f"impossible numbers for {id}")
    if checks is not None and len(checks) != len(sizes):
        raise ValueError(f"too few checksums for {id}")
    if max(start + length for start, length in zip(offsets, sizes, strict=True)) > size:
        raise ValueError(f"{id} reaches past its end: it is cut short")
    return TarFrames(tar, id, rate, offsets, sizes, checks)


@lru_cache(maxsize=OPEN)
def _opened(tar: Path) -> FileIO:
    return tar.open("rb", buffering=0)  # closed when it is forgotten; reading at a place needs no lock

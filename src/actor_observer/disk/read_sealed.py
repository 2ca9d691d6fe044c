"""A sealed .safetensors file, read once: every piece is added up while it is still in the core's cache.

So a file with a seal is read sooner than the library reads the same file without one: it copies each array by itself.
Files without a seal are the library's; nobody but us knows that their headers are what they were.
"""

from __future__ import annotations

import json
import math
import operator
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
from numpy.typing import NDArray

from actor_observer.disk.sealed_arrays import META, PLACE, Damaged, as_written, has_seal
from actor_observer.disk.sums import PIECE, Adding

__all__ = ["Sealed", "read_arrays", "read_sealed"]

Bytes = NDArray[np.uint8]
_TYPES = {
    **{f"F{bits}": np.dtype(f"<f{bits // 8}") for bits in (16, 32, 64)},
    **{f"I{bits}": np.dtype(f"<i{bits // 8}") for bits in (8, 16, 32, 64)},
    **{f"U{bits}": np.dtype(f"<u{bits // 8}") for bits in (8, 16, 32, 64)},
    "BOOL": np.dtype(bool),
}
_SIZES = {"BF16": 2} | {name: kind.itemsize for name, kind in _TYPES.items()}  # bytes of a number


@dataclass(frozen=True)
class Sealed:
    """What a sealed file holds."""

    told: dict[str, str]  # its metadata
    entries: dict[str, tuple[str, tuple[int, ...], Bytes]]  # name: type of a number, shape, its bytes

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Its arrays, which share one piece of memory."""
        unknown = {kind for kind, _, _ in self.entries.values()} - _TYPES.keys()
        if unknown:
            raise ValueError(f"numpy has no numbers of type {min(unknown)}")
        return {name: part.view(_TYPES[kind]).reshape(shape) for name, (kind, shape, part) in self.entries.items()}


def read_sealed(path: Path) -> Sealed | None:
    """What a sealed file holds; None if it has no seal. `Damaged` is raised where it is not as it was written.

    >>> import tempfile, safetensors.numpy
    >>> from actor_observer.disk.sealed_arrays import sealed
    >>> path = Path(tempfile.mkdtemp()) / "a.safetensors"
    >>> path.write_bytes(sealed(safetensors.numpy.save({"a": np.arange(3)}, {"by": "me"}))) > 0
    True
    >>> read_sealed(path).arrays(), read_sealed(path).told["by"]
    ({'a': array([0, 1, 2])}, 'me')
    """
    with path.open("rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        start = file.read(PLACE.stop)
        if not has_seal(start):
            return None
        end = 8 + int.from_bytes(start[:8], "little")
        if not PLACE.stop <= end <= size:
            raise Damaged
        header, numbers = np.empty(end, dtype=np.uint8), np.empty(size - end, dtype=np.uint8)
        header[: PLACE.stop] = np.frombuffer(start, dtype=np.uint8)
        _fill(file, header[PLACE.stop :])
        adding = Adding(len(numbers))
        for first in range(0, len(numbers), PIECE):
            _fill(file, piece := numbers[first : first + PIECE])
            adding.add(piece)
    if header[PLACE].tobytes() != as_written(header, adding.digits()):
        raise Damaged
    return _entries(header[8:].tobytes(), numbers)


def read_arrays(path: Path) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """The arrays and the metadata of a .safetensors file, with a seal or without."""
    found = read_sealed(path)
    if found is not None:
        return found.arrays(), found.told
    with safetensors.safe_open(path, framework="numpy") as file:
        return {name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {}  # noqa: SIM118 (not a dict)


def _fill(file: Any, place: Bytes) -> None:
    """Read until a place is full; a read may bring less than was asked for."""
    while len(place):
        found = file.readinto(place)
        if not found:
            raise Damaged  # it was cut off while we read
        place = place[found:]


def _entries(header: bytes, numbers: Bytes) -> Sealed:
    """A seal is no signature: what its header says is still checked."""
    try:
        said = json.loads(header)
        told = said.pop(META)
        found = {}
        for name, entry in said.items():
            first, last = entry["data_offsets"]
            kind, shape = entry["dtype"], tuple(operator.index(size) for size in entry["shape"])
            fits = kind not in _SIZES or math.prod(shape) * _SIZES[kind] == last - first
            if not (0 <= first <= last <= len(numbers) and all(size >= 0 for size in shape) and fits):
                raise Damaged
            found[name] = kind, shape, numbers[first:last]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise Damaged from error
    return Sealed(told, found)

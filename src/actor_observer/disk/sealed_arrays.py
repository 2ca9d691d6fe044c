"""Arrays in a .safetensors file with a seal: the sums of its header and of its numbers, looked at when it is read.

The seal is the first entry of the file's metadata, so any program can still read the file. Files without one, by other
people or by earlier versions, are read as they are, unless a reader needs a seal: caches do.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray

from actor_observer.disk.sums import DIGITS, bytes_of, sum_of

__all__ = ["META", "PLACE", "START", "Damaged", "as_written", "has_seal", "is_whole", "seal_file", "sealed", "unpacked"]

META = "__metadata__"
START = f'{{"{META}":{{"sealed":"v1 {"0" * 2 * DIGITS}"'  # of the header of a file that is to be sealed
PLACE = slice(8 + len(START) - 1 - 2 * DIGITS, 8 + len(START) - 1)  # where the digits are
# Damage to the seal itself must not make it a file without one: either of the two words is enough to know it.
_SEAL = re.compile(rb'.{8}\{"__metadata__":\{"(.{6})":"(.{3})', re.DOTALL)


class Damaged(ValueError):
    """A file is not as it was written."""


def sealed(content: bytes) -> bytes:
    """A .safetensors file's content with a seal, and with its metadata in order.

    >>> content = sealed(safetensors.numpy.save({"a": np.ones(2)}, {"notes": "mine", "by": "me"}))
    >>> unpacked(content)[1]["notes"], content == sealed(content)
    ('mine', True)
    """
    size = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:size])
    told = {name: text for name, text in sorted(header.pop(META, {}).items()) if name != "sealed"}
    text = START + "".join(f",{_json(name)}:{_json(value)}" for name, value in told.items()) + "}"
    text += "".join(f",{_json(name)}:{_json(entry)}" for name, entry in header.items()) + "}"
    plain = text.encode()
    plain += b" " * (-len(plain) % 8)
    head, numbers = len(plain).to_bytes(8, "little") + plain, memoryview(content)[size:]
    digits = as_written(np.frombuffer(head, dtype=np.uint8), sum_of(numbers))
    return b"".join((head[: PLACE.start], digits, head[PLACE.stop :], numbers))


def seal_file(path: Path) -> None:
    """Seal a file on disk whose header begins with `START`."""
    mapped = np.memmap(path, dtype=np.uint8, mode="r+")
    mapped[PLACE] = np.frombuffer(_seal_of(mapped), dtype=np.uint8)
    mapped.flush()


def is_whole(path: Path, needed: bool = False) -> bool:
    """Whether a .safetensors file is as it was written. One without a seal is taken for whole, unless it is `needed`.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.safetensors"
    >>> path.write_bytes(sealed(safetensors.numpy.save({"a": np.zeros(9)}))) > 0
    True
    >>> is_whole(path)
    True
    >>> path.write_bytes(path.read_bytes()[:-1] + b"x") > 0
    True
    >>> is_whole(path)
    False
    """
    file = bytes_of(path)
    try:
        if not has_seal(file[: PLACE.stop].tobytes()):
            return not needed
    except Damaged:
        return False
    return file[PLACE].tobytes() == _seal_of(file)


def has_seal(start: bytes) -> bool:
    """Whether a file that starts like this has a seal; `Damaged` is raised where the seal itself is not whole.

    >>> has_seal(sealed(safetensors.numpy.save({"a": np.zeros(9)}))), has_seal(b"something else")
    (True, False)
    """
    found = _SEAL.match(start)
    if found is None or (found[1] != b"sealed" and found[2] != b"v1 "):
        return False
    if found.groups() != (b"sealed", b"v1 "):
        raise Damaged
    return True


def unpacked(content: bytes) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """The arrays and the metadata of a .safetensors file's content."""
    arrays = safetensors.numpy.load(content)
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    return arrays, dict(header.get(META, {}))


def as_written(header: NDArray[np.uint8], of_numbers: str) -> bytes:
    """The digits of a file's seal, from its header, whatever this has in their place, and the sum of its numbers."""
    plain = header.copy()
    plain[PLACE] = ord("0")
    return (sum_of(plain) + of_numbers).encode()


def _seal_of(file: NDArray[np.uint8]) -> bytes:
    end = 8 + int.from_bytes(file[:8].tobytes(), "little")
    return as_written(file[:end], sum_of(file[end:]))


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))

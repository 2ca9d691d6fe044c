"""Join many files of embeddings into one, with one take in memory at a time."""

from __future__ import annotations

import json
import os
import struct
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
import safetensors

from actor_observer.errors import UserError

__all__ = ["join_embeddings"]

_VIEWS = "views"  # as in files.py
_META = "__metadata__"
PIECE = 1 << 24  # bytes copied at once

_Part = tuple[Path, str | None]  # a file, and one of its takes; None: all of them


def join_embeddings(parts: Sequence[Path | tuple[Path, str]], path: str | Path) -> None:
    """Put the takes of several of our .safetensors files into one .safetensors or .npz, whole or not at all.

    A part is a file with all its takes, or (file, take id) for one of them.

    >>> from actor_observer.features import Embeddings, TakeEmbedding, load_embeddings, save_embeddings
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name in ("a", "b"):
    ...     take = TakeEmbedding("third", np.arange(3.0), np.ones((3, 2), dtype=np.float32))
    ...     save_embeddings(Embeddings({name: take}), folder / f"{name}.safetensors")
    >>> join_embeddings([folder / "a.safetensors", folder / "b.safetensors"], folder / "both.npz")
    >>> sorted(load_embeddings(folder / "both.npz"))
    ['a', 'b']
    """
    path = Path(path)
    ways: dict[str, Callable[[Sequence[_Part], IO[bytes]], None]] = {".safetensors": _chain, ".npz": _pack}
    if path.suffix not in ways:
        raise UserError(f"{path}: embeddings are written as .safetensors or .npz")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            dir=path.parent, prefix=f".{path.name}.", suffix=".part", delete=False
        ) as file:
            beside = Path(file.name)
            try:
                ways[path.suffix]([part if isinstance(part, tuple) else (part, None) for part in parts], file)
                file.flush()
                os.fsync(file.fileno())
                mask = os.umask(0)
                os.umask(mask)
                beside.chmod(0o666 & ~mask)
                beside.replace(path)
            except BaseException:
                beside.unlink(missing_ok=True)
                raise
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror or error})") from error


def _chain(parts: Sequence[_Part], file: IO[bytes]) -> None:
    """The numbers of all parts one after the other, behind one header."""
    merged: dict[str, Any] = {}
    views: dict[str, str] = {}
    position = 0
    stretches: list[tuple[Path, int, int]] = []  # where the numbers of each part are: file, start, bytes
    headers: dict[Path, _Header] = {}
    for path, id in parts:
        header = headers.get(path) or _Header(path)
        if id is not None:
            headers[path] = header  # asked again for the next take
        own = header.arrays(id)
        views |= header.views if id is None else {id: header.views[id]}
        begin = min((entry["data_offsets"][0] for entry in own.values()), default=0)
        end = max((entry["data_offsets"][1] for entry in own.values()), default=0)
        for name, entry in own.items():
            merged[name] = {**entry, "data_offsets": [position + offset - begin for offset in entry["data_offsets"]]}
        stretches.append((path, header.start + begin, end - begin))
        position += end - begin
    text = json.dumps({_META: {_VIEWS: json.dumps(views)}, **merged}, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    file.write(struct.pack("<Q", len(text)) + text)
    for path, start, length in stretches:
        with path.open("rb") as source:
            source.seek(start)
            while length:
                piece = source.read(min(length, PIECE))
                if not piece:
                    raise UserError(f"{path}: cut short")
                file.write(piece)
                length -= len(piece)


class _Header:
    """What a file of ours says it holds: its arrays, the views of its takes, and where its numbers begin."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as source:
            (length,) = struct.unpack("<Q", source.read(8))
            header = json.loads(source.read(length))
        self.start = 8 + length
        self.views: dict[str, str] = json.loads(header.pop(_META)[_VIEWS])
        self._takes: dict[str, dict[str, Any]] = {}
        for name, entry in header.items():
            self._takes.setdefault(name.partition("/")[0], {})[name] = entry

    def arrays(self, id: str | None) -> dict[str, Any]:
        """Name to place of the arrays of one take, or of all."""
        if id is not None:
            return self._takes[id]
        return {name: entry for take in self._takes.values() for name, entry in take.items()}


def _pack(parts: Sequence[_Part], file: IO[bytes]) -> None:
    """A zip archive of arrays, as `numpy.savez` writes it."""
    views: dict[str, str] = {}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:

        def add(name: str, array: Any) -> None:
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.asarray(array), allow_pickle=False)

        for path, id in parts:
            with safetensors.safe_open(path, framework="numpy") as source:
                for name in source.keys():  # noqa: SIM118 (not a dict)
                    if id is None or name.startswith(f"{id}/"):
                        add(name, source.get_tensor(name))
                theirs = json.loads(source.metadata()[_VIEWS])
                views |= theirs if id is None else {id: theirs[id]}
        add(_VIEWS, json.dumps(views))

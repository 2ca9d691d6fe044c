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

from actor_observer.disk.sealed_arrays import START, is_whole, seal_file
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
                if path.suffix == ".safetensors":
                    seal_file(beside)
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
    """The numbers of all parts one after the other, behind one header.

    The header is put together as text, part by part: as one large dictionary it would take ten times the memory.
    """
    entries = bytearray()  # ,"a/times":{…},"a/features":{…}
    views: dict[str, str] = {}
    stretches: list[tuple[int, int]] = []  # where the numbers of each part are in its file: start, bytes
    position = 0
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
            moved = {**entry, "data_offsets": [position + offset - begin for offset in entry["data_offsets"]]}
            entries += f",{_json(name)}:{_json(moved)}".encode()
        stretches.append((header.start + begin, end - begin))
        position += end - begin
    start = f'{START},"{_VIEWS}":{_json(json.dumps(views))}}}'.encode()
    length = len(start) + len(entries) + 1
    file.write(struct.pack("<Q", length + -length % 8) + start)
    file.write(entries)
    file.write(b"}" + b" " * (-length % 8))
    for (path, _), (start_at, left) in zip(parts, stretches, strict=True):
        with path.open("rb") as source:
            source.seek(start_at)
            while left:
                piece = source.read(min(left, PIECE))
                if not piece:
                    raise UserError(f"{path}: cut short")
                file.write(piece)
                left -= len(piece)


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def refuse_damaged(path: Path) -> None:
    """Refuse a part that is not as it was written."""
    if not is_whole(path, needed=True):
        raise UserError(f"{path}: damaged, or of an earlier version; run this part's command again")


class _Header:
    """What a file of ours says it holds: its arrays, the views of its takes, and where its numbers begin."""

    def __init__(self, path: Path) -> None:
        refuse_damaged(path)
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

        checked: set[Path] = set()
        for path, id in parts:
            if path not in checked:
                refuse_damaged(path)
                checked.add(path)
            with safetensors.safe_open(path, framework="numpy") as source:
                for name in source.keys():  # noqa: SIM118 (not a dict)
                    if id is None or name.startswith(f"{id}/"):
                        add(name, source.get_tensor(name))
                theirs = json.loads(source.metadata()[_VIEWS])
                views |= theirs if id is None else {id: theirs[id]}
        add(_VIEWS, json.dumps(views))

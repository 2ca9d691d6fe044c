"""Join many files of embeddings into one, with one take in memory at a time."""

from __future__ import annotations

import json
import os
import shutil
import struct
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
import safetensors.numpy

from actor_observer.errors import UserError

__all__ = ["join_embeddings"]

_VIEWS = "views"  # as in files.py
_META = "__metadata__"


def join_embeddings(parts: Sequence[Path], path: str | Path) -> None:
    """Put the takes of several of our .safetensors files into one .safetensors or .npz, whole or not at all.

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
    ways: dict[str, Callable[[Sequence[Path], IO[bytes]], None]] = {".safetensors": _chain, ".npz": _pack}
    if path.suffix not in ways:
        raise UserError(f"{path}: embeddings are written as .safetensors or .npz")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            dir=path.parent, prefix=f".{path.name}.", suffix=".part", delete=False
        ) as file:
            beside = Path(file.name)
            try:
                ways[path.suffix](parts, file)
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


def _chain(parts: Sequence[Path], file: IO[bytes]) -> None:
    """The numbers of all parts one after the other, behind one header."""
    merged: dict[str, Any] = {}
    views: dict[str, str] = {}
    position = 0
    starts = []
    for part in parts:
        with part.open("rb") as source:
            (length,) = struct.unpack("<Q", source.read(8))
            header = json.loads(source.read(length))
        views |= json.loads(header.pop(_META)[_VIEWS])
        for name, entry in header.items():
            merged[name] = {**entry, "data_offsets": [position + offset for offset in entry["data_offsets"]]}
        starts.append(8 + length)
        position += part.stat().st_size - starts[-1]
    text = json.dumps({_META: {_VIEWS: json.dumps(views)}, **merged}, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    file.write(struct.pack("<Q", len(text)) + text)
    for part, start in zip(parts, starts, strict=True):
        with part.open("rb") as source:
            source.seek(start)
            shutil.copyfileobj(source, file)


def _pack(parts: Sequence[Path], file: IO[bytes]) -> None:
    """A zip archive of arrays, as `numpy.savez` writes it."""
    views: dict[str, str] = {}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:

        def add(name: str, array: Any) -> None:
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.asarray(array), allow_pickle=False)

        for part in parts:
            for name, array in safetensors.numpy.load_file(part).items():
                add(name, array)
            with safetensors.safe_open(part, framework="numpy") as source:
                views |= json.loads(source.metadata()[_VIEWS])
        add(_VIEWS, json.dumps(views))

"""Embeddings as one file, ours or anybody's: safetensors or npz, never a pickle."""

from __future__ import annotations

import io
import json
import math
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
import safetensors.numpy
from numpy.typing import NDArray

from actor_observer.disk import write_whole
from actor_observer.disk.read_sealed import read_arrays
from actor_observer.disk.sealed_arrays import Damaged, sealed
from actor_observer.errors import UserError
from actor_observer.features.embeddings import Embeddings, TakeEmbedding
from actor_observer.pairs.manifest import VIEWS, Manifest, View

__all__ = ["UNREADABLE", "load_embeddings", "read_npz", "save_embeddings"]

OPTIONAL = ("weight", "scores", "weight_negative", "chance")
PARTS = ("times", "features", *OPTIONAL)
MOST_UNPACKED = 256 << 20  # bytes: an .npz that unpacks to no more is always read
MOST_TIMES = 20  # a larger one may unpack to at most this many times its own size
_VIEWS = "views"  # the entry that says which take is of which view: metadata in safetensors, an array in npz

_DAMAGED_ZIP = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError)  # the last: encrypted
UNREADABLE = (OSError, ValueError, EOFError, RecursionError, safetensors.SafetensorError, *_DAMAGED_ZIP)

Arrays = dict[str, NDArray[Any]]


def save_embeddings(embeddings: Embeddings, path: str | Path) -> None:
    """Write embeddings: `ID/times` (T,), `ID/features` (T, D), and where there are any `ID/weight`, `ID/scores`.

    >>> import tempfile
    >>> one = TakeEmbedding("third", np.arange(3.0), np.ones((3, 2)))
    >>> place = Path(tempfile.mkdtemp()) / "mine.npz"
    >>> save_embeddings(Embeddings({"a": one}), place)
    >>> load_embeddings(place)["a"].features.shape
    (3, 2)
    """
    path = Path(path)
    arrays: Arrays = {}
    for id, take in embeddings.items():
        for part in PARTS:
            value = getattr(take, part)
            if value is not None:
                arrays[f"{id}/{part}"] = np.ascontiguousarray(value)
    views = json.dumps({id: take.view for id, take in embeddings.items()})
    if path.suffix == ".safetensors":
        content = sealed(safetensors.numpy.save(arrays, {_VIEWS: views}))
    elif path.suffix == ".npz":
        packed = io.BytesIO()
        np.savez(packed, **{_VIEWS: np.array(views), **arrays})  # type: ignore[arg-type]
        content = packed.getvalue()
    else:
        raise UserError(f"{path}: embeddings are written as .safetensors or .npz")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror or error})") from error


def load_embeddings(path: str | Path, manifest: Manifest | None = None) -> Embeddings:
    """Read embeddings. The view of each take comes from the manifest, if given and it has the take, or from the file.

    >>> load_embeddings("no-such.npz")
    Traceback (most recent call last):
    actor_observer.errors.UserError: no-such.npz: no such file
    """
    path = Path(path)
    if not path.is_file():
        raise UserError(f"{path}: no such file")
    arrays, views = _read(path)
    ids = sorted({name.rpartition("/")[0] for name in arrays if name.endswith("/features")})
    if not ids:
        raise UserError(f"{path}: no ID/features in it (see docs/embeddings.md)")
    return Embeddings({id: _take(path, id, arrays, _view(path, id, views, manifest)) for id in ids})


def _read(path: Path) -> tuple[Arrays, Mapping[str, str]]:
    try:
        if path.suffix == ".safetensors":
            arrays, told = read_arrays(path)
            text = told.get(_VIEWS, "{}")
        else:
            arrays = read_npz(path)
            text = str(arrays.pop(_VIEWS, "{}"))
        views = json.loads(text)
    except Damaged:
        raise UserError(f"{path}: damaged, not as it was written; make it again (actor-observer embed)") from None
    except UNREADABLE as error:
        reason = " ".join(str(error).split())[:120]
        raise UserError(f"{path}: not a readable .safetensors or .npz file of plain arrays ({reason})") from error
    return arrays, views if isinstance(views, dict) else {}


def read_npz(path: Path) -> Arrays:
    """The arrays of an .npz. Its unpacked size is checked before anything is unpacked."""
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
        unpacked = sum(entry.file_size for entry in entries)
        if unpacked > max(MOST_UNPACKED, MOST_TIMES * path.stat().st_size):
            raise ValueError(f"it would unpack to {unpacked >> 20} MiB")
        return {entry.filename.removesuffix(".npy"): _read_array(archive, entry) for entry in entries}


def _read_array(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> NDArray[Any]:
    with archive.open(entry) as file:
        version = np.lib.format.read_magic(file)
        read_header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = read_header(file)
        if math.prod(shape) * dtype.itemsize > entry.file_size:
            raise ValueError(f"{entry.filename} says it is larger than it is")
    with archive.open(entry) as file:
        array: NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
        return array


def _view(path: Path, id: str, views: Mapping[str, str], manifest: Manifest | None) -> View:
    if manifest is not None and id in manifest.takes:
        return manifest.takes[id].view
    for view in VIEWS:
        if views.get(id) == view:
            return view
    raise UserError(f"{path}: the view of take {id} is not given; name the data set it belongs to")


def _take(path: Path, id: str, arrays: Arrays, view: View) -> TakeEmbedding:
    if f"{id}/times" not in arrays:
        raise UserError(f"{path}: {id}/features without {id}/times")
    times, features = (np.asarray(arrays[f"{id}/{part}"]) for part in ("times", "features"))
    optional = {part: arrays.get(f"{id}/{part}") for part in OPTIONAL}
    for part, value in {"times": times, "features": features, **optional}.items():
        if value is None:
            continue
        if not np.issubdtype(value.dtype, np.number) or len(value) != len(times) or not np.isfinite(value).all():
            raise UserError(f"{path}: {id}/{part} must be {len(times)} rows of finite numbers, one for each time")
    if times.ndim != 1 or (np.diff(times) <= 0).any():
        raise UserError(f"{path}: {id}/times must increase")
    if not np.issubdtype(features.dtype, np.floating):
        features = features.astype(np.float32)
    return TakeEmbedding(view, times.astype(np.float64), features, **optional)

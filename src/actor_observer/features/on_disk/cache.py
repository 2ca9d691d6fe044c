"""φ on disk: one file per take, named by what made it and by the contents of the recording."""

from __future__ import annotations

import functools
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np
import torch
from torch import nn

from actor_observer.errors import TakeError, UserError
from actor_observer.features.embeddings import Embeddings, TakeEmbedding
from actor_observer.features.extract import extract
from actor_observer.features.look import Look
from actor_observer.features.on_disk.kept import read_kept, write_kept
from actor_observer.features.running import precision_of
from actor_observer.model.backbones.backbone import Backbone
from actor_observer.pairs.frame_files import frame_files, holds_frames
from actor_observer.pairs.manifest import Fault, Take
from actor_observer.pairs.window import file_of, is_window, window_of

__all__ = ["FeatureCache", "content_hash", "default_cache", "weights_hash"]

FORMAT = 1  # raise it when the same key would give other numbers
WHOLE = 64 << 20  # bytes: files up to this size are hashed whole
PIECE = 4 << 20  # bytes hashed at the start, the middle and the end of larger ones


class FeatureCache:
    """φ of takes, computed once for each backbone, look and recording.

    The file's name depends on the backbone's name and weights, on the look, and on the recording's contents (not on
    where it is). Two processes may fill one folder: files are written whole or not at all. A damaged one is made again.

    >>> from actor_observer.model import create_backbone
    >>> import tempfile
    >>> backbone = create_backbone("resnet18", pretrained=False)
    >>> lost = Take("a", "third", Path("no-such.mp4"), 3.0)
    >>> phi, faults = FeatureCache(tempfile.mkdtemp()).features("resnet18", backbone, [lost], Look())
    >>> len(phi), str(faults["a"])
    (0, 'no-such.mp4: no such file (left out)')
    """

    def __init__(self, folder: str | Path | None = None) -> None:
        self.folder = Path(folder) if folder else default_cache()

    def features(
        self,
        name: str,
        backbone: Backbone,
        takes: Iterable[Take],
        look: Look,
        device: str | torch.device = "cpu",
        each: Callable[[], object] = lambda: None,  # called once for every take
        processes: int = 1,  # that do the same on this machine, for other takes
    ) -> tuple[Embeddings, dict[str, Fault]]:
        """φ of all takes that can be read, and the faults of the others (take id -> fault)."""
        takes, made_by = list(takes), _made_by(name, backbone, look, device)
        found: dict[str, TakeEmbedding | Fault] = {}
        places: dict[str, Path] = {}

        def missing() -> Iterator[Take]:
            """The takes that are not in the cache: looked up, which means reading files, while others are embedded."""
            for take in takes:
                try:
                    places[take.id] = self.folder / _file_name(take, made_by)
                except (TakeError, OSError) as error:
                    found[take.id] = _fault(take, error)
                    each()
                    continue
                kept = _read(places[take.id], take)
                if kept is None:
                    yield take
                else:
                    found[take.id] = kept
                    each()

        for take, made in extract(backbone, missing(), look, device, each, processes):
            found[take.id] = made
            if isinstance(made, TakeEmbedding):
                _write(places[take.id], made)
        kept_takes = {take.id: item for take in takes if isinstance(item := found[take.id], TakeEmbedding)}
        faults = {take.id: item for take in takes if isinstance(item := found[take.id], Fault)}
        return Embeddings(kept_takes), faults

    def keep(
        self,
        name: str,
        backbone: Backbone,
        takes: Iterable[Take],
        look: Look,
        device: str | torch.device,
        phi: Mapping[str, TakeEmbedding],
    ) -> None:
        """Keep φ that was made elsewhere (several backbones at once, say) as if `features` had made it."""
        made_by = _made_by(name, backbone, look, device)
        for take in takes:
            _write(self.folder / _file_name(take, made_by), phi[take.id])


def default_cache() -> Path:
    """The folder that φ is kept in unless another is given: $ACTOR_OBSERVER_CACHE, else the user's cache folder.

    >>> default_cache().name
    'features'
    """
    named = os.environ.get("ACTOR_OBSERVER_CACHE")
    base = Path(named) if named else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "actor-observer"
    return base / "features"


def weights_hash(backbone: nn.Module) -> str:
    """A fingerprint of the weights of a backbone, or of any other part of a network.

    >>> from actor_observer.model import create_backbone
    >>> backbone = create_backbone("resnet18", pretrained=False)
    >>> weights_hash(backbone) == weights_hash(backbone), len(weights_hash(backbone))
    (True, 32)
    """
    digest = hashlib.blake2b(digest_size=16)
    if isinstance(backbone, Backbone) and backbone.architecture():  # not visible in another library's weights
        digest.update(json.dumps(backbone.architecture(), sort_keys=True, default=str).encode())
    if isinstance(backbone, Backbone) and backbone.clip.moving:
        digest.update(repr(backbone.clip).encode())
    for name, tensor in sorted(backbone.state_dict().items()):
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\0".encode())
        digest.update(tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()


def size_and_date(path: Path) -> tuple[int, int]:
    """Size of a recording in bytes, and when it was last changed; of a folder, those of its frames.

    >>> size_and_date(Path(__file__))[0] == len(Path(__file__).read_bytes())
    True
    """
    states = [file.stat() for file in (frame_files(path) if holds_frames(path) else [file_of(path)])]
    return sum(state.st_size for state in states), max(state.st_mtime_ns for state in states)


def content_hash(path: Path) -> str:
    """A fingerprint of a recording's contents, wherever it is.

    A file up to 64 MiB counts whole; a larger one by its size and 12 MiB of it. A folder's frames count whole up to
    64 MiB together, and by name, size and date beyond. A stretch of a file counts by the file and its two times.

    >>> content_hash(Path(__file__)) == content_hash(Path(__file__))
    True
    """
    digest = hashlib.blake2b(digest_size=16)
    if holds_frames(path):
        files = frame_files(path)
        states = [file.stat() for file in files]
        whole = sum(state.st_size for state in states) <= WHOLE
        for file, state in zip(files, states, strict=True):
            digest.update(f"{file.name} {state.st_size}\0".encode())
            digest.update(file.read_bytes() if whole else str(state.st_mtime_ns).encode())
        return digest.hexdigest()
    state = file_of(path).stat()
    whole_file = _hash_of_file(file_of(path), state.st_size, state.st_mtime_ns)
    if not is_window(path):
        return whole_file
    digest.update(f"{whole_file} {window_of(path)}".encode())
    return digest.hexdigest()


@functools.lru_cache(maxsize=256)  # a file of many takes is read once
def _hash_of_file(file: Path, size: int, changed: int) -> str:
    digest = hashlib.blake2b(digest_size=16)
    digest.update(str(size).encode())
    with file.open("rb") as content:
        if size <= WHOLE:
            digest.update(content.read())
        else:
            for start in (0, (size - PIECE) // 2, size - PIECE):
                content.seek(start)
                digest.update(content.read(PIECE))
    return digest.hexdigest()


def _made_by(name: str, backbone: Backbone, look: Look, device: str | torch.device) -> dict[str, object]:
    return {
        "format": FORMAT,
        "backbone": name,
        "weights": weights_hash(backbone),
        "rate": look.look_rate,  # renaming these would change every file's name
        "size": look.size,
        "crop": look.crop,
        "precision": precision_of(device),
    }


def _file_name(take: Take, made_by: dict[str, object]) -> str:
    key = {**made_by, "content": content_hash(take.path), "length": take.length, "frame_rate": take.frame_rate}
    text = json.dumps(key, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest() + ".safetensors"


def _read(path: Path, take: Take) -> TakeEmbedding | None:
    """The cached entry; None if there is none, or it is damaged."""
    arrays = read_kept(path)
    return None if arrays is None else TakeEmbedding(take.view, arrays["times"], arrays["features"])


def _write(path: Path, made: TakeEmbedding) -> None:
    try:
        write_kept(path, {"times": made.times, "features": np.asarray(made.features)})
    except OSError as error:
        reason = error.strerror or error
        raise UserError(
            f"{path.parent}: features cannot be kept there ({reason}); name a folder: --cache DIR"
        ) from error


def _fault(take: Take, error: TakeError | OSError) -> Fault:
    if isinstance(error, TakeError):
        return Fault(error.path, error.fault, left_out=True)
    what = "no such file" if isinstance(error, FileNotFoundError) else f"cannot be read ({error.strerror})"
    return Fault(str(take.path), what, left_out=True)

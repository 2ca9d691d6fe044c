"""Fingerprints: of a recording by its contents, wherever it is, and of a network by its weights."""

from __future__ import annotations

import functools
import hashlib
import json
from pathlib import Path

import torch
from torch import nn

from actor_observer.model.backbones.backbone import Backbone
from actor_observer.pairs.frame_files import frame_files, holds_frames
from actor_observer.pairs.window import file_of, is_window, window_of

__all__ = ["content_hash", "size_and_date", "weights_hash"]

WHOLE = 64 << 20  # bytes: files up to this size are hashed whole
PIECE = 4 << 20  # bytes hashed at the start, the middle and the end of larger ones


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

"""Motion on disk, beside φ: measured once for each recording, named by its contents."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import safetensors
import safetensors.numpy

from actor_observer.errors import TakeError
from actor_observer.features.on_disk.cache import content_hash, default_cache
from actor_observer.frames.motion import CELLS, GRID, WHOLE, Motion, motion_of_take
from actor_observer.model.pretrained import write_whole
from actor_observer.pairs.manifest import Take

__all__ = ["kept_motion"]

FORMAT = 2  # raise it when the same recording would give other numbers


def kept_motion(
    take: Take,
    folder: Path | None = None,
    part: Callable[[float], object] = lambda share: None,  # called now and then with how much of it is measured
) -> Motion:
    """The motion of a take, from the cache if it was measured before. A damaged file in it is made again.

    >>> kept_motion(Take("a", "third", Path("no-such.mp4"), 3.0))
    Traceback (most recent call last):
    actor_observer.errors.TakeError: no-such.mp4: no such file
    """
    try:
        key = [FORMAT, WHOLE, CELLS, content_hash(take.path), take.length, take.frame_rate]
    except FileNotFoundError:
        raise TakeError(take.path, "no such file") from None
    mark = hashlib.blake2b(json.dumps(key).encode(), digest_size=16).hexdigest()
    path = (folder or default_cache()) / f"motion-{mark}.safetensors"
    kept = _read(path, take.length)
    if kept is not None:
        return kept
    made = motion_of_take(take, part)
    arrays = {"times": made.times, "whole": made.whole, "cells": made.cells}
    with contextlib.suppress(OSError):  # a cache that cannot be written costs time, nothing else
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, safetensors.numpy.save({name: np.ascontiguousarray(one) for name, one in arrays.items()}))
    return made


def _read(path: Path, length: float) -> Motion | None:
    """None if there is none, or it is damaged."""
    try:
        arrays = safetensors.numpy.load_file(path)
        times, whole, cells = (arrays[name] for name in ("times", "whole", "cells"))
    except (OSError, KeyError, safetensors.SafetensorError):
        return None
    count = len(times)
    if not count or whole.shape != (count, len(WHOLE)) or cells.shape != (count, len(CELLS), GRID):
        return None
    return Motion(times, whole, cells, length) if np.isfinite(whole).all() else None

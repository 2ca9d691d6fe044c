"""Motion on disk, beside φ: measured once for each recording, named by its contents."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import numpy as np

from actor_observer.errors import TakeError
from actor_observer.features.on_disk.fingerprints import content_hash
from actor_observer.features.on_disk.kept import default_cache, read_kept, write_kept
from actor_observer.frames.glimpses import Glimpses
from actor_observer.frames.motion import Motion, motion_of_take
from actor_observer.frames.moving.flow import CELLS, WHOLE
from actor_observer.pairs.manifest import Take

__all__ = ["kept_motion"]

FORMAT = 5  # raise it when the same recording would give other numbers
FEW = 4  # recordings that are remembered where the disk does not
_not_kept: dict[Path, Motion] = {}
ARRAYS = [field.name for field in fields(Motion) if field.name != "length"]


def kept_motion(
    take: Take,
    folder: Path | None = None,
    part: Callable[[float], object] = lambda share: None,  # called now and then with how much of it is measured
    glimpses: Glimpses | None = None,  # kept on the way, if it is decoded
) -> Motion:
    """The motion of a take, from the cache if it was measured before. A damaged file in it is made again.

    >>> kept_motion(Take("a", "third", Path("no-such.mp4"), 3.0))
    Traceback (most recent call last):
    actor_observer.errors.TakeError: no-such.mp4: no such file
    """
    try:
        key = [FORMAT, WHOLE, CELLS, *ARRAYS, content_hash(take.path), take.length, take.frame_rate]
    except FileNotFoundError:
        raise TakeError(take.path, "no such file") from None
    mark = hashlib.blake2b(json.dumps(key).encode(), digest_size=16).hexdigest()
    path = (folder or default_cache()) / f"motion-{mark}.safetensors"
    kept = read_kept(path)
    if kept is not None:
        return Motion(**kept, length=take.length)
    if path in _not_kept:
        return _not_kept[path]
    made = motion_of_take(take, part, glimpses)
    try:
        write_kept(path, {name: np.asarray(getattr(made, name)) for name in ARRAYS})
    except OSError:  # a cache that cannot be written costs time, nothing else; and not twice for one command
        _not_kept[path] = made
        for oldest in [*_not_kept][:-FEW]:
            _not_kept.pop(oldest, None)
    return made

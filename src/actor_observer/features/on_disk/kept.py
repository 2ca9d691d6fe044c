"""Arrays kept for the next time, in files that anybody may lose: one that is damaged is made again."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray

from actor_observer.console import say
from actor_observer.disk import write_whole
from actor_observer.disk.read_sealed import read_sealed
from actor_observer.disk.sealed_arrays import sealed

__all__ = ["default_cache", "read_kept", "say_made_again", "write_kept"]

_said: set[Path] = set()  # folders


def default_cache() -> Path:
    """The folder of φ and motion unless another is given: $ACTOR_OBSERVER_CACHE, else the user's cache folder.

    >>> default_cache().name
    'features'
    """
    named = os.environ.get("ACTOR_OBSERVER_CACHE")
    base = Path(named) if named else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "actor-observer"
    return base / "features"


def read_kept(path: Path) -> dict[str, NDArray[Any]] | None:
    """The arrays of a file that `write_kept` wrote; None if there is none, or it is not as it was written.

    >>> read_kept(Path("no-such.safetensors")) is None
    True
    """
    try:
        found = read_sealed(path)
        if found is not None:
            return found.arrays()
    except (FileNotFoundError, PermissionError):  # somebody else's
        return None
    except (OSError, ValueError):
        pass
    say_made_again(path)
    return None


def write_kept(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays for the next time.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "kept" / "a.safetensors"
    >>> write_kept(path, {"times": np.arange(3.0)})
    >>> read_kept(path)["times"].tolist()
    [0.0, 1.0, 2.0]
    """
    plain = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, sealed(safetensors.numpy.save(plain)))


def say_made_again(path: Path) -> None:
    """Say, once for a folder, that a file in it is not as it was written, and is made again."""
    if path.parent not in _said:
        _said.add(path.parent)
        say(f"{path}: damaged, or of an earlier version; it is made again (and others like it)", error=True)

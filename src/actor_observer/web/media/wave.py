"""How loud a recording is over time, as a curve for the page; made once and kept."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from actor_observer.disk import write_whole
from actor_observer.disk.sealed_json import sealed_json
from actor_observer.frames.audio.sound import SOUND_RATE, read_sound

__all__ = ["peaks", "write_wave"]

PLACES = 1200  # of the curve, over the whole recording


def write_wave(path: Path, length: float, out: Path) -> None:
    """The loudest sample of each place along a recording, 0 to 255; nothing where it has no sound."""
    sound = None if path.is_dir() else read_sound(path)
    found = [] if sound is None or sound.silent else peaks(sound.samples, sound.start, length).tolist()
    out.parent.mkdir(parents=True, exist_ok=True)
    write_whole(out, sealed_json({"peaks": found}))


def peaks(samples: NDArray[np.int16], start: float, length: float, places: int = PLACES) -> NDArray[np.int64]:
    """Loudness at equal places from 0 to `length` seconds, the loudest at 255; the first sample is heard at `start`.

    >>> peaks(np.array([0, 100, -200, 0], np.int16), 0.0, 4 / SOUND_RATE, places=2)
    array([127, 255])
    """
    edges = np.linspace(0, length, places + 1)
    at = np.clip(np.round((edges - start) * SOUND_RATE), 0, len(samples)).astype(np.int64)
    loud = np.array([np.abs(samples[a:b].astype(np.int32)).max() if b > a else 0 for a, b in pairwise(at)])
    return (loud * 255 // max(1, int(loud.max()))).astype(np.int64)

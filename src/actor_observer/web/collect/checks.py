"""Look at a recording at once: is it long enough, light enough, whole, and of the view that it should be?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actor_observer.frames.at import frames_at
from actor_observer.frames.check import check_take
from actor_observer.pairs.manifest import Take, View
from actor_observer.pairs.probe import probe

__all__ = ["camera_motion", "check_recording", "finding", "view_by_motion"]

DARK = 28.0  # mean brightness, of 255, below which people cannot be made out
STILL = 0.4  # mean change of a pixel between frames, of 255, below which nothing happens
RATE = 6.0  # frames a second that are looked at
MOST = 120  # frames
SIZE = (48, 64)  # pixels: brightness and motion show at this size
MOVES = 0.45  # of the frames: a camera that is worn shifts its picture in more of them (see docs/studio.md)

Gray = NDArray[np.float32]


def finding(what: str, say: str, blocks: bool = False) -> dict[str, Any]:
    """One thing that was noticed: a name for programs, a sentence for people, and whether to record again.

    >>> finding("dark", "It is too dark.")["blocks"]
    False
    """
    return {"what": what, "say": say, "blocks": blocks}


def check_recording(path: Path, view: str) -> dict[str, Any]:
    """Everything that is wrong with a recording, in sentences that say what to do again."""
    found: list[dict[str, Any]] = []
    length = probe(path).length
    side: View = "third" if view == "third" else "first"
    for fault in check_take(Take(path.stem, side, path, length)):
        found.append(finding("fault", f"The file has a fault ({fault.what}): record it again.", fault.left_out))
    if any(one["blocks"] for one in found):
        return {"length": length, "findings": found}
    gray = _gray(path, length)
    if gray.mean() < DARK:
        found.append(finding("dark", "The picture is almost black: turn on a light and record it again.", True))
    elif len(gray) > 1 and float(np.abs(np.diff(gray, axis=0)).mean()) < STILL:
        found.append(finding("still", "Nothing moves in the picture: check the camera and record it again."))
    elif view_by_motion(camera_motion(gray)) != side:
        say = (
            "The camera moves a lot for one that stands in the room: did you mix up the two recordings?"
            if side == "third"
            else "The camera hardly moves for one that is worn: did you mix up the two recordings?"
        )
        found.append(finding("view", say))
    return {"length": length, "findings": found}


def view_by_motion(motion: float) -> View:
    """Which view a recording looks like: a worn camera moves, one in the room stands still.

    >>> view_by_motion(0.1), view_by_motion(0.8)
    ('third', 'first')
    """
    return "first" if motion > MOVES else "third"


def camera_motion(gray: Gray) -> float:
    """The share of frames in which the whole picture shifts against the frame before.

    Found by phase correlation; for a camera that stands still the peak is at no shift, whoever moves before it.

    >>> rng = np.random.default_rng(0)
    >>> wide = rng.random((48, 200)).astype(np.float32)
    >>> panning = np.stack([wide[:, 3 * n : 3 * n + 64] for n in range(8)])
    >>> round(camera_motion(panning), 3), camera_motion(panning[:1].repeat(4, axis=0))
    (1.0, 0.0)
    """
    if len(gray) < 2:
        return 0.0
    height, width = gray.shape[1:]
    window = np.outer(np.hanning(height), np.hanning(width))
    spectra = np.fft.rfft2((gray - gray.mean(axis=(1, 2), keepdims=True)) * window)  # (T, H, W/2+1)
    cross = spectra[1:] * np.conj(spectra[:-1])
    peaks = np.fft.irfft2(cross / (np.abs(cross) + 1e-6), s=(height, width)).reshape(len(cross), -1).argmax(axis=1)
    down, right = np.divmod(peaks, width)
    return float(np.mean((down > 0) | (right > 0)))


def _gray(path: Path, length: float) -> Gray:
    """So many frames from all over the recording, gray and small; neighbours stay 1/6 s apart."""
    count = max(2, min(MOST, int(length * RATE)))
    runs = max(1, min(8, count // 8))
    starts = np.linspace(0, max(0.0, length - count / runs / RATE), runs)
    times = (starts[:, None] + np.arange(count // runs)[None, :] / RATE).ravel()
    frames = frames_at(path, times, size=SIZE, threads=1)
    return frames.float().mean(dim=1).numpy().astype(np.float32)

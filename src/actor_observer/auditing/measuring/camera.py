"""What is wrong with one camera's pictures and time stamps, from what was kept while its motion was measured.

Thresholds were chosen on 31 takes of a real robot (62 videos, 25 000 frames, strongly compressed), none of which the
figures in docs/audit.md come from: each is about halfway, on a scale of ratios, between the least of what such takes
show and what planted faults do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actor_observer.errors import TakeError
from actor_observer.frames.frame_index import index_video
from actor_observer.frames.motion import Motion
from actor_observer.frames.moving.looks import Looks
from actor_observer.pairs.frame_files import holds_frames
from actor_observer.pairs.manifest import Take

__all__ = ["camera_facts", "frozen_spans", "leaps", "pace"]

Array = NDArray[np.float64]
Span = tuple[float, float]  # seconds
WINDOW = 0.5  # seconds: shorter freezes are told by nothing
FEWEST = 5  # frames of a window
STILL_CHANGE = 0.03  # of the camera's usual change: the least of still robots while others move 0.083, frozen 0.01
STILL_MOST = 2.6  # grey levels that a quarter of the window's frames exceed: the least 3.25, frozen 2
LEAP = 2.7  # of the usual change, with which a picture goes on that stood still: the most of robots 1.9, frozen 4
STOOD = 0.3  # seconds that it stands still before
OTHERS_MOVE = 0.5  # of their usual change: what the others do meanwhile, three quarters of the time
TWICE = 20.0  # times less than both neighbours' change that a frame changes which is shown twice
DARK, PLAIN = 10.0, 3.0  # grey levels: mean brightness of a black picture, contrast of an empty one
GAP = 1.5  # usual steps between two stamps: from here on a frame is missing
LEAST = 0.2  # seconds of black or blank pictures


def camera_facts(take: Take, moved: Motion) -> dict[str, Any]:
    """Everything about one camera that does not need the others, as plain values."""
    frames = moved.frames
    times = frames.times if holds_frames(take.path) else index_video(take.path).times
    step = float(np.median(np.diff(times))) if len(times) > 1 else 0.0
    values = [
        float(np.median(frames.of(name))) if len(frames.times) else 0.0 for name in ("light", "contrast", "edges")
    ]
    change = frames.of("change")[1:]
    return {
        "view": take.view,
        "file": str(take.path),
        "length": round(take.length, 4),
        "frames": len(times),
        "rate": round(1 / step, 4) if step else 0.0,
        "light": round(values[0], 2),
        "contrast": round(values[1], 2),
        "edges": round(values[2], 3),
        "change": round(float(np.median(change)), 4) if len(change) else 0.0,
        "camera": round(moved.camera, 5),
        "still": moved.still,
        "gaps": _gaps(times, step),
        "uneven": round(_uneven(times, step), 3),
        "black": _spans(frames, (frames.of("light") < DARK) & (frames.of("contrast") < DARK)),
        "blank": _spans(frames, (frames.of("contrast") < PLAIN) & (frames.of("light") >= DARK)),
        "repeated": _shown_twice(frames),
        "leaps": leaps(frames),
    }


def pace(moved: Motion) -> tuple[Array, Array]:
    """When (T,), and how much the picture changes then in units of what is usual: for the other cameras to compare."""
    change = moved.frames.of("change")[1:].astype(np.float64)
    usual = float(np.median(change)) if len(change) else 0.0
    return moved.frames.times[1:], change / usual if usual > 0 else np.zeros_like(change)


def frozen_spans(moved: Motion, others: Sequence[tuple[Array, Array]]) -> list[Span]:
    """Stretches in which the picture stands still while another recording (its pace on this one's clock) moves.

    >>> from actor_observer.frames.motion import still_motion
    >>> frozen_spans(still_motion(9.0), [])
    []
    """
    frames, step = moved.frames, 1 / max(moved.per_second, 1e-6)
    if len(frames.times) < 3 * FEWEST or not others:
        return []
    step = float(np.median(np.diff(frames.times)))
    width = max(FEWEST, round(WINDOW / max(step, 1e-6)))
    change, most = frames.of("change")[1:], frames.of("most")[1:]
    usual = float(np.median(change))
    if len(change) <= width or usual <= 0:
        return []
    still = (_share(change, width, 75) <= STILL_CHANGE * usual) & (_share(most, width, 75) <= STILL_MOST)
    pace = np.max([np.interp(frames.times[1:], at, how, left=0.0, right=0.0) for at, how in others], axis=0)
    held = still & (_share(pace, width, 25) >= OTHERS_MOVE)
    inside = np.zeros(len(change), bool)
    for start in np.flatnonzero(held):
        inside[start : start + width] = True
    return [(round(float(frames.times[a]), 3), round(float(frames.times[b]), 3)) for a, b in _runs(inside)]


def leaps(frames: Looks) -> list[Span]:
    """Stretches in which the picture stands still and then goes on with a leap: what moved meanwhile was not shown.

    Told by this camera alone, whether or not the others move. A thing that starts to move does so little by little.

    >>> change = np.r_[np.full(30, 1.0), np.zeros(15), 9.0, np.full(30, 1.0)]
    >>> looks = np.stack([*np.zeros((3, 76)), change, change], 1).astype(np.float32)
    >>> leaps(Looks(np.arange(76) / 15, looks))
    [(1.933, 3.0)]
    """
    change = frames.of("change")[1:]
    usual = float(np.median(change)) if len(change) else 0.0
    if usual <= 0:
        return []
    found = [
        (round(float(frames.times[a]), 3), round(float(frames.times[b + 1]), 3))
        for a, b in _runs(change <= STILL_CHANGE * usual)
        if b - a >= FEWEST and b < len(change) and change[b] >= LEAP * usual
    ]
    return [(start, end) for start, end in found if end - start >= STOOD]


def _share(values: NDArray[np.floating], width: int, percent: float) -> Array:
    """A percentile over every window of so many frames, (N - width + 1,)."""
    return np.percentile(np.lib.stride_tricks.sliding_window_view(values, width), percent, axis=1)


def _runs(held: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Starts and ends (exclusive) of what is true in a row.

    >>> _runs(np.array([False, True, True, False, True]))
    [(1, 3), (4, 5)]
    """
    edges = np.flatnonzero(np.diff(np.r_[False, held, False].astype(np.int8)))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def _spans(frames: Looks, held: NDArray[np.bool_]) -> list[Span]:
    """Stretches of at least 0.2 s in which something holds for every frame."""
    ends = np.append(frames.times, frames.times[-1:] + (np.median(np.diff(frames.times)) if len(held) > 1 else 0.0))
    found = [(round(float(ends[a]), 3), round(float(ends[b]), 3)) for a, b in _runs(held)]
    return [(start, end) for start, end in found if end - start >= LEAST]


def _shown_twice(frames: Looks) -> list[float]:
    """Times of single frames that are the one before, shown again, amid motion."""
    change, most = frames.of("change")[1:].astype(np.float64), frames.of("most")[1:].astype(np.float64)
    if len(change) < 3:
        return []
    ratios = [np.minimum(of[:-2], of[2:]) / (of[1:-1] + floor) for of, floor in ((change, 0.02), (most, 1.0))]
    return np.round(frames.times[2:-1][np.sqrt(ratios[0] * ratios[1]) >= TWICE], 3).tolist()


def _gaps(times: Array, step: float) -> list[tuple[float, int]]:
    """Where stamps leave frames out: (seconds, how many)."""
    if step <= 0:
        return []
    steps = np.diff(times)
    return [
        (round(float(times[at]), 3), round(float(steps[at]) / step) - 1) for at in np.flatnonzero(steps > GAP * step)
    ]


def _uneven(times: Array, step: float) -> float:
    """How far stamps are from an even beat, in steps: of the middle nine in ten."""
    if len(times) < 3 or step <= 0:
        return 0.0
    return float(np.percentile(np.abs(np.diff(times) / step - 1), 90))


def refuse_empty(take: Take) -> None:
    """A take of no length is a `TakeError`.

    >>> from pathlib import Path
    >>> refuse_empty(Take("a", "third", Path("a.mp4"), 0.0))
    Traceback (most recent call last):
    actor_observer.errors.TakeError: a.mp4: no length at all
    """
    if not take.length > 0:
        raise TakeError(take.path, "no length at all")

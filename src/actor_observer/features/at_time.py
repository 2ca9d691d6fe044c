"""A moment of a video, written as `VIDEO@TIME`."""

from __future__ import annotations

import math
from pathlib import Path

from actor_observer.errors import UserError

__all__ = ["parse_at"]


def parse_at(text: str) -> tuple[Path, float]:
    """The video and the seconds of `VIDEO@TIME`; the last @ counts, a name may hold others.

    >>> path, seconds = parse_at("clip.mp4@12.5")
    >>> path.name, seconds
    ('clip.mp4', 12.5)
    >>> parse_at("clip.mp4")
    Traceback (most recent call last):
    actor_observer.errors.UserError: clip.mp4: give a video and a time in seconds, such as clip.mp4@12.5
    """
    video, at, time = text.rpartition("@")
    example = f"{video or text or 'clip.mp4'}@12.5"
    if not at or not video or not time.strip():
        raise UserError(f"{text or 'nothing'}: give a video and a time in seconds, such as {example}")
    try:
        seconds = float(time)
    except ValueError:
        raise UserError(f"{text}: {time!r} is not a time in seconds; write it as in {example}") from None
    if not math.isfinite(seconds) or seconds < 0:
        raise UserError(f"{text}: {time} is not a time in a video; give seconds from its start, such as {example}")
    return Path(video), seconds

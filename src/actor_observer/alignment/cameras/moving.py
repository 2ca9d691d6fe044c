"""Which camera is worn, where nobody said it and signals come along: the one that moves itself."""

from __future__ import annotations

from collections.abc import Sequence

from actor_observer.alignment.align import STEADY, exchanged
from actor_observer.alignment.recording import Recording, seen_as

__all__ = ["find_head"]


def find_head(recordings: Sequence[Recording]) -> list[Recording]:
    """The same recordings, with a camera on a head or a wrist seen as one.

    People name a camera and its joints in any order, and a single camera may be either.
    """
    shown = [number for number, one in enumerate(recordings) if one.shows]
    moved = [recordings[number].motion for number in shown]
    if len(shown) == 1:
        head: int | None = shown[0] if moved[0].camera > STEADY else None
    elif len(shown) == 2 and exchanged(moved[0], moved[1]):
        head = shown[0]
    else:
        return list(recordings)
    return [
        seen_as(one, "first" if number == head else "third") if number in shown else one
        for number, one in enumerate(recordings)
    ]

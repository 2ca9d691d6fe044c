"""Which of several recordings is the head camera's: the one that was named, or that its motion gives away."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from actor_observer.alignment.align import STEADY, exchanged
from actor_observer.alignment.looking import look_at_all
from actor_observer.alignment.recordings.recording import Recording, open_recording, seen_as
from actor_observer.errors import UserError
from actor_observer.features.look import Look
from actor_observer.features.see import LOOK_RATE, check_look_rate, same_video
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs.probe import only_sound
from actor_observer.signals import is_signal

__all__ = ["find_head", "head_by_motion", "head_camera"]


def head_camera(paths: Sequence[Path], first: str | Path | None) -> int | None:
    """Which of these files is the head camera's: the one named, or the last with pictures if there are several.

    >>> head_camera([Path("a.mp4"), Path("b.mp4")], "a.mp4")
    0
    >>> head_camera([Path("a.mp4"), Path("b.mp4")], "none")
    """
    if len(paths) < 2:
        alone = f"{paths[0]}: alone it is in step with nothing; " if paths else ""
        raise UserError(
            f"{alone}align needs at least two videos, or signals: the room cameras', then the head camera's"
        )
    for one, other in itertools.combinations(paths, 2):
        if one == other or same_video(one, other):
            raise UserError(f"{one} and {other} are the same recording: give each once")
    if str(first) == "none":
        return None
    shown = [number for number, path in enumerate(paths) if not is_signal(path) and not only_sound(path)]
    if first is None:
        return shown[-1] if len(shown) > 1 else None
    for number, path in enumerate(paths):
        if path == Path(first) or same_video(path, first):
            if number not in shown:
                raise UserError(f"--first {first}: it has no pictures, so it is no head camera's")
            return number
    raise UserError(f"--first {first}: not among the videos; name one of them, or say none")


def head_by_motion(
    paths: Sequence[Path],
    head: int,
    network: ActorObserverNet,  # that may be asked about them later
    look_rate: float = LOOK_RATE,
    part: Callable[[float], object] = lambda share: None,
) -> tuple[int, tuple[Recording, Recording]]:
    """Which of two videos is the head camera's: the other one, where that one moves far more than this one.

    Nobody named it, and people give two files in any order. Also both recordings, measured, the room camera's first.
    """
    check_look_rate(look_rate)
    glance = Look.of_network(network.config, look_rate)
    openers = [partial(open_recording, path, "third", None, glance=glance) for path in paths]
    both = look_at_all(openers, part=part, watched=False)
    named = 1 - head if exchanged(both[1 - head].motion, both[head].motion) else head
    return named, (both[1 - named], both[named].of_view("first"))


def find_head(recordings: Sequence[Recording]) -> list[Recording]:
    """The same recordings, with a camera on a head or a wrist seen as one: where nobody said it and signals come along.

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

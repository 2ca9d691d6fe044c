"""Which of several recordings are head cameras': those that were named, or that their motion gives away."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from actor_observer.alignment.align import HEAD_MOVES, STEADY, exchanged
from actor_observer.alignment.looking import look_at_all
from actor_observer.alignment.recordings.recording import Recording, open_recording, seen_as
from actor_observer.errors import UserError
from actor_observer.features.look import Look
from actor_observer.features.see import LOOK_RATE, check_look_rate, same_video
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs.probe import only_sound
from actor_observer.signals import is_signal

__all__ = ["Named", "find_heads", "head_by_motion", "head_cameras"]

Named = str | Path | Sequence[str | Path] | None  # head cameras: one file, some, "none", or nobody said
# Picture widths a second: a camera that somebody holds is slower, one on a head faster, in all of 32 rendered events of
# validation homes and for people round a table. On a robot's wrist it is slower than either.
IN_A_HAND = 0.15


def head_cameras(paths: Sequence[Path], first: Named) -> tuple[int, ...]:
    """Which of these files are head cameras': those named; if none is, the last with pictures of several.

    >>> head_cameras([Path("a.mp4"), Path("b.mp4"), Path("c.mp4")], ["c.mp4", "a.mp4"])
    (0, 2)
    >>> head_cameras([Path("a.mp4"), Path("b.mp4")], "none"), head_cameras([Path("a.mp4"), Path("b.mp4")], None)
    ((), (1,))
    """
    if len(paths) < 2:
        alone = f"{paths[0]}: alone it is in step with nothing; " if paths else ""
        raise UserError(
            f"{alone}align needs at least two videos, or signals: the room cameras', then the head cameras'"
        )
    for one, other in itertools.combinations(paths, 2):
        if one == other or same_video(one, other):
            raise UserError(f"{one} and {other} are the same recording: give each once")
    shown = [number for number, path in enumerate(paths) if not is_signal(path) and not only_sound(path)]
    if first is None:
        return (shown[-1],) if len(shown) > 1 else ()
    named = [first] if isinstance(first, (str, Path)) else [*first]
    if "none" in map(str, named):
        if len(named) > 1:
            raise UserError("--first none: then nobody else is named")
        return ()
    return tuple(sorted({_place(paths, one, shown) for one in named}))


def _place(paths: Sequence[Path], named: str | Path, shown: Sequence[int]) -> int:
    for number, path in enumerate(paths):
        if path == Path(named) or same_video(path, named):
            if number not in shown:
                raise UserError(f"--first {named}: it has no pictures, so it is no head camera's")
            return number
    raise UserError(f"--first {named}: not among the videos; name some of them, or say none")


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


def find_heads(recordings: Sequence[Recording]) -> list[Recording]:
    """The same recordings, with cameras on a head or a wrist seen as such, where nobody said which they are.

    People name cameras and joints in any order, several people may wear one, and a single camera may be either.
    """
    shown = [number for number, one in enumerate(recordings) if one.shows]
    speeds = {number: recordings[number].motion.camera for number in shown}
    if len(shown) == 1:
        heads = {number for number in shown if speeds[number] > STEADY}
    elif len(shown) == 2 and exchanged(*(recordings[number].motion for number in shown)):
        heads = {shown[0]}
    elif len(shown) > 2 and (moving := moving_like_heads(speeds)):
        heads = moving
    else:
        return list(recordings)
    return [
        seen_as(one, "first" if number in heads else "third") if number in shown else one
        for number, one in enumerate(recordings)
    ]


def moving_like_heads(speeds: Mapping[int, float]) -> set[int]:
    """Which of several cameras are on a head or a wrist, by how fast their pictures move; empty: it cannot be told.

    >>> moving_like_heads({0: 0.001, 1: 0.10, 2: 0.2, 3: 0.5})  # on a stand, in a hand, on two heads
    {2, 3}
    >>> moving_like_heads({0: 0.001, 1: 0.001, 2: 0.07}), moving_like_heads({0: 0.1, 1: 0.1, 2: 0.12})
    ({2}, set())
    """
    fastest = max(speeds.values())
    least = max(HEAD_MOVES * min(speeds.values()), IN_A_HAND if fastest > IN_A_HAND else STEADY)
    return {number for number, speed in speeds.items() if speed > least}

"""Look at several recordings at once, each in a thread of its own: what moves in it, and what is heard.

Decoding, scaling and flow leave Python to other threads most of the time, so two files take little longer than one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial
from typing import TypeVar

import torch

from actor_observer.alignment.kinds.learned_motion import load_coarse_heads, load_heads, watch_ahead
from actor_observer.alignment.recordings.recording import Recording
from actor_observer.errors import TakeError
from actor_observer.features.extract import one_thread_each

__all__ = ["Opener", "look_at_all", "look_at_readable"]

Part = Callable[[float], object]  # told how much of a recording has been looked at, 0 to 1
Found = TypeVar("Found")
Opener = Callable[[Part], Recording]
EVERY = 0.2  # seconds after which the caller is told how far things are


def look_at_all(
    openers: Sequence[Opener],
    each: Callable[[], object] = lambda: None,  # called once for every recording
    part: Part = lambda share: None,
    watched: bool = True,  # also by the heads of motion, for which the view must be known
) -> list[Recording]:
    """The recordings that these functions open, their motion and sound measured; the first fault ends all.

    >>> from actor_observer.alignment.recordings.recording import open_recording
    >>> look_at_all([lambda part: open_recording("no-such.mp4", "third", part=part)])
    Traceback (most recent call last):
    actor_observer.errors.TakeError: no-such.mp4: no such file
    """
    return _in_threads(openers, _look if watched else _measure, each, part)


def look_at_readable(
    openers: Sequence[Opener], each: Callable[[], object] = lambda: None, part: Part = lambda share: None
) -> list[Recording | TakeError]:
    """As `look_at_all`; a recording that cannot be read gives its fault, and the others are looked at all the same.

    >>> from actor_observer.alignment.recordings.recording import open_recording
    >>> look_at_readable([lambda part: open_recording("no-such.mp4", "third", part=part)])
    [TakeError('no-such.mp4: no such file')]
    """
    return _in_threads(openers, _look_if_readable, each, part)


def _measure(opener: Opener, part: Part) -> Recording:
    recording = opener(part)
    _ = recording.motion, recording.sound  # kept with it
    return recording


def _look(opener: Opener, part: Part) -> Recording:
    recording = _measure(opener, part)
    watch_ahead(recording)
    return recording


def _look_if_readable(opener: Opener, part: Part) -> Recording | TakeError:
    try:
        return _look(opener, part)
    except TakeError as error:
        return error
    except OSError as error:
        return TakeError(error.filename or "a recording", error.strerror or "cannot be read")


class _Stopped(Exception):
    """Nobody waits for this recording any more."""


def _in_threads(
    openers: Sequence[Opener], look: Callable[[Opener, Part], Found], each: Callable[[], object], part: Part
) -> list[Found]:
    shares, stop = [0.0] * len(openers), threading.Event()
    _ = load_heads(), load_coarse_heads()  # once, not by every thread

    def tell(number: int, share: float) -> None:
        shares[number] = share
        if stop.is_set():
            raise _Stopped

    with (
        one_thread_each() as threads,
        ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,)) as pool,
    ):
        begun = [pool.submit(look, opener, partial(tell, number)) for number, opener in enumerate(openers)]
        try:
            return _awaited(begun, shares, each, part)
        except BaseException:
            stop.set()  # the others would go on to their ends
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _awaited(
    begun: Sequence[Future[Found]], shares: Sequence[float], each: Callable[[], object], part: Part
) -> list[Found]:
    """Wait for all, and tell how far they are from this thread: progress bars and signals belong to it."""
    left = set(begun)
    while left:
        done, left = wait(left, EVERY, FIRST_COMPLETED)
        for one in begun:
            if one in done:
                one.result()  # raises what went wrong
                each()
        furthest = max((share for share, one in zip(shares, begun, strict=True) if one in left), default=0.0)
        if furthest:
            part(furthest)
    return [one.result() for one in begun]

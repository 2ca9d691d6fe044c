"""What both kinds of evidence about signals share: who speaks, and how groups of columns become one curve."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

import numpy as np

from actor_observer.alignment.kinds.treatments import TOP
from actor_observer.alignment.recordings.evidence import LagScores, Scores
from actor_observer.alignment.recordings.lags import Array, Lags, chunk_middles
from actor_observer.alignment.recordings.recording import Recording
from actor_observer.signals import Group, Signal

__all__ = ["any_of", "channels_of", "groups_of", "numbers_of", "signal_rate"]

SIGNAL_RATE, CAMERA_RATE = 60.0, 30.0  # samples a second at which two signals, a signal and a camera are compared
MOST_SAMPLES = 216_000  # of both recordings together: two hours at 30 a second
MOST_GROUPS = 64  # of columns that are compared: bounds the time
# Of the slower recording's samples a second: above half of them there are but echoes of its sampling, and they would
# pull two recordings to where their samples fall together. All that lies below counts: hence a steep edge (EDGE).
SHARE, EDGE = 0.47, 12
Channel = tuple[str, Scores]


class Compared(Protocol):
    """What a kind of evidence says of two recordings: names of channels, and what computes their scores."""

    def signals(self, one: Recording, other: Recording) -> list[Channel]: ...

    def camera(self, camera: Recording, signal: Recording, ahead: bool) -> list[Channel]: ...


def channels_of(
    compare: Callable[[Lags, float], Compared], one: Recording, other: Recording, lags: Lags
) -> LagScores | None:
    """All channels of two recordings at these lags, below the highest frequency at which both say something.

    None where neither has numbers, or nothing speaks. A camera may have measured itself: its numbers are compared with
    the other's pictures and numbers alike.
    """
    if one.numbers is None and other.numbers is None:
        return None  # before any motion is measured
    compared = compare(lags, _top_between(one, other))
    channels: list[Channel] = []
    if _speaks(one.numbers) and _speaks(other.numbers):
        channels += compared.signals(one, other)
    if _speaks(other.numbers) and _moves(one):
        channels += compared.camera(one, other, ahead=True)
    if _speaks(one.numbers) and _moves(other):
        channels += compared.camera(other, one, ahead=False)
    return LagScores(channels, chunk_middles(other.length)) if channels else None


def signal_rate(one: Recording, other: Recording) -> float | None:
    """Samples a second at which two recordings are compared if one of them is a signal; else None."""
    if one.signal is None and other.signal is None:
        return None
    rate = SIGNAL_RATE if one.signal is not None and other.signal is not None else CAMERA_RATE
    return min(rate, MOST_SAMPLES / (one.length + other.length))


def _top_between(one: Recording, other: Recording) -> float:
    """The highest frequency (Hz) at which two recordings say something about each other."""
    return min(TOP, SHARE * min(_own_rate(one), _own_rate(other)))


def _own_rate(recording: Recording) -> float:
    """Samples a second that it truly has."""
    if recording.signal is not None:
        return recording.signal.per_second
    return recording.motion.per_second


def _speaks(numbers: Signal | None) -> bool:
    """Whether there are numbers that move."""
    return numbers is not None and not numbers.still and len(numbers.times) > 1


def _moves(recording: Recording) -> bool:
    """Whether there are pictures in which something moves."""
    return recording.shows and not recording.motion.still


def groups_of(recording: Recording) -> Sequence[Group]:
    """The groups of columns of a signal that are compared."""
    return numbers_of(recording).groups[:MOST_GROUPS]


def numbers_of(recording: Recording) -> Signal:
    """The numbers of a recording that has some."""
    assert recording.numbers is not None
    return recording.numbers


def any_of(curves: Iterable[Array]) -> Array:
    """Curves (C, L) of several groups of which one is enough: the log of the mean likelihood of the whole.

    They are added up one by one: those of a long recording with many groups would fill the memory.

    >>> any_of([np.array([[0.0, 9.0]]), np.array([[0.0, 0.0]])]).round(1).tolist()
    [[0.0, 8.3]]
    """
    mean: Array = np.zeros(0)  # (C, L) of all so far, each as likely as its whole
    top = likely = np.zeros(0)  # (L,) the highest whole, and all likelihoods in units of its
    count = 0
    for count, each in enumerate(curves, start=1):
        whole = each.sum(axis=0)
        if count == 1:
            mean, top, likely = each, whole, np.ones(len(whole))
            continue
        highest = np.maximum(top, whole)
        own = np.exp(whole - highest)
        likely, top = likely * np.exp(top - highest) + own, highest
        mean = mean + (each - mean) * (own / likely)
    rest = top + np.log(likely / max(count, 1)) - mean.sum(axis=0)
    return np.asarray(mean + rest / max(len(mean), 1))

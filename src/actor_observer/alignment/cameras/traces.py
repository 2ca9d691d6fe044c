"""What moves when, of every recording, on the common clock: curves to look at, thinned out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actor_observer.alignment.cameras.clocked import Clocked, everything
from actor_observer.alignment.cameras.result import Cameras
from actor_observer.alignment.kinds.treatments import loudness
from actor_observer.alignment.recordings.recording import Recording, open_any
from actor_observer.alignment.result import Alignment
from actor_observer.pairs.manifest import View
from actor_observer.signals import Signal
from actor_observer.signals.amounts import amount

__all__ = ["Trace", "moving", "trace_in", "trace_of", "traces_of"]

Array = NDArray[np.float64]
POINTS = 600  # of a curve: as many as a screen shows
RATE = 30.0  # samples a second before it is thinned out
LOW, HIGH = 2.0, 99.0  # percentiles that are drawn as 0 and 1


@dataclass(frozen=True, eq=False)
class Trace:
    """How much moves in one recording, from 0 (as good as nothing) to 1."""

    name: str
    role: str  # room, head, recorder or signal
    times: Array  # (P,) seconds of the common clock
    values: Array  # (P,)

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        values = self.values.round(3).tolist()
        return {"name": self.name, "role": self.role, "times": self.times.round(3).tolist(), "values": values}


def traces_of(found: Alignment | Cameras, most: int = POINTS) -> list[Trace]:
    """A curve for every recording of an answer that has pictures or numbers, whether in step or not."""
    return [trace for trace in map(partial(trace_in, most=most), everything(found)) if trace is not None]


def trace_in(one: Clocked, most: int = POINTS) -> Trace | None:
    """The curve of a file whose clock is known; None for pixels and for a sound recorder's."""
    return None if one.path is None or one.recorder else trace_of(one, _opened(one), most)


def trace_of(one: Clocked, recording: Recording, most: int = POINTS) -> Trace:
    """The curve of one recording, whose clock is known."""
    times, values = moving(recording)
    each = max(1, -(-len(times) // most))
    starts = np.arange(0, len(times), each)
    peaks = np.maximum.reduceat(values, starts) if len(values) else values  # a short move must stay visible
    common = np.asarray(one.clock.to_third(times[starts]), np.float64)
    return Trace(one.name, one.role, common, peaks)


def moving(recording: Recording) -> tuple[Array, Array]:
    """Own times (T,) and how much moves, 0 to 1.

    >>> from actor_observer.alignment.recordings.recording import open_signal
    >>> from actor_observer.signals import make_signal
    >>> at = np.arange(300) / 30
    >>> times, values = moving(open_signal(make_signal(at, {"joint": np.where(at < 5, 0, np.sin(6 * at))})))
    >>> bool(values[times < 4].max() < 0.1), bool(values[times > 6].mean() > 0.5)
    (True, True)
    """
    if recording.signal is not None:
        rate = min(RATE, max(recording.signal.per_second, 5.0))
        each = _speeds(recording.signal, rate)
        if not each:
            return np.zeros(0), np.zeros(0)
        times = np.asarray((np.arange(len(each[0])) + 0.5) / rate, np.float64)
        return times, np.asarray(np.mean([_between(loudness(one)) for one in each], axis=0), np.float64)
    moved = recording.motion
    return moved.times, _between(loudness(moved.of("difference").astype(np.float64)))


def _speeds(signal: Signal, rate: float) -> Sequence[Array]:
    return [amount(signal, group, "speed", rate) for group in signal.groups]


def _between(values: Array) -> Array:
    low, high = np.percentile(values, (LOW, HIGH)) if len(values) else (0.0, 1.0)
    return np.clip((values - low) / max(float(high - low), 1e-9), 0.0, 1.0)


def _opened(one: Clocked) -> Recording:
    assert one.path is not None
    view: View = one.view
    return open_any(one.path, view, time=one.time or None)

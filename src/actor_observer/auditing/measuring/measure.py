"""Measure one take: each of its recordings, and every two of them. Nothing but the take decides what is found."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from actor_observer.alignment.align import scores_of
from actor_observer.alignment.compare import Comparer, Comparison
from actor_observer.alignment.recordings.recording import Recording, open_recording
from actor_observer.auditing.measuring.camera import camera_facts, frozen_spans, pace, refuse_empty
from actor_observer.auditing.measuring.events import Event
from actor_observer.auditing.measuring.signal_facts import signal_facts, signal_pace, signal_recordings
from actor_observer.auditing.measuring.steps import find_step
from actor_observer.errors import TakeError, UserError
from actor_observer.features.on_disk.fingerprints import content_hash
from actor_observer.pairs.clock import Clock
from actor_observer.pairs.read import open_signals
from actor_observer.pairs.reader import SignalTable

__all__ = ["FORMAT", "Measure", "compared", "measure", "opened"]

FORMAT = 5  # raise it when the same take would give other numbers
# Seconds by which a take's offset may differ from those of others (half-width, 95 %), however well its own parts agree.
# What heads and bodies differ by is not in it: the takes of a set share that, and judge by their agreement (usual.py).
LEAST_ERROR = 0.07
AROUND = 2.0  # seconds of the curve on either side of the best offset that are kept for the page


@dataclass
class Measure:
    """Measures takes of one data set; it may be sent to other machines."""

    data: str | None = None  # where its signals are

    @cached_property
    def signals(self) -> Callable[[str], SignalTable] | None:
        return open_signals(self.data) if self.data else None

    def __call__(self, event: Event) -> dict[str, Any]:
        if self.signals is None:
            return measure(event)
        try:
            return measure(event, self.signals(event.id))
        except (TakeError, UserError) as error:
            line = measure(event)
            line["faults"].append(["signals", event.id, str(error)])
            return line


def measure(event: Event, table: SignalTable | None = None) -> dict[str, Any]:
    """What a take is like, as plain values: a line of `takes.jsonl`. `table`: what was measured beside its cameras.

    >>> from pathlib import Path
    >>> from actor_observer.pairs.manifest import Take
    >>> measure(Event("a", (("third", Take("a", "third", Path("no-such.mp4"), 3.0)),)))["faults"]
    [['third', 'no-such.mp4', 'no such file']]
    """
    recordings, faults = opened(event)
    takes = dict(event.cameras)
    cameras = {name: camera_facts(takes[name], one.motion) for name, one in recordings.items()}
    facts = signal_facts(table) if table is not None else None
    signals = signal_recordings(table, facts) if table is not None and facts is not None else {}
    for name, one in recordings.items():
        cameras[name]["hash"] = content_hash(takes[name].path)
        others = [_pace_of(event, name, other, recordings[other]) for other in recordings if other != name]
        others += [signal_pace(signal) for signal in signals.values()]
        cameras[name]["frozen"] = frozen_spans(one.motion, others)
    offsets = [_two(event, recordings, one, other) for one, other in _couples(recordings)]
    offsets += [_beside(camera, recordings[camera], name, signals[name]) for camera in recordings for name in signals]
    line = {"id": event.id, "format": FORMAT, "cameras": cameras, "offsets": offsets, "faults": faults}
    return line if facts is None else {**line, "signals": facts}


def _beside(camera: str, one: Recording, name: str, other: Recording) -> dict[str, Any]:
    """A camera against a signal, whose own time starts with its first row."""
    assert other.signal is not None
    stated = Clock(((other.signal.first, 0.0),))
    return {"one": camera, "other": name, **compared(Comparer().compare(one, other), stated), "step": None}


def opened(event: Event) -> tuple[dict[str, Recording], list[list[str]]]:
    """The recordings of a take whose motion could be measured, and the faults of the others: name, file, what."""
    recordings: dict[str, Recording] = {}
    faults: list[list[str]] = []
    for name, take in event.cameras:
        try:
            refuse_empty(take)
            recording = open_recording(take, take.view)
            _ = recording.motion
            recordings[name] = recording
        except TakeError as error:
            faults.append([name, error.path, error.fault])
        except OSError as error:
            faults.append([name, str(take.path), f"cannot be read ({error.strerror})"])
    return recordings, faults


def _couples(recordings: dict[str, Recording]) -> list[tuple[str, str]]:
    """Every two; of a room and a head camera the room's comes first."""
    return [
        (one, other) if recordings[one].view == "third" or recordings[other].view == "first" else (other, one)
        for one, other in combinations(recordings, 2)
    ]


def _pace_of(event: Event, name: str, other: str, recording: Recording) -> tuple[Any, Any]:
    """How much another recording moves, on the clock of the one with this name."""
    times, how = pace(recording.motion)
    return np.asarray(event.stated(name, other).to_third(times)), how


def _two(event: Event, recordings: dict[str, Recording], one: str, other: str) -> dict[str, Any]:
    found = Comparer().compare(recordings[one], recordings[other])
    told = compared(found, event.stated(one, other))
    step = find_step(recordings[one], recordings[other], found.belief.offset) if found.telling else None
    return {
        "one": one,
        "other": other,
        **told,
        "step": None if step is None else [round(step.time, 2), round(step.change, 3), round(step.gain, 2)],
    }


def compared(found: Comparison, stated: Clock) -> dict[str, Any]:
    """The offset of two recordings against what the data set says of them, and the curve around it."""
    belief, middle = found.belief, found.other.length / 2
    lag = belief.to_one(middle) - float(stated.to_third(middle))
    scores = scores_of(found)
    said = sum(scores.kinds.values(), np.zeros(len(scores.offsets)))
    near = np.abs(scores.offsets - belief.offset) <= AROUND
    return {
        "lag": round(lag, 5),
        "error": round(found.error, 5),
        "own_error": round(math.hypot(1.96 * belief.jumps, LEAST_ERROR), 5),
        "rate": round(belief.rate, 8),
        "rate_error": round(belief.rate_error, 8),
        "confidence": round(found.confidence, 4),
        "matched": round(found.matched, 4),
        "verdict": found.verdict,
        "curve": {
            "start": round(float(scores.offsets[near][0] - belief.offset + lag), 4),
            "step": round(1 / found.curve.lags.per_second, 6),
            "values": np.round(said[near], 2).tolist(),
        },
    }

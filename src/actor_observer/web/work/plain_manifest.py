"""A manifest as plain values and back: a data set is read by a process that opens recordings for the server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from actor_observer.pairs.clock import Clock
from actor_observer.pairs.manifest import Action, Fault, Manifest, Pair, Take

__all__ = ["from_plain", "to_plain"]

_TAKE = ("id", "view", "length", "subject", "scene", "script", "frame_rate", "split", "event")
_PAIR = ("id", "third", "first", "same_person", "split")


def to_plain(manifest: Manifest) -> dict[str, Any]:
    """Values that JSON can carry.

    >>> take = Take("a", "third", Path("a.mp4"), 9.0, actions=(Action("c001", 2.0, 5.0),))
    >>> pair = Pair("p", "a", "a", Clock(((0.0, 1.0),)), signals=(Path("imu.csv"),))
    >>> known = Manifest({"a": take}, (pair,), {"c001": "sit"}, (Fault("b.mp4", "empty"),), ("a note",))
    >>> from_plain(to_plain(known)) == known
    True
    """
    return {
        "takes": [
            {
                **{name: getattr(take, name) for name in _TAKE},
                "path": str(take.path),
                **{what: [(one.label, one.start, one.end) for one in getattr(take, what)] for what in _STRETCHES},
            }
            for take in manifest.takes.values()
        ],
        "pairs": [
            {
                **{name: getattr(pair, name) for name in _PAIR},
                "clock": (pair.clock.anchors, pair.clock.starts),
                "signals": [str(path) for path in pair.signals],
            }
            for pair in manifest.pairs
        ],
        "classes": dict(manifest.classes),
        "faults": [(fault.path, fault.what, fault.left_out) for fault in manifest.faults],
        "notes": list(manifest.notes),
    }


_STRETCHES = ("actions", "phases")


def from_plain(plain: dict[str, Any]) -> Manifest:
    """The manifest that the values were made of."""
    takes = {}
    for row in plain["takes"]:
        stretches = {what: tuple(Action(*one) for one in row[what]) for what in _STRETCHES}
        takes[row["id"]] = Take(**{**row, "path": Path(row["path"]), **stretches})
    return Manifest(
        takes=takes,
        pairs=tuple(_pair(row) for row in plain["pairs"]),
        classes=plain["classes"],
        faults=tuple(Fault(*row) for row in plain["faults"]),
        notes=tuple(plain["notes"]),
    )


def _pair(row: dict[str, Any]) -> Pair:
    anchors, starts = row["clock"]
    clock = Clock(tuple((third, first) for third, first in anchors), tuple(starts))
    return Pair(**{**row, "clock": clock, "signals": tuple(Path(path) for path in row["signals"])})

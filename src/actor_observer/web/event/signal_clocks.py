"""The clock between a pair's observer and a signal beside it, as `align` found it; kept, and a guess until then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from actor_observer.disk.sealed_json import read_sealed_json
from actor_observer.errors import UserError
from actor_observer.pairs.clock import Clock

__all__ = ["GUESS", "clock_of"]

GUESS = {"clock": [[0.0, 0.0], [1.0, 1.0]], "verdict": "", "offset_error": None}  # it begins with the observer's video


def clock_of(path: Path) -> dict[str, Any]:
    """What was found of a signal: anchors (observer's seconds, its own), a verdict, an error; else a guess.

    Only a clock that `align` is sure of is used.

    >>> clock_of(Path("no-such.json"))["verdict"]
    ''
    """
    try:
        found = read_sealed_json(path.read_bytes())
        verdict, error = str(found["verdict"]), found["offset_error"]
        anchors = Clock.parse(found["clock"]).anchors
        if len(anchors) == 1:
            anchors = (anchors[0], (anchors[0][0] + 1, anchors[0][1] + 1))
        return {
            "clock": [list(one) for one in anchors] if verdict == "in step" else GUESS["clock"],
            "verdict": verdict,
            "offset_error": None if error is None else float(error),
        }
    except (OSError, ValueError, TypeError, KeyError, AttributeError, UserError):
        return dict(GUESS)

"""By how much each camera of each take is late, from the offsets of every two recordings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from actor_observer.auditing.audit import Audit
from actor_observer.auditing.judging.offsets import SURE

__all__ = ["Late", "late_cameras", "solve"]

HALF = 0.5  # of a frame: what is less is not corrected
Lag = tuple[str, str, float, float]  # one is so many seconds later than the other, half-width of the error


@dataclass(frozen=True)
class Late:
    """One camera of one take."""

    seconds: float  # its pictures come so much later than the data set says
    error: float  # half-width, 95 %
    why: str


def late_cameras(found: Audit) -> dict[tuple[str, str], Late]:
    """Every camera that is to be corrected, by take and name.

    A take that differs has clocks of its own; the others those that all takes share, where that is a finding.
    """
    shared = solve((one, other, usual.delay, usual.error) for (one, other), usual in found.usuals.items())
    named = {name for one in found.findings if one.kind == "shared delay" for name in one.recordings}
    odd = {one.take for one in found.findings if one.kind == "late"}
    told: dict[tuple[str, str], Late] = {}
    for line in found.lines:
        own = line["id"] in odd
        sure = [two for two in line["offsets"] if two["confidence"] >= SURE]
        lags = solve((two["one"], two["other"], two["lag"], two["error"]) for two in sure) if own else shared
        for name, facts in line["cameras"].items():
            seconds, error = lags.get(name, (0.0, 0.0))
            if abs(seconds) > HALF / max(facts["rate"], 1e-3) and (own or name in named):
                told[line["id"], name] = Late(seconds, error, "this take's own" if own else "shared by all takes")
    return told


def solve(lags: Iterable[Lag]) -> dict[str, tuple[float, float]]:
    """How late each recording is, in seconds, with its error: what fits all lags best.

    What stands only second in its couples (signals; else the actor's camera) is what the others are held against.

    >>> solve([("room", "wrist", 0.2, 0.01), ("room", "joints", 0.21, 0.02), ("wrist", "joints", 0.0, 0.01)])["joints"]
    (0.0, 0.0)
    >>> {name: round(late, 2) for name, (late, _) in solve([("room", "wrist", 0.2, 0.01)]).items()}
    {'room': 0.2, 'wrist': 0.0}
    """
    known = [*lags]
    names = list(dict.fromkeys(name for one, other, _, _ in known for name in (one, other)))
    ahead = {one for one, *_ in known}
    free = [name for name in names if name in ahead]
    found: dict[str, tuple[float, float]] = dict.fromkeys(names, (0.0, 0.0))
    if not free:
        return found
    rows, sides = np.zeros((len(known), len(free))), np.zeros(len(known))
    for row, (one, other, lag, error) in enumerate(known):
        weight = 1 / max(error, 1e-3)
        for name, sign in ((one, 1.0), (other, -1.0)):
            if name in ahead:
                rows[row, free.index(name)] += sign * weight
        sides[row] = lag * weight
    late = np.linalg.lstsq(rows, sides, rcond=None)[0]
    spread = np.sqrt(np.maximum(np.diag(np.linalg.pinv(rows.T @ rows)), 0.0))
    return found | {name: (float(a), float(b)) for name, a, b in zip(free, late, spread, strict=True)}


def offset_of(told: Mapping[tuple[str, str], Late], take: str, one: str, other: str) -> float:
    """By how much one camera of a take is later than another, as corrected.

    >>> offset_of({("a", "room"): Late(0.2, 0.01, "")}, "a", "room", "wrist")
    0.2
    """
    seconds = [told[take, name].seconds if (take, name) in told else 0.0 for name in (one, other)]
    return seconds[0] - seconds[1]

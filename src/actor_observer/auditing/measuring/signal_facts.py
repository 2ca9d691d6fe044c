"""What was measured beside the cameras of a take: signals that never move, stand at a limit, or are another's copy."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actor_observer.alignment.recordings.recording import Recording, open_signal
from actor_observer.pairs.reader import SignalTable
from actor_observer.signals import make_signal

__all__ = ["group_columns", "signal_facts", "signal_pace", "signal_recordings"]

Array = NDArray[np.float64]
STILL = 1e-6  # of the size of its numbers: less is rounding
MANY = 10  # different numbers, without which a column is a switch that rightly stands at its ends
STANDS = 1.0  # seconds at a limit in a row
FEWEST = 10  # rows of a signal that is compared with cameras
MOST = 3  # signals that are, the widest first


def group_columns(columns: Mapping[str, Array]) -> dict[str, dict[str, Array]]:
    """Columns by the signal that they are a part of: `observation.state.joint_1` is one of `observation.state`.

    >>> list(group_columns({"action.0": np.zeros(2), "action.1": np.zeros(2), "reward": np.zeros(2)}))
    ['action', 'reward']
    """
    starts = [name.rpartition(".")[0] for name in columns]
    found: dict[str, dict[str, Array]] = {}
    for (name, values), start in zip(columns.items(), starts, strict=True):
        found.setdefault(start if start and starts.count(start) > 1 else name, {})[name] = values
    return found


def signal_facts(table: SignalTable) -> dict[str, Any]:
    """Facts of each signal of a take, as plain values, and those of their common stamps."""
    groups = group_columns(table.columns)
    times = table.times
    step = float(np.median(np.diff(times))) if len(times) > 1 else 0.0
    signals = {name: _facts(columns, step) for name, columns in groups.items()}
    equal = [
        [one, other]
        for one, other in combinations(groups, 2)
        if not signals[one]["constant"] and _same([*groups[one].values()], [*groups[other].values()])
    ]
    return {"signals": signals, "equal": equal, "rows": len(times), "stamps": _stamps(times, step)}


def signal_recordings(table: SignalTable, facts: Mapping[str, Any]) -> dict[str, Recording]:
    """The signals that say when: those that move, copies once, the widest few; none where stamps run backwards."""
    if len(table.times) < FEWEST or facts["stamps"]["back"] or not np.isfinite(table.times).all():
        return {}
    copies = {other for _, other in facts["equal"]}
    named = [name for name, one in facts["signals"].items() if not one["constant"] and name not in copies]
    named = sorted(named, key=lambda name: -facts["signals"][name]["columns"])[:MOST]
    groups = group_columns(table.columns)
    found = {name: open_signal(make_signal(table.times, groups[name])) for name in named}
    return {name: one for name, one in found.items() if one.signal is not None and not one.signal.still}


def signal_pace(recording: Recording) -> tuple[Array, Array]:
    """When (T,), and how fast a signal moves then in units of what is usual, on the clock of the cameras."""
    signal = recording.signal
    assert signal is not None
    speeds = [np.linalg.norm(np.diff(one.values.astype(np.float64), axis=1), axis=0) for one in signal.groups]
    usual = [float(np.median(speed)) for speed in speeds]
    moving = [speed / level for speed, level in zip(speeds, usual, strict=True) if level > 0]
    pace = np.max(moving, axis=0) if moving else np.zeros(len(signal.times) - 1)
    return signal.times[1:] + signal.first, pace


def _facts(columns: Mapping[str, Array], step: float) -> dict[str, Any]:
    still = [name for name, values in columns.items() if _constant(values)]
    limits = {name: round(_at_limit(values, step), 3) for name, values in columns.items() if name not in still}
    return {
        "columns": len(columns),
        "constant": len(still) == len(columns),
        "still": still,
        "missing": int(sum((~np.isfinite(values)).sum() for values in columns.values())),
        "limits": {name: share for name, share in limits.items() if share > 0},
    }


def _constant(values: Array) -> bool:
    known = values[np.isfinite(values)]
    return not len(known) or float(np.ptp(known)) <= STILL * max(float(np.abs(known).max()), 1e-12)


def _at_limit(values: Array, step: float) -> float:
    """The share of rows that stand at the column's least or greatest number for a second or more."""
    known = values[np.isfinite(values)]
    if len(np.unique(known)) < MANY or step <= 0:
        return 0.0
    most = 0
    for limit in (known.min(), known.max()):
        edges = np.flatnonzero(np.diff(np.r_[False, known == limit, False].astype(np.int8))).reshape(-1, 2)
        runs = edges[:, 1] - edges[:, 0]
        most += int(runs[runs * step >= STANDS].sum())
    return most / len(known)


def _same(one: list[Array], other: list[Array]) -> bool:
    return len(one) == len(other) and all(
        a.shape == b.shape and np.array_equal(a, b, equal_nan=True) for a, b in zip(one, other, strict=True)
    )


def _stamps(times: Array, step: float) -> dict[str, Any]:
    """How the rows' stamps run: backwards, with jumps, or away from an even beat."""
    steps = np.diff(times)
    if step <= 0:
        return {"step": 0.0, "back": int((steps <= 0).sum()), "gaps": [], "off": 0.0, "start": 0.0}
    gaps = np.flatnonzero(steps > 1.5 * step)
    beat = times - step * np.arange(len(times))
    return {
        "step": round(step, 6),
        "back": int((steps <= 0).sum()),
        "gaps": [[round(float(times[at]), 3), round(float(steps[at] / step)) - 1] for at in gaps[:50]],
        "off": round(float(np.abs(beat - np.median(beat)).max() / step), 3),
        "start": round(float(times[0]), 4),
    }

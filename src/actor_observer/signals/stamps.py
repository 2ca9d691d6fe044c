"""When each row was recorded: which column says it, and in which unit."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["GAPS", "UNITS", "find_time", "gaps_of", "parse_date", "unit_of"]

Array = NDArray[np.float64]
UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9, "minutes": 60.0}  # in seconds
LIKELY = 100.0  # rows a second: of the units that are possible, the one nearest to this is meant
FEW = 10  # rows by which a column without a name is known to be time
GAPS = 0  # that go without saying
_NAMES = (
    re.compile(r"^(?:time|timestamp|t|ts|stamp|seconds?|date|datetime)$"),
    re.compile(r"time|stamp"),
    re.compile(r"(?:^|[^a-z])(?:t|ts|secs?|seconds?|msecs?|millis|ms|us|µs|ns|nanos|date|utc|epoch|clock)(?:[^a-z]|$)"),
)
_STATED = {
    "ns": re.compile(r"(?:[^a-z]|^)(?:ns|nsecs?|nanos?|nanoseconds?)(?:[^a-z]|$)"),
    "µs": re.compile(r"(?:[^a-zµ]|^)(?:us|µs|usecs?|micros?|microseconds?)(?:[^a-z]|$)"),
    "ms": re.compile(r"(?:[^a-z]|^)(?:ms|msecs?|millis?|milliseconds?)(?:[^a-z]|$)"),
    "s": re.compile(r"(?:[^a-z]|^)(?:s|secs?|seconds?)(?:[^a-z]|$)"),
}


def find_time(columns: Mapping[str, Array]) -> str | None:
    """The column that is time: by its name and by never running backwards; else the only first one that always grows.

    >>> find_time({"x": np.array([1.0, 0.0, 2.0]), "Time (ms)": np.array([0.0, 10.0, 20.0])})
    'Time (ms)'
    >>> find_time({"x": np.array([1.0, 0.0, 2.0])})
    """
    growing = {name: values for name, values in columns.items() if _grows(values)}
    for pattern in _NAMES:
        for name in growing:
            if pattern.search(name.lower()):
                return name
    strict = [name for name, values in growing.items() if _steady(values)]
    named = [name for pattern in _NAMES for name in columns if pattern.search(name.lower())]
    # One that is called time and runs backwards is refused by that name later on.
    return strict[0] if len(strict) == 1 else next(iter(named), None)


def _grows(values: Array) -> bool:
    known = values[np.isfinite(values)]
    return len(known) > 1 and bool((np.diff(known) >= 0).all()) and known[-1] > known[0]


def _steady(values: Array) -> bool:
    """Whether it grows at every row, about as much as usual, and is not but the number of the row."""
    steps = np.diff(values)
    if len(steps) < FEW or not (steps > 0).all() or (steps == 1).all():
        return False
    return bool(np.mean(np.abs(steps - np.median(steps)) < np.median(steps)) > 0.9)


def unit_of(name: str, values: Sequence[float] | Array) -> str:
    """The unit of a time column: stated in its name, or the one that makes its rows come at a likely pace.

    >>> unit_of("time_ms", [0, 5]), unit_of("t", [0.0, 0.01]), unit_of("t", [0, 5_000_000]), unit_of("t", [0, 10])
    ('ms', 's', 'ns', 'ms')
    >>> unit_of("stamp", [1_700_000_000_000, 1_700_000_001_000])  # thirteen digits: since 1970
    'ms'
    """
    for unit, pattern in _STATED.items():
        if pattern.search(name.lower()):
            return unit
    stamps = np.asarray(values, np.float64)
    for unit in ("s", "ms", "µs", "ns"):
        if 9e8 < float(stamps[0]) * UNITS[unit] < 4e9:  # 1998 to 2096, counted since 1970
            return unit
    steps = np.diff(stamps)
    step = float(np.median(steps[steps > 0])) if (steps > 0).any() else 1.0
    return min(("s", "ms", "µs", "ns"), key=lambda unit: abs(np.log(1 / (step * UNITS[unit]) / LIKELY)))


def parse_date(text: str) -> float | None:
    """Seconds since 1970 of a date with a time; None for anything else.

    >>> parse_date("2024-05-01 12:00:00.250") - parse_date("2024-05-01T12:00:00Z")
    0.25
    """
    try:
        found = datetime.datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return (found if found.tzinfo else found.replace(tzinfo=datetime.UTC)).timestamp()


def gaps_of(times: Array) -> list[tuple[float, float]]:
    """Where rows are missing for long: half a second, and ten times as long as usual.

    >>> gaps_of(np.array([0.0, 0.1, 0.2, 3.0, 3.1]))
    [(0.2, 3.0)]
    """
    steps = np.diff(times)
    if not len(steps):
        return []
    wide = np.flatnonzero(steps > max(0.5, 10 * float(np.median(steps))))
    return [(float(times[place]), float(times[place + 1])) for place in wide]

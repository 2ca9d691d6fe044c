"""What was measured beside the cameras of an event, thinned out for the page: a few curves of a few hundred places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actor_observer.errors import TakeError, UserError
from actor_observer.pairs.read import open_signals
from actor_observer.signals.read import read_signal

__all__ = ["curves_of", "file_curves", "thinned"]

PLACES = 600  # of a curve
MOST = 24  # curves of a file, or of an event
Curves = list[dict[str, Any]]


def curves_of(data: Path, event: str) -> Curves:
    """The signals of an event as curves, on its cameras' clock; none where the data has none."""
    try:
        read = open_signals(data)
        table = read(event) if read else None
    except (UserError, TakeError):
        return []
    return _drawn(table.times, table.columns) if table else []


def file_curves(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """For each file of numbers its curves in its own time, and what was read; or what is wrong with it.

    >>> file_curves([Path("no-such.csv")])
    [{'curves': [], 'says': '', 'error': 'no such file'}]
    """
    found: list[dict[str, Any]] = []
    for path in paths:
        try:
            signal = read_signal(path)
        except (TakeError, UserError) as error:
            found.append({"curves": [], "says": "", "error": getattr(error, "fault", str(error))})
            continue
        columns = {
            name: values
            for group in signal.groups
            for name, values in zip(group.columns, group.values.astype(np.float64), strict=True)
        }
        found.append({"curves": _drawn(signal.times, columns), "says": signal.says, "error": ""})
    return found


def _drawn(times: NDArray[np.float64], columns: Mapping[str, NDArray[np.float64]]) -> Curves:
    found = []
    for name, values in islice(columns.items(), MOST):
        at, low, high = thinned(times, values)
        if at:
            found.append({"name": name, "times": at, "low": low, "high": high})
    return found


def thinned(
    times: NDArray[np.float64], values: NDArray[np.float64], places: int = PLACES
) -> tuple[list[float], list[float], list[float]]:
    """The least and the most of each place along a curve: a short peak stays in sight.

    >>> thinned(np.arange(5.0), np.array([0.0, 5.0, 0.0, 1.0, np.nan]), places=2)
    ([0.0, 2.0], [0.0, 0.0], [5.0, 1.0])
    """
    known = np.isfinite(values) & np.isfinite(times)
    times, values = times[known], values[known]
    if not len(times):
        return [], [], []
    starts = np.unique(np.linspace(0, len(times), min(places, len(times)) + 1)[:-1].astype(np.int64))
    lows, highs = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    return times[starts].round(3).tolist(), lows.round(6).tolist(), highs.round(6).tolist()

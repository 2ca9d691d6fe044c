"""What was measured beside the cameras of an event, thinned out for the page: a few curves of a few hundred places."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actor_observer.errors import TakeError, UserError
from actor_observer.pairs.read import open_signals

__all__ = ["curves_of", "thinned"]

PLACES = 600  # of a curve
MOST = 24  # curves


def curves_of(data: Path, event: str) -> list[dict[str, Any]]:
    """The signals of an event as curves; none where the data has none, or they cannot be read."""
    try:
        read = open_signals(data)
        table = read(event) if read else None
    except (UserError, TakeError):
        return []
    if table is None:
        return []
    found = []
    for name, values in table.columns.items():
        times, low, high = thinned(table.times, values)
        if len(times):
            found.append({"name": name, "times": times, "low": low, "high": high})
    return found[:MOST]


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

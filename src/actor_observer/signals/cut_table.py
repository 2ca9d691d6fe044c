"""Cut a table to a stretch of a common clock, as videos are cut: every column, and the time of the cut before them."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from actor_observer.disk import writing_whole
from actor_observer.pairs.window import file_of, window_of
from actor_observer.signals.read import rows_of

__all__ = ["CUT_TIME", "cut_table"]

Array = NDArray[np.float64]
CUT_TIME = "cut_time_s"  # seconds since the start of the cut: that of videos cut with it


def cut_table(
    path: Path,
    target: Path,
    time: str,
    to_common: Callable[[Array], Array],  # from own seconds to those of the common clock
    stretch: tuple[float, float],  # seconds of the common clock
) -> int:
    """Write the rows of a stretch as csv, all columns as they are; gives how many. Memory stays flat."""
    own_start, written = window_of(path)[0], 0
    with writing_whole(target) as part, part.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        for seconds, piece in rows_of(file_of(path), time):
            common = np.asarray(to_common(seconds - own_start))
            if not written:
                writer.writerow([CUT_TIME, *piece])
                written = 1
            inside = np.flatnonzero((common >= stretch[0]) & (common < stretch[1]))
            columns = [[f"{at - stretch[0]:.6f}" for at in common[inside]]]
            columns += [values[inside].tolist() for values in piece.values()]
            writer.writerows(zip(*columns, strict=True))
            written += len(inside)
    return written - 1

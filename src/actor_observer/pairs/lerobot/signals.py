"""What was measured beside the cameras of an episode: its rows as a table of numbers, lists unpacked."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actor_observer.errors import TakeError
from actor_observer.pairs.lerobot.episodes import Episode
from actor_observer.pairs.lerobot.layout import Layout
from actor_observer.pairs.lerobot.parquet import arrow, column_names, read_rows
from actor_observer.pairs.reader import SignalTable

__all__ = ["signals_of", "task_stretches"]

COUNTING = ("timestamp", "frame_index", "episode_index", "index", "task_index")  # when and which, not what
MOST_PARTS = 512  # numbers in one cell: more is a picture

Array = NDArray[np.float64]


def signals_of(layout: Layout, episode: Episode) -> SignalTable:
    """All numbers of an episode with their times: `observation.state.joint_1`, …

    Pictures and texts in the table are left out. Times are those of `timestamp`, else by counting rows.
    """
    names = [name for name in column_names(episode.data) if name not in layout.cameras]
    wanted = [name for name in names if layout.features.get(name) is not None or name in COUNTING]
    table = read_rows(episode.data, wanted, episode.index)
    if not table.num_rows:
        raise TakeError(episode.data, f"no rows of episode {episode.index} in it")
    columns: dict[str, Array] = {}
    for name in wanted:
        if name not in COUNTING:
            columns |= dict(_parts(name, layout.features[name], _numbers(table.column(name))))
    stamps = _numbers(table.column("timestamp")) if "timestamp" in wanted else None
    times = np.arange(table.num_rows) / layout.fps if stamps is None else stamps[:, 0]
    return SignalTable(times, columns)


def task_stretches(layout: Layout, episode: Episode) -> list[tuple[int, float, float]]:
    """Which task (its number) was done from when to when, by the rows of an episode that has several."""
    table = read_rows(episode.data, ["task_index"], episode.index)
    values = _numbers(table.column("task_index")) if "task_index" in table.column_names else None
    if values is None or not len(values) or not np.isfinite(values).all():
        return []
    task = values[:, 0].astype(int)
    edges = [0, *(np.flatnonzero(np.diff(task)) + 1).tolist(), len(task)]
    return [(int(task[a]), a / layout.fps, b / layout.fps) for a, b in pairwise(edges)]


def _parts(key: str, names: tuple[str, ...], values: Array | None) -> Iterator[tuple[str, Array]]:
    """Each part of a feature under a name of its own."""
    if values is None:
        return
    if values.shape[1] == 1:
        yield key, values[:, 0]
        return
    good = len(names) == values.shape[1] == len(set(names))
    for place in range(values.shape[1]):
        yield f"{key}.{names[place] if good else place}", values[:, place]


def _numbers(column: Any) -> Array | None:
    """A column as numbers (N, parts); None where it holds texts, pictures, or lists of different lengths."""
    types, cells, parts = arrow().types, column.combine_chunks(), 1
    if not len(cells):
        return None
    while types.is_list(cells.type) or types.is_large_list(cells.type) or types.is_fixed_size_list(cells.type):
        ragged = not types.is_fixed_size_list(cells.type) and len(cells.value_lengths().unique()) > 1
        if cells.null_count or ragged:
            return None
        before, cells = len(cells), cells.flatten()
        if not before or len(cells) % before or parts * (len(cells) // before) > MOST_PARTS:
            return None
        parts *= len(cells) // before
    if types.is_boolean(cells.type):
        cells = cells.cast("int8")
    if not (types.is_integer(cells.type) or types.is_floating(cells.type)):
        return None
    values = np.asarray(cells.cast("float64").fill_null(np.nan).to_numpy(zero_copy_only=False), dtype=np.float64)
    return values.reshape(-1, parts)

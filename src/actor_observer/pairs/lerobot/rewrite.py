"""Write the tables of a LeRobot data set (version 3) again, with other windows and fewer rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from actor_observer.pairs.lerobot.episodes import episode_files
from actor_observer.pairs.lerobot.layout import Layout
from actor_observer.pairs.lerobot.parquet import arrow, read_table, write_table

__all__ = ["Kept", "Starts", "rewrite_episodes", "rewrite_rows"]


@dataclass(frozen=True)
class Kept:
    """The rows that an episode keeps, and for each camera the frame of its old window that the first of them shows."""

    start: int
    end: int
    frames: Mapping[str, int]


@dataclass(frozen=True)
class Starts:
    """Where each episode begins among all rows, as it was and as it is."""

    frames: Mapping[int, int]  # rows that each episode had
    new: Mapping[int, int]
    total: int  # rows that are left


def rewrite_episodes(layout: Layout, out: Path, kept: Mapping[int, Kept]) -> Starts:
    """The tables in `meta/episodes`, with moved windows, and lengths and counts to match."""
    tables = {path: read_table(path) for path in episode_files(layout)}
    had: dict[int, int] = {}
    for table in tables.values():
        had |= dict(zip(table["episode_index"].to_pylist(), table["length"].to_pylist(), strict=True))
    new, total = {}, 0
    for index in sorted(had):
        new[index] = total
        total += kept[index].end - kept[index].start if index in kept else had[index]
    for path, table in tables.items():
        write_table(_rewritten(layout, table, kept, new), out / path.relative_to(layout.folder))
    return Starts(had, new, total)


def _rewritten(layout: Layout, table: Any, kept: Mapping[int, Kept], new: Mapping[int, int]) -> Any:
    episodes = table["episode_index"].to_pylist()
    rows = [kept.get(index) for index in episodes]
    lengths = [k.end - k.start if k else had for k, had in zip(rows, table["length"].to_pylist(), strict=True)]
    values = {"length": lengths, "dataset_from_index": [new[index] for index in episodes]}
    values["dataset_to_index"] = [new[index] + length for index, length in zip(episodes, lengths, strict=True)]
    for camera in layout.cameras:
        names = [f"videos/{camera}/{end}_timestamp" for end in ("from", "to")]
        begins, ends = (table[name].to_pylist() for name in names)
        moved = [had if k is None else had + k.frames[camera] / layout.fps for k, had in zip(rows, begins, strict=True)]
        values[names[0]] = moved
        values[names[1]] = [
            had if k is None else begin + length / layout.fps
            for k, had, begin, length in zip(rows, ends, moved, lengths, strict=True)
        ]
    return _with(table, values)


def rewrite_rows(layout: Layout, out: Path, kept: Mapping[int, Kept], starts: Starts) -> None:
    """The tables in `data`, without the rows that were lost; what counts rows and time counts from the new start."""
    for path in sorted((layout.folder / "data").glob("*/*.parquet")):
        table = read_table(path)
        episode = np.asarray(table["episode_index"].to_numpy())
        frame = np.asarray(table["frame_index"].to_numpy())
        start, end = np.zeros(len(frame), np.int64), np.full(len(frame), np.iinfo(np.int64).max)
        for index, window in kept.items():
            start[episode == index], end[episode == index] = window.start, window.end
        stays = (frame >= start) & (frame < end)
        table, late = table.filter(arrow().array(stays)), start[stays]
        frame, episode = frame[stays] - late, episode[stays]
        first = np.array([starts.new.get(int(index), 0) for index in episode], np.int64)
        values: dict[str, Any] = {"frame_index": frame, "index": first + frame}
        if "timestamp" in table.column_names:
            values["timestamp"] = table["timestamp"].to_numpy() - late / layout.fps
        write_table(_with(table, values), out / path.relative_to(layout.folder))


def _with(table: Any, values: Mapping[str, Any]) -> Any:
    """A table with other values in the columns of these names that it has, each of its old type."""
    for name, column in values.items():
        place = table.schema.get_field_index(name)
        if place >= 0:
            field = table.schema.field(place)
            table = table.set_column(place, field, arrow().array(column).cast(field.type))
    return table

"""The episodes of a LeRobot data set: how long, what was asked for, and where each camera's pictures are."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from actor_observer.errors import TakeError, UserError, first_line
from actor_observer.pairs.lerobot.layout import Layout, read_small, whole
from actor_observer.pairs.lerobot.parquet import read_columns
from actor_observer.pairs.manifest import Fault
from actor_observer.pairs.table import MOST_SECONDS

__all__ = ["Episode", "Window", "episode_files", "read_episodes"]


@dataclass(frozen=True)
class Window:
    """Where a camera's pictures of one episode are."""

    file: Path
    start: float = 0.0  # seconds in the file
    end: float = math.inf  # without end: the file is the episode's own


@dataclass(frozen=True)
class Episode:
    """One episode, as the data set describes it."""

    index: int
    frames: int  # rows, and pictures of every camera
    tasks: tuple[str, ...]
    data: Path  # the table that has its rows
    windows: Mapping[str, Window] = field(default_factory=dict)  # by camera

    @property
    def name(self) -> str:
        """Of the event.

        >>> Episode(7, 30, (), Path("a.parquet")).name
        'episode_000007'
        """
        return f"episode_{self.index:06d}"


def read_episodes(layout: Layout) -> tuple[list[Episode], list[Fault]]:
    """All episodes that can be, in order, and a fault for each that cannot."""
    found: dict[int, Episode] = {}
    faults: list[Fault] = []
    for place, row in _rows_of_files(layout) if layout.joined else _rows_of_lines(layout, faults):
        try:
            episode = _episode(layout, place, row)
        except TakeError as error:
            faults.append(Fault(error.path, error.fault, left_out=True))
            continue
        if episode.index in found:
            faults.append(Fault(place, f"episode {episode.index} appears twice; the first is kept", left_out=True))
        else:
            found[episode.index] = episode
    return [found[index] for index in sorted(found)], faults


def episode_files(layout: Layout) -> list[Path]:
    """The tables of episodes, in order (version 3)."""
    return sorted((layout.folder / "meta" / "episodes").glob("*/*.parquet"))


def _rows_of_lines(layout: Layout, faults: list[Fault]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Version 2: `meta/episodes.jsonl`, an episode in each line."""
    path = layout.folder / "meta" / "episodes.jsonl"
    for number, line in enumerate(read_small(path).splitlines(), start=1):
        place = f"{path} line {number}"
        try:
            row = json.loads(line) if line.strip() else None
        except (ValueError, RecursionError) as error:
            faults.append(Fault(place, f"not JSON ({first_line(error)[:80]})", left_out=True))
            continue
        if isinstance(row, dict):
            yield place, row
        elif row is not None:
            faults.append(Fault(place, "not an episode", left_out=True))


def _rows_of_files(layout: Layout) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Version 3: rows of `meta/episodes/*/*.parquet`, without their statistics."""
    files = episode_files(layout)
    if not files:
        raise UserError(f"{layout.folder / 'meta' / 'episodes'}: no tables of episodes in it")
    wanted = ["episode_index", "tasks", "length", "data/chunk_index", "data/file_index"]
    for camera in layout.cameras:
        wanted += [f"videos/{camera}/{name}" for name in ("chunk_index", "file_index", *ENDS)]
    for path in files:
        columns = read_columns(path, wanted)
        for number in range(len(next(iter(columns.values()), []))):
            yield str(path), {name: values[number] for name, values in columns.items()}


ENDS = ("from_timestamp", "to_timestamp")


def _episode(layout: Layout, place: str, row: Mapping[str, Any]) -> Episode:
    index, frames = whole(row.get("episode_index")), whole(row.get("length"))
    if index is None or index > 10**9:
        raise TakeError(place, f"{str(row.get('episode_index'))[:20]!r} is not an episode's number")
    if frames is None or not frames:
        raise TakeError(place, f"episode {index} has no frames")
    tasks = row.get("tasks")
    told = tuple(str(task) for task in tasks if task is not None) if isinstance(tasks, list) else ()
    if not layout.joined:
        own = {"episode_chunk": index // layout.chunk, "episode_index": index}
        windows = {camera: Window(layout.video_file(camera, **own)) for camera in layout.cameras}
        return Episode(index, frames, told, layout.data_file(**own), windows)
    windows = {camera: _window(layout, place, index, camera, row) for camera in layout.cameras}
    data = layout.data_file(**_numbers(place, index, "data", row))
    return Episode(index, frames, told, data, windows)


def _window(layout: Layout, place: str, index: int, camera: str, row: Mapping[str, Any]) -> Window:
    file = layout.video_file(camera, **_numbers(place, index, f"videos/{camera}", row))
    start, end = (row.get(f"videos/{camera}/{name}") for name in ENDS)
    good = all(isinstance(one, (int, float)) and math.isfinite(one) for one in (start, end))
    if not good or not 0 <= start < end <= MOST_SECONDS:  # type: ignore[operator]
        said = f"from {str(start)[:20]} to {str(end)[:20]} s"
        raise TakeError(place, f"episode {index}: {camera} goes {said}, which is no stretch of a file")
    return Window(file, float(start), float(end))  # type: ignore[arg-type]


def _numbers(place: str, index: int, what: str, row: Mapping[str, Any]) -> dict[str, int]:
    numbers = {name: whole(row.get(f"{what}/{name}")) for name in ("chunk_index", "file_index")}
    if None in numbers.values():
        raise TakeError(place, f"episode {index}: nothing says which file its {what} are in")
    return {name: number for name, number in numbers.items() if number is not None}

"""Columns of a parquet file as plain lists or arrays; what is wrong with a file is one line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from actor_observer.errors import TakeError, first_line, missing_extra

__all__ = ["arrow", "column_names", "read_columns", "read_rows", "read_table", "write_table"]

MOST_ROWS = 50_000_000  # of a file: a few bytes can claim any number


def arrow() -> Any:
    """The module that reads parquet, which is an extra."""
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise missing_extra("LeRobot's tables (parquet)", "data") from error
    return pyarrow


def column_names(path: Path) -> list[str]:
    """The names of a file's columns; one that claims more rows than can be is a `TakeError`."""
    told = _tried(path, lambda: arrow().parquet.read_metadata(path))
    if told.num_rows > MOST_ROWS:
        raise TakeError(path, f"claims {told.num_rows} rows, too many")
    return [*_tried(path, lambda: arrow().parquet.read_schema(path).names)]


def read_columns(path: Path, wanted: Sequence[str]) -> dict[str, list[Any]]:
    """These columns, those of them that there are."""
    there = set(column_names(path))
    some = [name for name in wanted if name in there]
    table = _tried(path, lambda: arrow().parquet.read_table(path, columns=some))
    return {name: table.column(name).to_pylist() for name in some}


def read_rows(path: Path, columns: Sequence[str], episode: int) -> Any:
    """A table of the rows of one episode, in order, by the column `episode_index` where there is one."""
    there = set(column_names(path))
    some = [name for name in columns if name in there]
    only = [("episode_index", "==", episode)] if "episode_index" in there else None
    return _tried(path, lambda: arrow().parquet.read_table(path, columns=some, filters=only))


def read_table(path: Path) -> Any:
    """All of a file."""
    column_names(path)
    return _tried(path, lambda: arrow().parquet.read_table(path))


def write_table(table: Any, path: Path) -> None:
    """A new file, its folder too."""
    path.parent.mkdir(parents=True, exist_ok=True)
    arrow().parquet.write_table(table, path)


def _tried(path: Path, read: Any) -> Any:
    arrow()
    if not path.is_file():
        raise TakeError(path, "not a regular file" if path.exists() else "no such file")
    try:
        return read()
    except (
        OSError,
        ValueError,
        MemoryError,
        NotImplementedError,
        RuntimeError,
        KeyError,
    ) as error:  # arrow's own are these
        raise TakeError(path, f"not a readable parquet file ({first_line(error)[:100]})") from None

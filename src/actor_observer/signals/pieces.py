"""Tables on disk, read piece by piece: CSV, npz, parquet. A piece has an array (n,) or (n, K) for each column."""

from __future__ import annotations

import csv
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from actor_observer.errors import TakeError, first_line, missing_extra

__all__ = ["PIECE", "READERS", "Piece"]

Piece = dict[str, NDArray[Any]]  # numbers as float64 or int64; texts as they are
PIECE = 65_536  # rows
MOST_COLUMNS = 4096  # of a table: more is no table of signals
MOST_WIDE = 1024  # numbers in one cell of a nested list: more is a picture
MOST_BYTES = 4 << 30  # of an npz file's array: it is read whole


def csv_pieces(path: Path) -> Iterator[Piece]:
    """Of a text file with commas, semicolons, tabs or spaces between numbers; `#` begins a remark."""
    with path.open(newline="", encoding="utf-8-sig", errors="replace") as file:
        rows = _rows(path, file)
        first = next(rows, None)
        if first is None:
            raise TakeError(path, "no rows in it")
        headed = any(_number(cell) is None and cell.strip() for cell in first)
        names = [cell.strip() or f"column {place + 1}" for place, cell in enumerate(first)]
        names = names if headed else [f"column {place + 1}" for place in range(len(first))]
        if len(names) > MOST_COLUMNS:
            raise TakeError(path, f"{len(names)} columns, too many")
        texts: set[str] = set()
        held = [] if headed else [first]
        for row in rows:
            held.append(row)
            if len(held) >= PIECE:
                yield _columns(names, held, texts)
                held = []
        if held or headed:
            yield _columns(names, held, texts)


def _rows(path: Path, file: TextIO) -> Iterator[list[str]]:
    start = file.read(65_536)
    file.seek(0)
    if "\0" in start:
        raise TakeError(path, "not a table of text: it holds bytes that no text has")
    line = next((line for line in start.splitlines() if line.strip() and not line.startswith("#")), "")
    between = max(",;\t", key=line.count)
    if not line.count(between):
        between = " "
    lines = (line for line in file if line.strip() and not line.startswith("#"))
    try:
        yield from csv.reader(lines, delimiter=between, skipinitialspace=True)
    except csv.Error as error:
        raise TakeError(path, f"not a table ({first_line(error)})") from None


def _columns(names: list[str], rows: list[list[str]], texts: set[str]) -> Piece:
    """Rows as columns; a column in which most cells are words stays text, in all pieces."""
    width = len(names)
    even = rows if all(len(row) == width for row in rows) else [(row + [""] * width)[:width] for row in rows]
    found: Piece = {}
    for name, cells in zip(names, zip(*even, strict=True) if even else [()] * width, strict=True):
        if name in texts:
            found[name] = np.array(cells, dtype=object)
            continue
        try:
            found[name] = np.array(cells, dtype="U").astype(np.float64)
        except ValueError:
            numbers = [_number(cell) for cell in cells]
            words = sum(number is None and bool(cell.strip()) for number, cell in zip(numbers, cells, strict=True))
            if words > 0.5 * len(cells):
                texts.add(name)
                found[name] = np.array(cells, dtype=object)
            else:
                found[name] = np.array([np.nan if number is None else number for number in numbers])
    return found


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        pass
    try:
        return float(cell.replace(",", "."))  # half of Europe
    except ValueError:
        return None


def npz_pieces(path: Path) -> Iterator[Piece]:
    """Of numpy's arrays, each a column (T,) or several (T, K); all have as many rows as the longest."""
    found: Piece = {}
    try:
        with zipfile.ZipFile(path) as archive:
            _refuse_large(path, archive)
        with np.load(path, allow_pickle=False) as file:
            for name in file.files:
                values = file[name]
                if values.ndim in (1, 2) and (values.dtype.kind in "fiub" or values.dtype.kind in "MU"):
                    found[name] = _plain(values)
    except (OSError, ValueError, zipfile.BadZipFile, EOFError) as error:
        raise TakeError(path, f"not arrays of numbers ({first_line(error)[:100]})") from None
    rows = max((len(values) for values in found.values()), default=0)
    found = {name: values for name, values in found.items() if len(values) == rows}
    for start in range(0, max(rows, 1), PIECE):
        yield {name: values[start : start + PIECE] for name, values in found.items()}


def _refuse_large(path: Path, archive: zipfile.ZipFile) -> None:
    """A few kilobytes can claim any size."""
    for item in archive.infolist():
        with archive.open(item) as file:
            version = npy.read_magic(file)
            read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
            shape, _, kind = read(file)
        if kind.hasobject:
            raise TakeError(path, f"{item.filename}: objects, not numbers")
        if int(np.prod(shape, dtype=np.float64)) * kind.itemsize > MOST_BYTES:
            raise TakeError(path, f"{item.filename}: claims an array of {shape}, too large")


def parquet_pieces(path: Path) -> Iterator[Piece]:
    """Of a parquet file; lists of numbers, as LeRobot has them, are several columns; pictures are left out."""
    try:
        import pyarrow as arrow
        import pyarrow.parquet as parquet
    except ImportError:
        raise missing_extra(f"{path}: reading parquet", "data") from None
    try:
        with parquet.ParquetFile(path) as file:
            wanted = [field.name for field in file.schema_arrow if _numeric(arrow, field.type)]
            for batch in file.iter_batches(PIECE, columns=wanted):
                found = {name: _arrow(arrow, batch.column(name)) for name in batch.schema.names}
                yield {name: values for name, values in found.items() if values is not None}
    except arrow.ArrowException as error:
        raise TakeError(path, f"not a parquet file, or damaged ({first_line(error)[:100]})") from None


def _numeric(arrow: Any, kind: Any) -> bool:
    types = arrow.types
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return bool(types.is_floating(kind.value_type) or types.is_integer(kind.value_type))
    plain = types.is_floating(kind) or types.is_integer(kind) or types.is_boolean(kind)
    return bool(plain or types.is_timestamp(kind) or types.is_string(kind))


def _arrow(arrow: Any, column: Any) -> NDArray[Any] | None:
    """A column of a batch; None where its lists differ in length."""
    kind = column.type
    if not (arrow.types.is_list(kind) or arrow.types.is_large_list(kind) or arrow.types.is_fixed_size_list(kind)):
        return _plain(column.to_numpy(zero_copy_only=False))
    rows = len(column)
    flat = column.flatten()
    if not rows or column.null_count or len(flat) % rows or not 0 < len(flat) // rows <= MOST_WIDE:
        return None
    if not arrow.types.is_fixed_size_list(kind) and len({len(one) for one in column}) > 1:
        return None
    return np.asarray(flat.to_numpy(zero_copy_only=False), np.float64).reshape(rows, -1)


def _plain(values: NDArray[Any]) -> NDArray[Any]:
    """As float64, or int64 where it would lose digits; dates as nanoseconds."""
    if values.dtype.kind == "M":
        return values.astype("datetime64[ns]").astype(np.int64)
    if values.dtype.kind in "iu":
        return values.astype(np.int64)
    return values.astype(np.float64) if values.dtype.kind in "fb" else values.astype(object)


READERS: dict[str, Callable[[Path], Iterator[Piece]]] = {
    ".csv": csv_pieces,
    ".tsv": csv_pieces,
    ".txt": csv_pieces,
    ".npz": npz_pieces,
    ".parquet": parquet_pieces,
}

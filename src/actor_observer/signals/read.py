"""Read a signal from a file: which column is time and in which unit, which columns count."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actor_observer.console import counted
from actor_observer.errors import TakeError
from actor_observer.pairs.table import MOST_SECONDS
from actor_observer.pairs.window import bounds_in, file_of, is_window
from actor_observer.signals.groups import stem_of
from actor_observer.signals.pieces import READERS, Piece
from actor_observer.signals.signal import Signal, cut_signal, from_rows
from actor_observer.signals.stamps import UNITS, find_time, parse_date, unit_of
from actor_observer.signals.thin import Thinner
from actor_observer.signals.wrapping import Unwrapper

__all__ = ["SUFFIXES", "is_signal", "read_signal", "rows_of"]

Array = NDArray[np.float64]
SUFFIXES = frozenset(READERS)
FEWEST = 10  # rows
PARTS = 8  # of a piece, in each of which the usual step between rows is looked at
CHANGED = 300.0  # times as long steps in one part as in another: the unit of time changed


def is_signal(path: str | Path) -> bool:
    """Whether a file is a table of numbers by its name.

    >>> is_signal("imu.csv"), is_signal("room.mp4")
    (True, False)
    """
    return file_of(Path(path)).suffix.lower() in SUFFIXES


def read_signal(path: str | Path, time: str | None = None, columns: Sequence[str] = ()) -> Signal:
    """A table of numbers over time: CSV, npz or parquet.

    Args:
        path: the file.
        time: the column that says when; None: found by its name and by never running backwards.
        columns: those that count, each a column's name or that of several (`gyro` for gyro_x, gyro_y, gyro_z); none:
            all that move.

    >>> read_signal("no-such.csv")
    Traceback (most recent call last):
    actor_observer.errors.TakeError: no-such.csv: no such file
    """
    whole, path = Path(path), file_of(Path(path))
    if not path.is_file():
        raise TakeError(path, "not a regular file" if path.exists() else "no such file")
    if not path.stat().st_size:
        raise TakeError(path, "the file is empty")
    try:
        pieces = READERS[path.suffix.lower()](path)
        first = next(pieces, None)
        if first is None or not first:
            raise TakeError(path, "no numbers in it")
        plan = _planned(path, _flat(first), time, columns)
        found = _gathered(path, plan, _chained(first, pieces))
        return cut_signal(found, *bounds_in(whole, found.length)) if is_window(whole) else found
    except OSError as error:
        raise TakeError(path, f"cannot be read ({error.strerror or error})") from None


def rows_of(path: Path, time: str) -> Iterator[tuple[Array, dict[str, NDArray[Any]]]]:
    """All rows piece by piece: own seconds (n,), and every column as it is."""
    pieces = READERS[path.suffix.lower()](path)
    first = next(pieces)
    unit = _planned(path, _flat(first), time, ()).unit
    begun: float | int | None = None
    for piece in _chained(first, pieces):
        stamps = _stamps(piece[time], unit)
        known = np.isfinite(stamps.astype(np.float64))
        if begun is None and known.any():
            begun = stamps[known][0].item()
        if begun is not None:
            yield (stamps - begun).astype(np.float64) * UNITS.get(unit, 1.0), piece


@dataclass(frozen=True)
class _Plan:
    """What to take of every piece."""

    time: str
    unit: str  # of UNITS, or "dates"
    columns: tuple[str, ...]
    notes: tuple[str, ...]


def _flat(piece: Piece) -> dict[str, NDArray[Any]]:
    """Columns of several numbers as several columns."""
    found: dict[str, NDArray[Any]] = {}
    for name, values in piece.items():
        if values.ndim == 1:
            found[name] = values
        else:
            found |= {f"{name}[{place}]": values[:, place] for place in range(values.shape[1])}
    return found


def _chained(first: Piece, others: Iterator[Piece]) -> Iterator[dict[str, NDArray[Any]]]:
    yield _flat(first)
    for piece in others:
        yield _flat(piece)


def _planned(path: Path, piece: dict[str, NDArray[Any]], time: str | None, columns: Sequence[str]) -> _Plan:
    numbers = {name: values.astype(np.float64) for name, values in piece.items() if values.dtype != object}
    dates = {name: found for name, values in piece.items() if values.dtype == object and (found := _dates(values))}
    if time is not None and time not in piece:
        raise TakeError(path, f"--time {time}: no such column; there are {_listed(piece)}")
    if time is not None and time not in numbers and time not in dates:
        raise TakeError(path, f"--time {time}: it holds neither numbers nor dates")
    chosen = time or find_time({name: np.array(values) for name, values in dates.items()}) or find_time(numbers)
    if chosen is None:
        raise TakeError(path, f"no column says when: name it with --time COLUMN ({_listed(piece)})")
    stamps = np.array(dates[chosen]) if chosen in dates else numbers[chosen]
    stamps = stamps[np.isfinite(stamps)]
    if not len(stamps):
        raise TakeError(path, f"no row has a time in column {chosen}: nothing can be told from it")
    unit = "dates" if chosen in dates else unit_of(chosen, stamps)
    others = [name for name in numbers if name != chosen]
    if columns:
        for wanted in columns:
            if not any(_named(name, wanted) for name in others):
                raise TakeError(path, f"--columns {wanted}: no such column of numbers; there are {_listed(others)}")
        others = [name for name in others if any(_named(name, wanted) for wanted in columns)]
    if not others:
        raise TakeError(path, "no numbers in it besides the time")
    texts = [name for name in piece if name not in numbers and name != chosen]
    notes = (f"left out, as they are text: {_listed(texts)}",) if texts else ()
    return _Plan(chosen, unit, tuple(others), notes)


def _named(name: str, wanted: str) -> bool:
    return wanted in (name, stem_of(name), name.split("[")[0])


def _listed(names: Sequence[str] | dict[str, NDArray[Any]] | dict[str, Array]) -> str:
    """Some names, not too many."""
    some = list(dict.fromkeys(name.split("[")[0] for name in names))
    return ", ".join(some[:8]) + (f" and {len(some) - 8} more" if len(some) > 8 else "")


def _dates(values: NDArray[Any]) -> list[float]:
    """Seconds since 1970 of texts that are dates; [] if they are not."""
    few = [parse_date(str(text)) for text in values[:3]]
    if not few or any(one is None for one in few):
        return []
    return [found if (found := parse_date(str(text))) is not None else np.nan for text in values]


def _gathered(path: Path, plan: _Plan, pieces: Iterator[dict[str, NDArray[Any]]]) -> Signal:
    """All rows: stamps in seconds, angles unwrapped, thinned out."""
    unwrap, thin = Unwrapper(len(plan.columns)), Thinner(len(plan.columns))
    first: float | int | None = None
    rows, last = 0, 0.0
    steps: list[float] = []
    for piece in pieces:
        stamps = _stamps(piece[plan.time], plan.unit)
        known = np.isfinite(stamps.astype(np.float64))
        if not known.any():
            rows += len(stamps)
            continue
        if first is None:
            first = stamps[known][0].item()  # before numbers lose digits
        seconds = (stamps[known] - first).astype(np.float64) * UNITS.get(plan.unit, 1.0)
        _refuse_backwards(path, plan, seconds, last, rows)
        if len(seconds) >= 4 * FEWEST:
            steps += [float(np.median(some)) for some in np.array_split(np.diff(seconds), PARTS)]
        values = np.stack([_numbers(piece.get(name), len(stamps)) for name in plan.columns], axis=1)[known]
        thin.add(seconds, unwrap(values))
        rows, last = rows + len(stamps), float(seconds[-1])
        if last > MOST_SECONDS:
            raise TakeError(path, f"{plan.time} says that it lasts {last / 3600:.0f} hours: is its unit {plan.unit}?")
    if rows < FEWEST or first is None:
        raise TakeError(path, f"only {counted(rows, 'row')} with a time: nothing can be told from that")
    times, table = thin.kept()
    if len(times) < FEWEST:
        raise TakeError(path, f"its {rows} rows lie within {last:.3g} s by {plan.time} in {plan.unit}: wrong unit?")
    if steps and max(steps) > CHANGED * max(min(steps), 1e-9):
        raise TakeError(path, f"the steps of {plan.time} change a thousandfold: are its units mixed?")
    found = from_rows(times, table, plan.columns, plan.time, plan.unit, plan.notes)
    start = float(first) * UNITS.get(plan.unit, 1.0)
    return replace(found, first=start, started=_since_1970(start))


def _stamps(values: NDArray[Any], unit: str) -> NDArray[Any]:
    if unit != "dates":
        return values
    return np.array([found if (found := parse_date(str(text))) is not None else np.nan for text in values])


def _numbers(values: NDArray[Any] | None, rows: int) -> Array:
    """A column of a piece; what is not there, or is text in this piece, is not known."""
    if values is None or values.dtype == object:
        return np.full(rows, np.nan)
    return values.astype(np.float64)


def _refuse_backwards(path: Path, plan: _Plan, seconds: Array, last: float, rows: int) -> None:
    back = np.flatnonzero(np.diff(seconds, prepend=last) < 0)
    if len(back):
        raise TakeError(path, f"{plan.time} runs backwards at row {rows + int(back[0]) + 1}: sort the rows by time")


def _since_1970(start: float) -> datetime.datetime | None:
    """The date of a stamp that counts seconds since 1970; None for one that counts from anywhere else."""
    if not 9e8 < start < 4e9:
        return None
    return datetime.datetime.fromtimestamp(start, datetime.UTC).replace(tzinfo=None)

"""Read CSV files by the names of their columns, with any line endings; what is wrong is said in one line."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable
from pathlib import Path

from actor_observer.errors import UserError
from actor_observer.pairs.manifest import Action

__all__ = [
    "clip_actions",
    "columns_of",
    "is_safe_id",
    "parse_actions",
    "parse_length",
    "parse_rate",
    "parse_stretches",
    "read_table",
]

_LONGEST_ID = 200  # characters: file names are made of ids, and most disks allow 255 bytes
MOST_SECONDS = 48 * 3600.0  # of a recording: whoever states more is not believed
LEAST_RATE, MOST_RATE = 1e-3, 1e4  # frames a second
_ROUNDING = 0.05  # seconds: annotations come with one or two decimals


def read_table(path: Path, required: Iterable[str] = ()) -> list[dict[str, str]]:
    """Rows of a CSV as dictionaries of stripped strings; short rows are filled with "".

    >>> read_table(Path("no-such.csv"))
    Traceback (most recent call last):
    actor_observer.errors.UserError: no-such.csv: no such file
    """
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file, restval="")
            columns = [(name or "").strip() for name in reader.fieldnames or ()]
            reader.fieldnames = columns
            missing = [name for name in required if name not in columns]
            if missing:
                have = ", ".join(columns) or "nothing: the file is empty"
                raise UserError(f"{path}: missing column(s) {', '.join(missing)} (it has {have})")
            return [{key: (value or "").strip() for key, value in row.items() if key} for row in reader]
    except FileNotFoundError:
        raise UserError(f"{path}: no such file") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 text (byte {error.start}); save it as UTF-8") from None
    except (csv.Error, OSError) as error:
        raise UserError(f"{path}: cannot be read as CSV ({error})") from None


def columns_of(path: Path) -> set[str]:
    """The names of a CSV file's columns; none where it cannot be read.

    >>> columns_of(Path("no-such.csv"))
    set()
    """
    try:
        with path.open(encoding="utf-8-sig", errors="replace") as file:
            return {name.strip().strip('"') for name in file.readline().split(",")}
    except OSError:
        return set()


def parse_actions(text: str) -> tuple[list[Action], list[str]]:
    """`c092 11.90 21.20;c147 0.00 12.60` as actions, and a line for each part that could not be read.

    >>> parse_actions("pour tea 0.00 12.60;c001 x 3")
    ([Action(label='pour tea', start=0.0, end=12.6)], ["action 'c001 x 3' is not `label start end`"])
    """
    stretches, complaints = parse_stretches(text)
    actions = []
    for label, start, end in stretches:
        if math.isfinite(start) and math.isfinite(end) and end > start:
            actions.append(Action(label, start, end))
        else:
            complaints.append(f"action '{label} {start:g} {end:g}' does not end after it starts")
    return actions, complaints


def parse_stretches(text: str) -> tuple[list[tuple[str, float, float]], list[str]]:
    """As `parse_actions`, but with stretches that end before they start: Charades' scorer counts their labels too.

    >>> parse_stretches("c001 5.0 3.0")
    ([('c001', 5.0, 3.0)], [])
    """
    stretches, complaints = [], []
    for part in filter(None, (part.strip() for part in text.split(";"))):
        words = part.rsplit(maxsplit=2)
        try:
            stretches.append((words[0], float(words[1]), float(words[2])))
        except (IndexError, ValueError):
            complaints.append(f"action {part!r} is not `label start end`")
    return stretches, complaints


def clip_actions(actions: Iterable[Action], length: float) -> tuple[tuple[Action, ...], int]:
    """The actions within a take of this length, and how many reached past an end of it (by more than rounding).

    >>> clip_actions([Action("c001", 1.0, 9.0), Action("c002", 8.5, 9.0)], length=8.0)
    ((Action(label='c001', start=1.0, end=8.0),), 2)
    """
    actions = list(actions)
    clipped = [Action(a.label, max(0.0, a.start), min(a.end, length)) for a in actions]
    changed = sum(a.start < -_ROUNDING or a.end > length + _ROUNDING for a in actions)
    return tuple(action for action in clipped if action.end > action.start), changed


def parse_length(text: str) -> float | None:
    """Seconds of a recording, or None when the cell is blank or holds no length that one can have.

    >>> parse_length("31.20"), parse_length(""), parse_length("-1"), parse_length("1e9")
    (31.2, None, None, None)
    """
    return _number_in(text, 0.0, MOST_SECONDS)


def parse_rate(text: str) -> float | None:
    """Frames a second, or None when the cell is blank or holds no rate that frames can have.

    >>> parse_rate("23.976"), parse_rate("1e-300"), parse_rate("1e9")
    (23.976, None, None)
    """
    return _number_in(text, LEAST_RATE, MOST_RATE)


def _number_in(text: str, least: float, most: float) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if least <= number <= most and number > 0 else None


def path_in_csv(path: str) -> str:
    """A relative path for a CSV cell that no spreadsheet takes for a formula.

    >>> path_in_csv("=cmd.mp4"), path_in_csv("videos/a.mp4")
    ('./=cmd.mp4', 'videos/a.mp4')
    """
    return f"./{path}" if path.startswith(("=", "+", "-", "@", "\t", "\r")) else path


def is_safe_id(text: str) -> bool:
    """Whether an id can be a file name: no separators, no way out of the folder, nothing unprintable.

    >>> is_safe_id("AB1CDEGO"), is_safe_id("../secret"), is_safe_id("")
    (True, False, False)
    """
    return 0 < len(text) <= _LONGEST_ID and text.isprintable() and not set(text) & set("/\\:") and text[0] != "."

"""Labels as CSV, with the time in each recording; and marks from CSV, such as the studio's marks.csv."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from actor_observer.alignment.labels.label import Label
from actor_observer.errors import UserError

__all__ = ["as_typed", "csv_of", "plain", "rows_in"]

COLUMNS = ("start", "end", "label", "comment", "tier")
MOST = 32 << 20  # bytes of a file


def csv_of(labels: Sequence[Label], names: Sequence[str], owns: Sequence[Sequence[float]]) -> str:
    """A row for each label: its times on the common clock, and `owns`, its start in each of the recordings named.

    >>> print(csv_of([Label(2.0, None, "grasp")], ["room.mp4"], [[2.5]]).splitlines()[1])
    2.000,,grasp,,marks,2.500
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*COLUMNS, *names])
    for one, own in zip(labels, owns, strict=True):
        ends = [f"{one.start:.3f}", "" if one.end is None else f"{one.end:.3f}"]
        said = [plain(words) for words in (one.text, one.comment, one.tier)]
        writer.writerow([*ends, *said, *(f"{time:.3f}" for time in own)])
    return text.getvalue()


def rows_in(content: bytes) -> list[dict[str, str]]:
    r"""The rows of a file, by column; it needs `third` (as the studio writes it) or `start`.

    >>> rows_in(b"third,first,label\n2.5,1.0,grasp\n")
    [{'third': '2.5', 'first': '1.0', 'label': 'grasp'}]
    """
    if len(content) > MOST:
        raise UserError(f"larger than {MOST >> 20} MB")
    try:
        reader = csv.DictReader(io.StringIO(content.decode("utf-8-sig")), strict=True)
        rows = [{name: value or "" for name, value in row.items() if name} for row in reader]
        columns = reader.fieldnames or ()
    except (UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"not CSV in UTF-8 ({error})") from error
    if "third" not in columns and "start" not in columns:
        raise UserError("needs a column third, as in the studio's marks.csv, or start: seconds")
    return rows


def plain(text: str) -> str:
    """Text that people typed, with a quote before it where a spreadsheet would take it for a formula and run it.

    >>> plain("=HYPERLINK(1)"), plain("a kitchen"), plain("-")
    ("'=HYPERLINK(1)", 'a kitchen', "'-")
    """
    return f"'{text}" if text[:1] in _FORMULA else text


def as_typed(cell: str) -> str:
    """The text that `plain` made safe.

    >>> as_typed("'=HYPERLINK(1)"), as_typed("'tis")
    ('=HYPERLINK(1)', "'tis")
    """
    return cell[1:] if cell[:1] == "'" and cell[1:2] in _FORMULA else cell


_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a cell begins with that a spreadsheet runs

"""A table of figures, and how it is written: for a terminal, JSON, Markdown, LaTeX."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rich.table import Table

from actor_observer.errors import UserError
from actor_observer.evaluation.statistics.bootstrap import Interval

__all__ = ["Cell", "Figures", "as_latex", "as_markdown"]

Cell = Interval | float | int | str | None


@dataclass(frozen=True)
class Figures:
    """One table. `percent` columns hold shares from 0 to 1 and are shown as percentages.

    >>> table = Figures("fair-correspondence", "Fair correspondence", ("all",), {"chance": (0.5,)}, percent=("all",))
    >>> print(as_markdown(table))
    **Fair correspondence**
    <BLANKLINE>
    | | all |
    |---|---|
    | chance | 50.0 |
    """

    key: str  # in tables.json
    title: str
    columns: tuple[str, ...]
    rows: dict[str, tuple[Cell, ...]]
    percent: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        for name, cells in self.rows.items():
            if len(cells) != len(self.columns):
                raise ValueError(f"{self.key}: row {name!r} has {len(cells)} cells for {len(self.columns)} columns")

    def text(self, row: str) -> list[str]:
        """The cells of a row as text."""
        pairs = zip(self.columns, self.rows[row], strict=True)
        return [_text(cell, column in self.percent) for column, cell in pairs]

    def to_dict(self) -> dict[str, Any]:
        """Title, notes, columns in percent, and rows as {column: value}, an interval as {value, low, high}."""
        rows = {
            name: {column: _plain(cell) for column, cell in zip(self.columns, cells, strict=True)}
            for name, cells in self.rows.items()
        }
        return {"title": self.title, "rows": rows, "percent": list(self.percent), "notes": list(self.notes)}

    @classmethod
    def from_dict(cls, key: str, table: Mapping[str, Any]) -> Figures:
        """Read back the table that `to_dict` wrote; the file may have been edited, so anything in it may be wrong.

        >>> table = Figures("k", "Title", ("a",), {"row": (Interval(0.5, 0.4, 0.6),)}, ("a",), ("note",))
        >>> Figures.from_dict("k", table.to_dict()) == table
        True
        """
        try:
            rows = {str(name): dict(cells) for name, cells in table["rows"].items()}
            columns = tuple(map(str, dict.fromkeys(column for cells in rows.values() for column in cells)))
            cells = {name: tuple(_cell(row.get(column)) for column in columns) for name, row in rows.items()}
            percent, notes = (tuple(map(str, table.get(name, ()))) for name in ("percent", "notes"))
            return cls(key, str(table["title"]), columns, cells, percent, notes)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise UserError(f"{key}: not a table of evaluate ({error}); evaluate again") from error

    def as_rich(self) -> Table:
        """For the terminal."""
        table = Table(title=self.title, title_justify="left", caption="\n".join(self.notes), caption_justify="left")
        table.add_column("")
        for column in self.columns:
            table.add_column(column, justify="right")
        for row in self.rows:
            table.add_row(row, *self.text(row))
        return table


def as_markdown(table: Figures) -> str:
    """The table as GitHub shows it."""
    lines = [f"**{table.title}**", "", f"| | {' | '.join(table.columns)} |", "|---" * (len(table.columns) + 1) + "|"]
    lines += [f"| {row} | {' | '.join(table.text(row))} |" for row in table.rows]
    lines += ["", *(f"{note}  " for note in table.notes)] if table.notes else []
    return "\n".join(lines)


def as_latex(table: Figures) -> str:
    r"""The table for a paper, with booktabs.

    >>> print(as_latex(Figures("k", "Title", ("a & b",), {"row_1": (1,)})).splitlines()[1])
     & a \& b \\ \midrule
    """
    lines = [rf"\begin{{tabular}}{{@{{}}l{'r' * len(table.columns)}@{{}}}} \toprule"]
    lines.append(f" & {' & '.join(map(_escape, table.columns))} \\\\ \\midrule")
    lines += [f"{_escape(row)} & {' & '.join(map(_escape, table.text(row)))} \\\\" for row in table.rows]
    lines += [r"\bottomrule", r"\end{tabular}", f"% {table.title}", *(f"% {note}" for note in table.notes)]
    return "\n".join(lines)


def _text(cell: Cell, percent: bool) -> str:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return "–"
    if isinstance(cell, Interval):
        if math.isnan(cell.value):
            return "–"
        return cell.percent() if percent else cell.text(2)
    if isinstance(cell, float):
        return f"{100 * cell:.1f}" if percent else f"{cell:.2f}"
    return str(cell)


def _plain(cell: Cell) -> Any:
    if isinstance(cell, Interval):
        return {name: _plain(getattr(cell, name)) for name in ("value", "low", "high")}
    if isinstance(cell, float) and not math.isfinite(cell):
        return None  # JSON has no NaN
    return cell


def _cell(value: Any) -> Cell:
    if isinstance(value, dict):
        numbers = (value[name] for name in ("value", "low", "high"))
        return Interval(*(math.nan if number is None else float(number) for number in numbers))
    return value if value is None or isinstance(value, float | int) else str(value)


def _escape(text: str) -> str:
    for sign in "&%_#":
        text = text.replace(sign, "\\" + sign)
    return text

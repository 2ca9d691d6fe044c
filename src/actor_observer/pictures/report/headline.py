"""The most important figures of every method, in one small table."""

from __future__ import annotations

from collections.abc import Mapping

from actor_observer.evaluation.statistics.bootstrap import Interval
from actor_observer.evaluation.tables.layout import Cell, Figures

__all__ = ["headline", "in_words", "row_of"]

COLUMNS = (
    "correspondence, fair (%)",
    "every moment, median error (s)",
    "zero-shot mAP (%)",
    "selector AUC, observer (%)",
    "selector AUC, actor (%)",
)
WORDS = (
    *("correspondence", "placing moments", "zero-shot recognition"),
    *("the selector on the observer’s frames", "the selector on the actor’s frames"),
)
CORRESPONDENCE, ALIGNMENT, RECOGNITION, SELECTOR = (
    *("correspondence-fair-same", "alignment-fair-same"),
    *("recognition", "selector"),
)


def headline(tables: Mapping[str, Figures]) -> Figures:
    """Chance, the rivals and the methods; same person, fair protocol. Cells that were not measured are empty.

    >>> table = Figures(CORRESPONDENCE, "", ("all",), {"chance": (0.5,), "mine, by margin": (0.8,)}, ("all",))
    >>> headline({CORRESPONDENCE: table}).text("mine")
    ['80.0', '–', '–', '–', '–']
    """
    first = _column(tables, RECOGNITION, "mAP, all frames")
    chance = next(iter(_column(tables, RECOGNITION, "chance").values()), None)
    right = _column(tables, CORRESPONDENCE, "all")
    placed = _column(tables, ALIGNMENT, "every moment, median")
    liked = _column(tables, SELECTOR, "AUC, hands and object visible")
    rows: dict[str, tuple[Cell, ...]] = {
        "chance": (right.get("chance"), placed.get("uniform guess"), chance, *[0.5 if liked else None] * 2)
    }
    for name in dict.fromkeys(row.rsplit(", by ", 1)[0] for row in right if ", by " in row):
        name = name.removesuffix(", by selector")  # of "by selector, third person only"
        rows[name] = (
            next((cell for row, cell in right.items() if row.startswith(f"{name}, by ")), None),
            placed.get(name),
            first.get(f"{name}, first person (zero-shot)"),
            liked.get(f"{name}, third person"),
            liked.get(f"{name}, first person"),
        )
    percent = tuple(column for column in COLUMNS if "(%)" in column)
    return Figures("headline", "In short", COLUMNS, rows, percent, _notes(tables))


def row_of(short: Figures, name: str) -> tuple[Cell, ...]:
    """A method's cells, whether or not its row is marked as using time; empty ones if it has no row.

    >>> row_of(Figures("headline", "", ("a", "b"), {"mine (uses time)": (0.9, None), "other": (0.5, None)}), "mine")
    (0.9, None)
    """
    rows = (cells for row, cells in short.rows.items() if row in (name, f"{name} (uses time)"))
    return next(rows, (None,) * len(short.columns))


def in_words(short: Figures, name: str) -> str:
    """Say where a method's whole interval is better than chance, and where it is not.

    >>> mine = (Interval(0.6, 0.55, 0.7), Interval(4.0, 3.0, 6.0), None, None, None)
    >>> in_words(Figures("headline", "", COLUMNS, {"chance": (0.5, 5.0, None, None, None), "mine": mine}), "mine")
    'Better than chance, with its whole interval: correspondence. Not so: placing moments.'
    """
    found: dict[bool, list[str]] = {True: [], False: []}
    chances = short.rows["chance"]
    for what, column, cell, chance in zip(WORDS, COLUMNS, row_of(short, name), chances, strict=True):
        if isinstance(cell, Interval) and cell.known and isinstance(chance, float):
            found[cell.high < chance if "error" in column else cell.low > chance].append(what)
    better = f"Better than chance, with its whole interval: {', '.join(found[True]) or 'nothing'}."
    return better + (f" Not so: {', '.join(found[False])}." if found[False] else "")


def _column(tables: Mapping[str, Figures], key: str, column: str) -> dict[str, Cell]:
    """One column of a table, by row; empty if there is no such table or column."""
    table = tables.get(key)
    if table is None or column not in table.columns:
        return {}
    place = table.columns.index(column)
    return {row: cells[place] for row, cells in table.rows.items()}


def _notes(tables: Mapping[str, Figures]) -> tuple[str, ...]:
    counts = [table.notes[0] for key in (CORRESPONDENCE, ALIGNMENT) if (table := tables.get(key)) and table.notes]
    return (*counts, "In brackets: 95 % intervals over videos.")

"""The most important figures of every method, in one small table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from actor_observer.evaluation.compared.not_looking import CANNOT_TELL, IN_PROPORTION
from actor_observer.evaluation.statistics.bootstrap import Interval
from actor_observer.evaluation.tables.alignment_tables import NEARER
from actor_observer.evaluation.tables.correspondence_tables import ABOVE
from actor_observer.evaluation.tables.layout import Cell, Figures

__all__ = ["COLUMNS", "EXCHANGED", "headline", "in_words", "row_of"]

QUADS, QUADS_ABOVE = "correspondence, fair (%)", "above not looking (points)"
MOMENTS, MOMENTS_NEARER = "every moment, median error (s)", "nearer than not looking (s)"
ZERO_SHOT, OBSERVER, ACTOR = "zero-shot mAP (%)", "selector AUC, observer (%)", "selector AUC, actor (%)"
COLUMNS = (QUADS, QUADS_ABOVE, MOMENTS, MOMENTS_NEARER, ZERO_SHOT, OBSERVER, ACTOR)
WORDS = {  # what a figure is about, and which column says how far it is above what needs no looking, or chance
    QUADS: ("correspondence", QUADS_ABOVE),
    MOMENTS: ("placing moments", MOMENTS_NEARER),
    ZERO_SHOT: ("zero-shot recognition", None),
    OBSERVER: ("the selector on the observer’s frames", None),
    ACTOR: ("the selector on the actor’s frames", None),
}
CORRESPONDENCE, ALIGNMENT, RECOGNITION, SELECTOR = (
    *("correspondence-fair-same", "alignment-fair-same"),
    *("recognition", "selector"),
)
EXCHANGED = "takes exchanged"
_SIMPLE = ("frozen features", "clock", "ridge map")  # rivals, which have their takes exchanged in the full tables alone


def headline(tables: Mapping[str, Figures]) -> Figures:
    """Chance, rules that do not look, the rivals and the methods; same person, fair protocol.

    Cells that were not measured are empty. Each method stands below itself with takes exchanged.

    >>> table = Figures(CORRESPONDENCE, "", ("all",), {"chance": (0.5,), "mine, by margin": (0.8,)}, ("all",))
    >>> headline({CORRESPONDENCE: table}).text("mine")
    ['80.0', '–', '–', '–', '–', '–', '–']
    """
    first = _column(tables, RECOGNITION, "mAP, all frames")
    chance = next(iter(_column(tables, RECOGNITION, "chance").values()), None)
    right, above = (_column(tables, CORRESPONDENCE, column) for column in ("all", ABOVE))
    placed, nearer = (_column(tables, ALIGNMENT, column) for column in ("every moment, median", NEARER))
    liked = _column(tables, SELECTOR, "AUC, hands and object visible")
    selector = [0.5 if liked else None] * 2
    rows: dict[str, tuple[Cell, ...]] = {
        "chance": (right.get("chance"), None, placed.get("uniform guess"), None, chance, *selector),
        IN_PROPORTION: (right.get(IN_PROPORTION), None, placed.get(IN_PROPORTION), *[None] * 4),
    }
    for name in dict.fromkeys(row.rsplit(", by ", 1)[0] for row in right if ", by " in row):
        name = name.removesuffix(", by selector")  # of "by selector, third person only"
        swapped = f"{name}, {EXCHANGED}"
        if swapped in right and not name.startswith(_SIMPLE):
            rows[swapped] = (right[swapped], None, placed.get(swapped), *[None] * 4)
        how = next((row for row in right if row.startswith(f"{name}, by ")), "")
        rows[name] = (
            *(right.get(how), above.get(how), placed.get(name), nearer.get(name)),
            first.get(f"{name}, first person (zero-shot)"),
            *(liked.get(f"{name}, {view} person") for view in ("third", "first")),
        )
    percent = tuple(column for column in COLUMNS if "(%)" in column or "points" in column)
    return Figures("headline", "In short", COLUMNS, rows, percent, _notes(tables))


def row_of(short: Figures, *names: str) -> tuple[Cell, ...]:
    """A method's cells, whether or not its row is marked as using time; empty ones if none of the names has a row.

    >>> row_of(Figures("headline", "", ("a", "b"), {"mine (uses time)": (0.9, None), "other": (0.5, None)}), "mine")
    (0.9, None)
    """
    known = [row for name in names for row in (name, f"{name} (uses time)") if row in short.rows]
    return short.rows[known[0]] if known else (None,) * len(short.columns)


def in_words(short: Figures, name: str) -> str:
    """Say where a method's whole interval is better than what needs no looking, or than chance, and where it is not.

    >>> mine = (Interval(0.6, 0.55, 0.7), Interval(0.04, 0.01, 0.07), Interval(4.0, 3.0, 6.0), Interval(0.1, -0.2, 0.3))
    >>> short = Figures("headline", "", COLUMNS, {"chance": (0.5, *[None] * 6), "mine": (*mine, *[None] * 3)})
    >>> print(in_words(short, "mine"))
    Better than any rule that does not look, with its whole interval: correspondence by 4.0 [1.0, 7.0] points.
    Not so: placing moments by 0.10 [-0.20, 0.30] s.
    """
    own, chance = (dict(zip(COLUMNS, cells, strict=True)) for cells in (row_of(short, name), short.rows["chance"]))
    seen: dict[bool, list[str]] = {True: [], False: []}
    guessed: dict[bool, list[str]] = {True: [], False: []}
    for column, (what, beyond) in WORDS.items():
        cell, more, least = own[column], own[beyond] if beyond else None, chance[column]
        if isinstance(more, Interval) and more.known:
            how_far = f"{more.percent()} points" if column == QUADS else f"{more.text(2)} s"
            seen[more.low > 0].append(f"{what} by {how_far}")
        elif isinstance(cell, Interval) and cell.known and isinstance(least, float):
            guessed[cell.high < least if "error" in column else cell.low > least].append(what)
    lines = [
        *_better("any rule that does not look", seen),
        *_better("chance", guessed),
    ]
    return "\n".join(lines) or "Nothing was measured."


def _better(than: str, found: Mapping[bool, Sequence[str]]) -> list[str]:
    if not found[True] and not found[False]:
        return []
    better = f"Better than {than}, with its whole interval: {', '.join(found[True]) or 'nothing'}."
    return [better, *([f"Not so: {', '.join(found[False])}."] if found[False] else [])]


def _column(tables: Mapping[str, Figures], key: str, column: str) -> dict[str, Cell]:
    """One column of a table, by row; empty if there is no such table or column."""
    table = tables.get(key)
    if table is None or column not in table.columns:
        return {}
    place = table.columns.index(column)
    return {row: cells[place] for row, cells in table.rows.items()}


def _notes(tables: Mapping[str, Figures]) -> tuple[str, ...]:
    found = [table for key in (CORRESPONDENCE, ALIGNMENT) if (table := tables.get(key)) and table.notes]
    counts = [table.notes[0] for table in found]
    blind = [CANNOT_TELL] if any(CANNOT_TELL in table.notes for table in found) else []
    return (*counts, *blind, "In brackets: 95 % intervals over videos.")

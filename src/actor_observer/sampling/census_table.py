"""The census as tables for the terminal."""

from __future__ import annotations

from rich.table import Table

from actor_observer.sampling.census import Census, SplitCount

__all__ = ["class_table", "split_table"]

_MOST_CLASSES = 20  # rows that fit a screen

_ROWS: tuple[tuple[str, str], ...] = (
    ("pairs, same person", "pairs_same_person"),
    ("pairs, different persons", "pairs_different_persons"),
    ("takes, third person", "takes_third"),
    ("takes, first person", "takes_first"),
    ("  with action labels (third)", "labelled_takes"),
    ("mean length (s)", "mean_length"),
    ("hours", "hours"),
    ("subjects", "subjects"),
    ("scenes", "scenes"),
    ("scripts", "scripts"),
    ("triplets per epoch (1 anchor/s)", "triplets"),
    ("balanced quads (1 s grid)", "quads"),
    ("pairs too short for a triplet", "pairs_too_short"),
)


def split_table(census: Census) -> Table:
    """One column for the whole, one for each split."""
    table = Table(title=f"What the data holds (Δ = {census.near:g} s, Δ' = {census.far:g} s)", title_justify="left")
    table.add_column("")
    columns: list[SplitCount] = [census.total, *census.splits]
    for column in columns:
        table.add_column(column.split, justify="right")
    for title, field in _ROWS:
        table.add_row(title, *(_number(getattr(column, field)) for column in columns))
    return table


def class_table(census: Census) -> Table:
    """The most frequent action classes."""
    counts = sorted(census.classes, key=lambda count: -count.segments)
    used = sum(count.segments > 0 for count in counts)
    shown = counts[:_MOST_CLASSES]
    title = f"{len(counts)} action {'class' if len(counts) == 1 else 'classes'}, {used} of them used"
    title += f"; the {len(shown)} most frequent" if len(shown) < used else ""
    table = Table(title=title, title_justify="left")
    for name in ("class", "name"):
        table.add_column(name)
    for name in ("segments", "third takes", "first takes"):
        table.add_column(name, justify="right")
    for count in shown:
        if count.segments:
            name = count.name if count.name != count.label else ""
            table.add_row(count.label, name, *map(str, (count.segments, count.takes_third, count.takes_first)))
    return table


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"

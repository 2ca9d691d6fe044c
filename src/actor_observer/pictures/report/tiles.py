"""The figures that a report shows large, each with what needs no looking below it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from actor_observer.evaluation.compared.not_looking import IN_PROPORTION
from actor_observer.evaluation.statistics.bootstrap import Interval
from actor_observer.evaluation.tables.layout import Cell, Figures
from actor_observer.pictures.report.headline import (
    ACTOR,
    COLUMNS,
    EXCHANGED,
    MOMENTS,
    QUADS,
    QUADS_ABOVE,
    ZERO_SHOT,
    row_of,
)
from actor_observer.pictures.report.page import Html, tag

__all__ = ["tiles"]

TILES = {  # the figures shown large: what they are, and their unit
    QUADS_ABOVE: ("points above any rule that does not look: right moment of two", "points"),
    QUADS: ("right moment of two, fair protocol", "%"),
    MOMENTS: ("off, every moment placed (median)", "s"),
    ZERO_SHOT: ("zero-shot first-person mAP", "%"),
    ACTOR: ("selector AUC, actor’s frames", "%"),
}


def tiles(short: Figures, name: str) -> Html:
    """The model's own figures, large, with their intervals, chance and what needs no looking below."""
    beside = {
        "chance": short.rows["chance"],
        "in proportion": row_of(short, IN_PROPORTION),
        EXCHANGED: row_of(short, f"{name} (uses time), {EXCHANGED}", f"{name}, {EXCHANGED}"),
    }
    own = dict(zip(COLUMNS, row_of(short, name), strict=True))
    made = []
    for column, (what, unit) in TILES.items():
        cell, place = own[column], COLUMNS.index(column)
        if not isinstance(cell, Interval) or math.isnan(cell.value):
            continue  # not measured
        lines = [
            f"95 %: {_number(cell.low, unit)}–{_number(cell.high, unit)}" if cell.known else "one video: no interval",
            *(f"{row}: {_number(value, unit)} {unit}" for row, value in _known(beside, place)),
        ]
        large = tag("b", f"{_number(cell.value, unit)} {unit}")
        made.append(
            tag("div", tag("span", what, class_="what"), large, *(tag("span", line) for line in lines), class_="tile")
        )
    return tag("div", *made, class_="tiles")


def _known(rows: Mapping[str, Sequence[Cell]], place: int) -> list[tuple[str, float]]:
    """The figures of these rows in one column, where there are any."""
    cells = ((name, row[place]) for name, row in rows.items())
    values = ((name, cell.value if isinstance(cell, Interval) else cell) for name, cell in cells)
    return [(name, float(value)) for name, value in values if isinstance(value, float | int) and value == value]


def _number(value: Cell, unit: str) -> str:
    if not isinstance(value, float | int):
        return "–"
    return f"{value:.2f}" if unit == "s" else f"{100 * value:.1f}"

"""Figure 1: the nearest frames of the other view. What would this look like through the actor's eyes?"""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from actor_observer.pairs.manifest import View
from actor_observer.pictures.figures.choose import Answer, Query
from actor_observer.pictures.figures.opened_run import Run
from actor_observer.pictures.figures.parts.picture_grid import Block, Cell, draw_grid
from actor_observer.pictures.figures.parts.style import colours

__all__ = ["draw_nearest"]

HEADINGS: dict[View, str] = {
    "third": "Seen by the observer: what does the actor see?",
    "first": "Seen by the actor: what does the observer see?",
}
NEAR = 1.0  # third-person seconds within which an answer is right


def draw_nearest(run: Run, found: Sequence[Query], answers: int) -> Figure:
    """Draw a row for each query: the frame, its nearest frames of the other view, and the frame that belongs to it."""
    blocks = []
    for view in ("third", "first"):
        rows = [_row(run, query, answers) for query in found if query.view == view]
        if rows:
            names = ("query", *("nearest", "2nd", "3rd", "4th", "5th")[:answers], "truth")
            blocks.append(Block(HEADINGS[view], rows, colours().of(view), names))
    return draw_grid(blocks, columns=answers + 2, apart=(1, answers + 1))


def _row(run: Run, query: Query, answers: int) -> list[Cell | None]:
    hue = colours().of(query.view)
    row: list[Cell | None] = [Cell(run.thumbnail(query.spot.take, query.spot.time), f"{query.spot.time:.1f} s", hue)]
    row += [_answer(run, answer) for answer in query.answers]
    row += [None] * (answers - len(query.answers))  # fewer candidates than places
    if query.truth is not None:
        row.append(Cell(run.thumbnail(query.other, query.truth), f"{query.truth:.1f} s"))
    return row


def _answer(run: Run, answer: Answer) -> Cell:
    pixels = run.thumbnail(answer.spot.take, answer.spot.time)
    if answer.error is None:
        return Cell(pixels, "other pair")
    right = answer.error <= NEAR
    note = f"{'✓ ' if right else ''}{answer.error:.1f} s off"
    return Cell(pixels, note, colours().right if right else None, strong=right)

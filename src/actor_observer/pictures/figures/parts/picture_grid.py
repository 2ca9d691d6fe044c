"""Rows of frames under headings: the layout of the figures that compare frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from actor_observer.pictures.figures.parts.style import MARGIN, WIDTH, box, colours, in_style, sheet, show_frame

__all__ = ["Block", "Cell", "draw_grid"]

SPACE = 0.07  # inches between frames
APART = 0.16  # where a column is set apart


@dataclass(frozen=True)
class Cell:
    """One frame with a line under it.

    >>> Cell(np.zeros((3, 4, 3), dtype=np.uint8), "3.5 s").note
    '3.5 s'
    """

    pixels: NDArray[Any]  # (H, W, 3)
    note: str = ""
    edge: str | None = None  # colour
    strong: bool = False  # the note in the edge's colour, bold


@dataclass(frozen=True)
class Block:
    """Rows of frames under one heading; `names` are above the columns."""

    heading: str
    rows: Sequence[Sequence[Cell | None]]  # None: an empty place
    hue: str | None = None
    names: Sequence[str] = ()


@in_style
def draw_grid(blocks: Sequence[Block], columns: int, apart: Sequence[int] = ()) -> Figure:
    """Draw blocks below each other, all with `columns` columns, and wider gaps after the columns given (from 1).

    >>> frame = Cell(np.zeros((3, 4, 3), dtype=np.uint8))
    >>> len(draw_grid([Block("two", [[frame, frame]]), Block("one", [[frame]])], columns=2).axes)
    3
    """
    wide = (WIDTH - 2 * MARGIN - SPACE * (columns - 1 - len(apart)) - APART * len(apart)) / columns
    tops, total = _heights(blocks, wide)
    figure = sheet(total)
    for block, (heading, names, rows) in zip(blocks, tops, strict=True):
        hue = block.hue or colours().ink
        _write(figure, MARGIN, heading, block.heading, color=hue, weight="bold", ha="left")
        for number, name in enumerate(block.names):
            _write(figure, _left(number, wide, apart) + wide / 2, names, name, color=colours().faint, fontsize=9)
        for row, top in zip(block.rows, rows, strict=True):
            tall = _tall(row, wide)
            for number, cell in enumerate(row):
                if cell is None:
                    continue
                height, width = _fit(cell, wide, tall)
                left = _left(number, wide, apart) + (wide - width) / 2
                show_frame(box(figure, left, top + (tall - height) / 2, width, height), cell.pixels, cell.edge)
                look = {"color": cell.edge, "weight": "bold"} if cell.strong else {"color": colours().ink}
                middle = _left(number, wide, apart) + wide / 2
                _write(figure, middle, top + tall + 0.04, cell.note, fontsize=9, **look)
    return figure


def _heights(blocks: Sequence[Block], wide: float) -> tuple[list[tuple[float, float, list[float]]], float]:
    """Where the headings, names and rows of each block begin, in inches from the top; and the total height."""
    at, tops = 0.06, []
    for block in blocks:
        heading = at
        at += 0.24 if block.heading else 0
        names = at
        at += 0.2 if block.names else 0
        rows = []
        for row in block.rows:
            rows.append(at)
            at += _tall(row, wide) + (0.25 if any(cell and cell.note for cell in row) else SPACE)
        at += 0.1
        tops.append((heading, names, rows))
    return tops, at


def _tall(row: Sequence[Cell | None], wide: float) -> float:
    shapes = [cell.pixels.shape[0] / cell.pixels.shape[1] for cell in row if cell]
    return wide * float(np.clip(max(shapes, default=0.75), 0.4, 1.35))


def _fit(cell: Cell, wide: float, tall: float) -> tuple[float, float]:
    """Height and width in inches of a frame that fits its place whole."""
    shape = cell.pixels.shape[0] / cell.pixels.shape[1]
    return (wide * shape, wide) if wide * shape <= tall else (tall, tall / shape)


def _left(number: int, wide: float, apart: Sequence[int]) -> float:
    before = sum(column <= number for column in apart)
    return MARGIN + number * (wide + SPACE) + before * (APART - SPACE)


def _write(figure: Figure, left: float, top: float, text: str, **look: Any) -> None:
    if text:
        place = left / WIDTH, 1 - top / figure.get_size_inches()[1]
        figure.text(*place, text, va="top", **({"ha": "center"} | look))

"""HTML, safely: text is escaped unless it was made here."""

from __future__ import annotations

import base64
import html
import math

from actor_observer.evaluation.statistics.bootstrap import Interval
from actor_observer.evaluation.tables.layout import Cell, Figures
from actor_observer.pictures.report.page_style import CSS

__all__ = ["Html", "cell_of", "data_uri", "document", "join", "table", "tag"]


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def tag(name: str, /, *content: str, **attributes: str) -> Html:
    """An element. Content is escaped unless it is `Html`. `class_` is the attribute class, `aria_label` aria-label.

    >>> tag("p", "a < b ", tag("em", "c"), class_="note")
    '<p class="note">a &lt; b <em>c</em></p>'
    """
    given = "".join(f' {key.rstrip("_").replace("_", "-")}="{html.escape(value)}"' for key, value in attributes.items())
    if name in ("img", "source", "meta", "br"):
        return Html(f"<{name}{given}>")
    return Html(f"<{name}{given}>{join(*content)}</{name}>")


def join(*content: str) -> Html:
    """Join pieces; those that are plain text are escaped.

    >>> join("1 < 2", tag("br"))
    '1 &lt; 2<br>'
    """
    return Html("".join(piece if isinstance(piece, Html) else html.escape(piece) for piece in content))


def data_uri(content: bytes, kind: str) -> str:
    """A picture inside the page.

    >>> data_uri(b"abc", "image/webp")
    'data:image/webp;base64,YWJj'
    """
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def table(figures: Figures, number: str, ours: str = "") -> Html:
    """A table with caption and notes in a box that scrolls; the rows of method `ours` are bold.

    >>> shown = table(Figures("k", "Title", ("a",), {"x": (0.5,)}, ("a",)), "Table 1.")
    >>> "<td>50.0</td>" in shown, "Title" in shown
    (True, True)
    """
    head = tag("tr", tag("th", ""), *(tag("th", column, scope="col") for column in figures.columns))
    rows = []
    for name, cells in figures.rows.items():
        mine = bool(ours) and (name == ours or name.startswith(f"{ours}, ") or name.startswith(f"{ours} ("))
        row = [cell_of(cell, column in figures.percent) for column, cell in zip(figures.columns, cells, strict=True)]
        line = join(tag("th", name, scope="row"), *row)
        rows.append(tag("tr", line, class_="ours") if mine else tag("tr", line))
    body = tag("table", tag("thead", head), tag("tbody", *rows))
    caption = tag(
        "figcaption",
        tag("b", f"{number} " if number else ""),
        figures.title,
        ". ",
        *(f"{note} " for note in figures.notes),
    )
    scroll = tag("div", body, class_="scroll", tabindex="0", role="region", aria_label=figures.title)
    return tag("figure", caption, scroll, class_="table", id=figures.key)


def cell_of(cell: Cell, percent: bool) -> Html:
    """One figure of a table, its interval small below it.

    >>> cell_of(0.5, percent=True)
    '<td>50.0</td>'
    """
    if isinstance(cell, Interval) and not math.isnan(cell.value):
        factor, digits = (100, 1) if percent else (1, 2)
        value, low, high = (f"{factor * number:.{digits}f}" for number in (cell.value, cell.low, cell.high))
        return tag("td", value, " ", tag("small", f"[{low}, {high}]")) if cell.known else tag("td", value)
    column = "value"
    plain = Figures("", "", (column,), {"": (cell,)}, (column,) if percent else ())
    return tag("td", plain.text("")[0])


def document(title: str, *content: str) -> str:
    """A whole page that makes no network request.

    >>> document("a & b", tag("h1", "a & b")).splitlines()[0]
    '<!doctype html>'
    """
    head = join(
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", Html(CSS)),
    )
    return f'<!doctype html>\n<html lang="en">\n{tag("head", head)}\n{tag("body", tag("main", *content))}\n</html>\n'

"""Answers in a notebook: a figure of each, and HTML with the figure, the verdict and a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from PIL import Image

from actor_observer.alignment.cameras.pairing import Pairing
from actor_observer.alignment.cameras.result import Cameras
from actor_observer.alignment.cameras.traces import traces_of
from actor_observer.alignment.result import Alignment
from actor_observer.answers.recognise import Recognised
from actor_observer.answers.select import Selected
from actor_observer.console import Answer
from actor_observer.errors import TakeError, UserError
from actor_observer.pictures.explain import Explained
from actor_observer.pictures.figures.aligned import draw_alignment
from actor_observer.pictures.figures.on_one_clock import draw_traces
from actor_observer.pictures.figures.parts.save import picture_bytes
from actor_observer.pictures.report.page import Html, data_uri, join, tag
from actor_observer.pictures.side_by_side import title_of
from actor_observer.searching.search import Answers

__all__ = ["as_html", "plot"]

MOST_ROWS = 12  # of a table in a notebook; `rows()` has all
WIDE, LINE = 7.0, 0.32  # inches: of a figure, and of a bar


def plot(answer: Answer) -> Figure:
    """Draw an answer as a figure: film strips for two recordings, motion over time for several, bars for counts.

    Args:
        answer: what a function of the front door gave.

    >>> from actor_observer.searching.index import Indexed
    >>> plot(Indexed(Path("moments")))
    Traceback (most recent call last):
    actor_observer.errors.UserError: there is no picture of Indexed
    """
    if isinstance(answer, Alignment):
        return draw_alignment(answer)
    if isinstance(answer, Cameras):
        return _on_one_clock(answer)
    if isinstance(answer, Recognised):
        return _bars({one.name: (0.0, one.probability) for one in answer.best(answer.whole)}, "probability")
    if isinstance(answer, Selected):
        return _curve(answer)
    if isinstance(answer, Answers):
        hits = {
            f"{rank}. {Path(hit.video).name} @ {hit.time:.1f} s": hit for rank, hit in enumerate(answer.hits, start=1)
        }
        return _bars({name: (0.0, hit.distance) for name, hit in hits.items()}, "distance: nearest first")
    if isinstance(answer, Pairing):
        found = {f"{_name(one['third'])} – {_name(one['first'])}": (0.0, one["confidence"]) for one in answer.rows()}
        return _bars(found, "confidence")
    if isinstance(answer, Explained):
        return _pictures(answer.pictures)
    raise UserError(f"there is no picture of {type(answer).__name__}")


def _on_one_clock(answer: Cameras) -> Figure:
    """What moves when; only when each recording runs, where their files are gone, or where none has pictures."""
    try:
        traces = traces_of(answer)
    except (UserError, TakeError, OSError):
        traces = []
    if traces:
        return draw_traces(traces, title_of(answer))
    bars = {Path(one.path).name: (one.offset, one.rate * one.length) for one in answer.cameras}
    return _bars(bars, "seconds of the common clock")


def as_html(answer: Answer) -> str:
    """For a notebook: the answer's lines, its figure where there is one, and its first rows as a table.

    Args:
        answer: what a function of the front door gave.

    >>> from actor_observer.searching.index import Indexed
    >>> "<table>" in as_html(Indexed(Path("moments")))
    True
    """
    try:
        made = plot(answer)
        made.set_dpi(90)
        drawn = tag(
            "img", src=data_uri(picture_bytes(made, "webp"), "image/webp"), alt=repr(answer), style="max-width: 100%"
        )
    except (UserError, OSError):  # pixels, or files that are no longer there
        drawn = Html("")
    lines = repr(answer) if type(answer).__str__ is object.__str__ else str(answer)
    return tag("div", tag("pre", lines), drawn, _table(answer.rows()))


def _table(rows: list[dict[str, Any]]) -> Html:
    plain = [name for name in rows[0] if not isinstance(rows[0][name], (dict, list))] if rows else []
    if not plain:
        return Html("")
    head = tag("tr", *(tag("th", name) for name in plain))
    body = [tag("tr", *(tag("td", _cell(row.get(name))) for name in plain)) for row in rows[:MOST_ROWS]]
    more = tag("p", f"… {len(rows) - MOST_ROWS} more: rows()") if len(rows) > MOST_ROWS else Html("")
    return join(tag("table", tag("thead", head), tag("tbody", *body)), more)


def _cell(value: Any) -> str:
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def _name(path: str) -> str:
    return Path(path).name


def _bars(bars: dict[str, tuple[float, float]], what: str) -> Figure:
    """Horizontal bars, from a start and as long, the first on top."""
    figure = Figure((WIDE, 0.8 + LINE * max(1, len(bars))), layout="constrained")
    axes = figure.subplots()
    starts, lengths = ([bar[side] for bar in bars.values()] for side in (0, 1))
    axes.barh(list(bars), lengths, left=starts)
    axes.invert_yaxis()
    axes.set_xlabel(what)
    return figure


def _curve(answer: Selected) -> Figure:
    figure = Figure((WIDE, 2.4), layout="constrained")
    axes = figure.subplots()
    axes.plot(np.asarray(answer.times), np.asarray(answer.weight))
    for frame in answer.frames:
        axes.axvline(frame.time, color="tab:orange", linewidth=1)
    axes.set_xlabel("seconds")
    axes.set_ylabel("weight")
    return figure


def _pictures(paths: Any) -> Figure:
    figure = Figure((WIDE, 4.0), layout="constrained")
    for axes, path in zip(np.atleast_1d(figure.subplots(1, len(paths))), paths, strict=True):
        axes.imshow(Image.open(path))
        axes.set_axis_off()
    return figure

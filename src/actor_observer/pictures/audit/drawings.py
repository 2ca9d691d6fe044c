"""Curves of an audit's page, as SVG that takes the page's colours: light and dark without a second picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from actor_observer.auditing.judging.usual import Usual
from actor_observer.pictures.report.page import Html, tag

__all__ = ["draw_curve", "draw_takes"]

WIDE, HIGH = 640.0, 150.0  # pixels
LEFT, RIGHT, TOP, FOOT = 80.0, 10.0, 10.0, 30.0  # pixels of margin; on a phone letters are larger


def draw_curve(two: Mapping[str, Any], usual: Usual | None) -> Html:
    """What speaks for each offset of two recordings; lines mark what the data set says (0), this take's, and the usual.

    >>> two = {"lag": 0.1, "error": 0.02, "curve": {"start": 0.0, "step": 0.1, "values": [0.0, 5.0, 1.0]}}
    >>> draw_curve(two, None).startswith("<svg")
    True
    """
    curve, values = two["curve"], two["curve"]["values"]
    start, end = curve["start"], curve["start"] + curve["step"] * (len(values) - 1)
    start, end = min(start, -0.05), max(end, 0.05)
    low, high = min(values), max(max(values), min(values) + 1e-6)

    def across(offset: float) -> float:
        return LEFT + (offset - start) / (end - start) * (WIDE - LEFT - RIGHT)

    points = [
        (across(curve["start"] + curve["step"] * place), _down((value - low) / (high - low)))
        for place, value in enumerate(values)
    ]
    marks = [(0.0, "stated"), (two["lag"], "measured")] + ([(usual.delay, "usual")] if usual else [])
    band = across(two["lag"] - two["error"]), across(two["lag"] + two["error"])
    return _svg(
        f"What speaks for each offset; measured {two['lag']:+.3f} s",
        tag("rect", x=_n(band[0]), y=_n(TOP), width=_n(band[1] - band[0]), height=_n(HIGH - TOP - FOOT), class_="band"),
        tag("polyline", points=" ".join(f"{_n(x)},{_n(y)}" for x, y in points), class_="line"),
        *(_upright(across(at), name) for at, name in marks),
        *_ticks(start, end, across, "offset (s)"),
    )


def draw_takes(lines: Sequence[Mapping[str, Any]], one: str, other: str, usual: Usual, odd: frozenset[str]) -> Html:
    """The offset of each take with its error, one after the other; those that differ stand out."""
    found = [
        (line["id"], two)
        for line in lines
        for two in line["offsets"]
        if (two["one"], two["other"]) == (one, other) and two["confidence"] >= 0.5
    ]
    spread = max([0.02, *(abs(two["lag"] - usual.delay) + two["error"] for _, two in found)])
    spread = min(spread, 20 * max(0.02, usual.error + max((two["error"] for _, two in found), default=0.0)))
    low, high = min(usual.delay - spread, 0.0) - 0.01, max(usual.delay + spread, 0.0) + 0.01

    def height(lag: float) -> float:
        return _down(min(max((lag - low) / (high - low), 0.0), 1.0))

    step = (WIDE - LEFT - RIGHT) / max(len(found), 1)
    dots = []
    for place, (id, two) in enumerate(found):
        x, kind = _n(LEFT + (place + 0.5) * step), "odd" if id in odd else "dot"
        ends = _n(height(two["lag"] - two["error"])), _n(height(two["lag"] + two["error"]))
        title = tag("title", f"{id}: {two['lag']:+.3f} ± {two['error']:.3f} s")
        dots.append(
            tag(
                "g",
                title,
                tag("line", x1=x, x2=x, y1=ends[0], y2=ends[1], class_=kind),
                tag("circle", cx=x, cy=_n(height(two["lag"])), r="3", class_=kind),
            )
        )
    level = _n(height(usual.delay))
    zero = _n(height(0.0))
    return _svg(
        f"Offset of {one} to {other} in each take",
        tag("line", x1=_n(LEFT), x2=_n(WIDE - RIGHT), y1=zero, y2=zero, class_="axis"),
        tag("line", x1=_n(LEFT), x2=_n(WIDE - RIGHT), y1=level, y2=level, class_="usual"),
        *dots,
        *(
            tag("text", f"{at:+.2f} s", x=_n(LEFT - 4), y=_n(height(at) + 4), text_anchor="end")
            for at in (low + 0.01, high - 0.01)
        ),
        tag("text", "takes, in the data set’s order", x=_n(WIDE / 2), y=_n(HIGH - 8), text_anchor="middle"),
    )


def _down(share: float) -> float:
    return HIGH - FOOT - share * (HIGH - TOP - FOOT)


def _upright(x: float, name: str) -> Html:
    line = tag("line", x1=_n(x), x2=_n(x), y1=_n(TOP), y2=_n(HIGH - FOOT), class_=name)
    return tag("g", tag("title", name), line)


def _ticks(start: float, end: float, across: Any, label: str) -> list[Html]:
    step = next(step for step in (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 1e9) if (end - start) / step <= 8)
    first = -int(-start / step) if start < 0 else int(start / step) + 1
    found = []
    while first * step <= end:
        x = across(first * step)
        found.append(tag("text", f"{first * step:+.2g}", x=_n(x), y=_n(HIGH - FOOT + 14), text_anchor="middle"))
        first += 1
    return [*found, tag("text", label, x=_n(WIDE / 2), y=_n(HIGH - 2), text_anchor="middle")]


def _svg(label: str, *content: Html) -> Html:
    size = {"viewBox": f"0 0 {_n(WIDE)} {_n(HIGH)}"}
    return tag("svg", *content, role="img", aria_label=label, class_="curve", **size)


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")

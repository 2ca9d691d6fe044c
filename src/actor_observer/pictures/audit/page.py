"""The page of an audit: every finding, worst first, with what shows it, then what all takes share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from actor_observer.auditing.audit import Audit
from actor_observer.auditing.judging.finding import KINDS, Finding
from actor_observer.disk import write_whole
from actor_observer.errors import UserError
from actor_observer.pictures.audit.drawings import draw_curve, draw_takes
from actor_observer.pictures.audit.strips import draw_strips
from actor_observer.pictures.report.page import Html, document, join, tag

__all__ = ["write_page"]

SHOWN = 40  # findings with pictures; all are in the table below
KEY = "What speaks for each offset. Orange: measured, with its error; grey dashes: as stated; blue dashes: usual."
CSS = """
main { max-width: 54rem; }
.finding { border-left: 4px solid var(--rule); padding: .1rem 0 .1rem 1rem; margin: 1.75rem 0; }
.finding.wrong { border-color: #c0392b; } .finding.check { border-color: #d99000; }
.finding h3 { font: 600 1rem/1.4 system-ui, sans-serif; margin: 0 0 .2rem; overflow-wrap: anywhere; }
.finding h3 small { font-weight: 400; color: var(--faint); }
.finding p { margin: 0 0 .5rem; }
.strip { font: .78rem/1.4 system-ui, sans-serif; margin: .35rem 0; }
.strip .pictures { display: flex; gap: 2px; overflow-x: auto; } .strip img { flex: 1 1 0; min-width: 0; width: 100%; }
svg.curve { width: 100%; height: auto; display: block; margin: .5rem 0; }
svg.curve text { fill: var(--faint); font: 11px system-ui, sans-serif; }
svg.curve .line { fill: none; stroke: var(--ink); stroke-width: 1.4; }
svg.curve .band { fill: var(--first); opacity: .22; }
svg.curve .stated { stroke: var(--faint); stroke-dasharray: 3 3; } svg.curve .measured { stroke: var(--first); }
svg.curve .usual { stroke: var(--third); stroke-dasharray: 6 3; } svg.curve .axis { stroke: var(--rule); }
svg.curve line.dot { stroke: var(--faint); } svg.curve circle.dot { fill: var(--third); }
svg.curve line.odd { stroke: #c0392b; } svg.curve circle.odd { fill: #c0392b; }
.tiles { grid-template-columns: repeat(3, 1fr); } td.text { white-space: normal; text-align: left; min-width: 14rem; }
td.left { text-align: left; } .tile b { margin-top: 0; }
.key { font: .78rem/1.4 system-ui, sans-serif; color: var(--faint); }
@media (max-width: 36rem) { svg.curve text { font-size: 19px; } .tiles { grid-template-columns: 1fr 1fr; } }
"""


def write_page(found: Audit, path: Path, each: Callable[[], object] = lambda: None) -> Path:
    """Write the page, with everything in it: it makes no network request."""
    lines = {line["id"]: line for line in found.lines}
    shown = []
    for one in found.findings[:SHOWN]:
        shown.append(_finding(one, found, lines))
        each()
    content = [
        tag("style", Html(CSS)),
        tag("h1", "Is it in step? " + _short(found.data)),
        tag("p", "actor-observer audit", class_="by"),
        _tiles(found),
        *([tag("h2", "Findings, worst first"), *shown] if shown else [tag("p", "Nothing was found.")]),
        *_delays(found),
        *_rest(found),
    ]
    try:
        write_whole(path, document(f"Audit of {_short(found.data)}", *content).encode())
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror or error})") from error
    return path


def _short(data: str) -> str:
    return Path(data).name or data or "a data set"


def _tiles(found: Audit) -> Html:
    known = {line["id"] for line in found.lines}
    touched = len({one.take for one in found.findings if one.take in known})
    told = [two for line in found.lines for two in line["offsets"]]
    step = sum(two["verdict"] == "in step" for two in told)
    tiles = [
        (str(len(found.lines)), "takes", ""),
        (str(len(found.findings)), "findings", f"in {touched} takes, or in all"),
        (
            f"{step / len(told):.0%}" if told else "–",
            "of all two recordings can be put in step",
            f"{step} of {len(told)}",
        ),
    ]
    return tag(
        "div",
        *(
            tag("div", tag("b", large), tag("span", what, class_="what"), tag("span", more), class_="tile")
            for large, what, more in tiles
        ),
        class_="tiles",
    )


def _delays(found: Audit) -> list[Html]:
    """What every two recordings usually are apart, and each take's own."""
    odd = frozenset(one.take for one in found.findings if one.kind == "late")
    made = [tag("h2", "The usual delay")] if found.usuals else []
    for (one, other), usual in found.usuals.items():
        scatter = f", takes scatter by {usual.scatter:.3f} s" if usual.scatter > 0.001 else ""
        late = f"{one} is {usual.delay:+z.4f} ± {usual.error:.4f} s after {other} (95 %, {usual.takes} takes{scatter})."
        made += [tag("p", late), draw_takes(found.lines, one, other, usual, odd)]
    return made


def _finding(one: Finding, found: Audit, lines: Mapping[str, Any]) -> Html:
    take = one.take or next((line["id"] for line in found.lines if _about(line, one)), "")
    head = tag("h3", one.take or "All takes", " ", tag("small", f"{one.kind}: {KINDS.get(one.kind, '')}"))
    parts = [head, tag("p", one.text)]
    line, event = lines.get(take), found.events.get(take)
    if line and event:
        if not one.take:
            parts.append(tag("p", f"For example {take}:"))
        parts += draw_strips(one, event, line)
        two = next((two for two in line["offsets"] if _about_two(two, one)), None)
        if two and one.kind not in ("frozen", "repeated", "black", "blank", "blurred"):
            parts.append(draw_curve(two, found.usuals.get((two["one"], two["other"]))))
            parts.append(tag("p", KEY, class_="key"))
    return tag("section", *parts, class_=f"finding {one.severity}")


def _about(line: Mapping[str, Any], one: Finding) -> bool:
    return any(_about_two(two, one) for two in line["offsets"])


def _about_two(two: Mapping[str, Any], one: Finding) -> bool:
    return bool(one.recordings) and set(one.recordings) <= {two["one"], two["other"]}


def _rest(found: Audit) -> list[Html]:
    """All findings as a table, where pictures were left out."""
    if len(found.findings) <= SHOWN:
        return []
    head = tag("tr", *(tag("th", name, scope="col") for name in ("take", "", "what", "finding")))
    rows = [
        tag(
            "tr",
            tag("th", one.take or "all takes", scope="row"),
            tag("td", one.severity, class_="left"),
            tag("td", one.kind, class_="left"),
            tag("td", one.text, class_="text"),
        )
        for one in found.findings[SHOWN:]
    ]
    table = tag("table", tag("thead", head), tag("tbody", *rows))
    return [tag("h2", "All the others"), join(tag("div", table, class_="scroll", tabindex="0"))]

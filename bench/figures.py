"""Every figure in README and docs, kept in one file and filled in from there.

    python bench/figures.py                                   # fill all pages
    python bench/figures.py --check                           # say what differs or stands in no file
    python bench/figures.py --enter people.align "25 %" --source "measured elsewhere" --commit abc1234

`docs/figures.json` holds a figure under a name, with the command that made it: benches put it there (`keep`), or
somebody who measured elsewhere, with source and commit. On a page it stands between marks:

    <!--=rendered.box.quads-->97.8 [96.8, 98.8]<!--/-->        as it was kept
    <!--=align.robot.step 0%-->73 % [59, 90]<!--/-->           without digits, with a sign
    <!--=rendered.box.quads 1v-->97.8<!--/-->                  the value alone

Between `<!--figures-->` and `<!--/figures-->` every figure must be such a one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tyro

from actor_observer.disk import write_whole
from actor_observer.evaluation.statistics.bootstrap import Interval

__all__ = ["is_shown", "keep", "shown", "strays", "wrong"]

ROOT = Path(__file__).parent.parent
FIGURES = ROOT / "docs" / "figures.json"
_NAME = r"[a-z0-9]+(?:[.-][a-z0-9]+)*"
_SLOT = re.compile(rf"<!--=(?P<name>{_NAME})(?: (?P<how>\d?%?v?))?-->(?P<text>.*?)<!--/-->")
_PASSAGE = re.compile(r"<!--figures-->(.*?)<!--/figures-->", re.DOTALL)
_FIGURE = re.compile(r"\d+\.\d+|(?!95 % interval)\b\d+ ?%|\[-?\d+, ")  # what looks measured
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def keep(name: str, value: Interval | float | str, command: str, percent: bool = False, digits: int = 1) -> None:
    """Put a measured figure into docs/figures.json, with the command that made it; then run this file."""
    if isinstance(value, Interval):
        value = value.text(digits, 100.0 if percent else 1.0)
    elif not isinstance(value, str):
        value = f"{(100 if percent else 1) * value:.{digits}f}"
    _put(name, {"value": value, "command": command})


def shown(value: str, how: str | None) -> str:
    """A kept figure as a page wants it.

    >>> shown("97.8 [96.8, 98.8]", "0%"), shown("97.8 [96.8, 98.8]", "1v"), shown("0.013 s", None)
    ('98 % [97, 99]', '97.8', '0.013 s')
    """
    if not how:
        return value
    numbers = _NUMBER.findall(value)
    if how[0].isdigit():
        numbers = [f"{float(number):.{int(how[0])}f}" for number in numbers]
    sign = " %" if "%" in how else ""
    interval = f" [{numbers[1]}, {numbers[2]}]" if len(numbers) == 3 and "v" not in how else ""
    return f"{numbers[0]}{sign}{interval}"


def wrong(text: str, figures: dict[str, Any]) -> list[str]:
    """Slots of a page whose figure is unknown, or another.

    >>> wrong("<!--=a.b-->1.0<!--/--> <!--=c-->2<!--/-->", {"a.b": {"value": "1.5"}})
    ['a.b is 1.5, not 1.0', 'c is in no file']
    """
    found = []
    for slot in _SLOT.finditer(text):
        name, how, said = slot.group("name", "how", "text")
        if name not in figures:
            found.append(f"{name} is in no file")
        elif said != shown(figures[name]["value"], how):
            found.append(f"{name} is {shown(figures[name]['value'], how)}, not {said}")
    return found


def strays(text: str) -> list[str]:
    """Figures in marked passages that are not between marks of their own.

    >>> strays("9.9 <!--figures-->12.5 of 104, <!--=a-->3.5<!--/-->, 7 %<!--/figures-->")
    ['12.5', '7 %']
    """
    return [found for part in _PASSAGE.findall(text) for found in _FIGURE.findall(_SLOT.sub("", part))]


def filled(text: str, figures: dict[str, Any]) -> str:
    """A page with every known figure in its place."""

    def fill(slot: re.Match[str]) -> str:
        name, how = slot.group("name", "how")
        if name not in figures:
            return slot.group()
        mark = f"{name} {how}" if how else name
        return f"<!--={mark}-->{shown(figures[name]['value'], how)}<!--/-->"

    return _SLOT.sub(fill, text)


def pages() -> Iterator[Path]:
    """README, docs and the card of the box."""
    yield ROOT / "README.md"
    yield ROOT / "src" / "actor_observer" / "box" / "README.md"
    yield from sorted((ROOT / "docs").rglob("*.md"))


def is_shown(name: str) -> bool:
    """Whether a page has a place for a figure."""
    return any(f"<!--={name}-->" in text or f"<!--={name} " in text for text in map(Path.read_text, pages()))


def read() -> dict[str, Any]:
    """All figures by name."""
    return dict(json.loads(FIGURES.read_text(encoding="utf-8"))) if FIGURES.exists() else {}


def _put(name: str, figure: dict[str, str]) -> None:
    if not re.fullmatch(_NAME, name):
        raise ValueError(f"a figure's name is like rendered.box.quads, not {name!r}")
    figures = read() | {name: figure}
    text = json.dumps(dict(sorted(figures.items())), indent=1, ensure_ascii=False)
    write_whole(FIGURES, (text + "\n").encode())


def main(
    check: bool = False, enter: tuple[str, str] | None = None, source: str = "", commit: str = "", command: str = ""
) -> None:
    """Fill all pages; or only say what is wrong; or enter a figure, with its command, or with source and commit."""
    if enter:
        if not command and not (source and commit):
            raise SystemExit("say where the figure is from: --command, or --source and --commit")
        whence = {"command": command} if command else {"source": source, "commit": commit}
        _put(enter[0], {"value": enter[1], **whence})
    figures, faults = read(), 0
    for page in pages():
        text = page.read_text(encoding="utf-8")
        if not check and (new := filled(text, figures)) != text:
            write_whole(page, new.encode())
            print(f"filled: {page.relative_to(ROOT)}")
            text = new
        said = [*wrong(text, figures), *(f"{stray} stands in no file" for stray in strays(text))]
        faults += len(said)
        for fault in said:
            print(f"{page.relative_to(ROOT)}: {fault}")
    raise SystemExit(1 if faults else 0)


if __name__ == "__main__":
    tyro.cli(main)

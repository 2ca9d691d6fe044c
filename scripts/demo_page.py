"""The demo's page: one file that needs nothing else, and that grows part by part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.table import Table

from actor_observer.disk import write_whole
from actor_observer.pictures.report.page import Html, data_uri, document, tag
from actor_observer.pictures.report.report import figure
from demo_event import COLUMNS as EVENT_COLUMNS
from demo_event import FILES, OneClock
from demo_step import COLUMNS as STEP_COLUMNS
from demo_step import LATE, InStep

__all__ = ["Page", "section_in_step", "section_one_clock", "terminal_table"]

WHAT = (
    "Two cameras, one event: the observer’s sees somebody act, the actor’s sees what they see. All figures were "
    "measured on this machine just now."
)
RUNNING = "The demo is still running; this page loads itself again every 15 seconds."
OWN = """actor-observer align room.mp4 head.mp4 --out aligned --side-by-side both.mp4
actor-observer align room-1.mp4 room-2.mp4 head.mp4 imu.csv --out aligned

# your pairs in one CSV file (docs/data.md says how); quick-short instead of quick for clips of a few seconds
actor-observer train quick --data pairs.csv --out runs/first
actor-observer train quick --init box --data pairs.csv --out runs/adapted
actor-observer report runs/first --data pairs.csv"""
CREDIT = (
    "The robot clips are from the Functional Manipulation Benchmark by Jianlan Luo, Charles Xu, Fangchen Liu, Liam "
    "Tan, Zipeng Lin, Jeffrey Wu, Pieter Abbeel and Sergey Levine (functional-manipulation-benchmark.github.io), made "
    "smaller; licence: "
)


@dataclass
class Page:
    """A page that is written anew with every part."""

    path: Path
    parts: list[Html] = field(default_factory=list)

    def add(self, *content: Html, last: bool = False) -> None:
        """Add a part; until the last, the page says that more will come, and loads itself again."""
        self.parts += content
        write_whole(self.path, self._whole(last).encode())

    def _whole(self, last: bool) -> str:
        own = [tag("h2", "With your own videos"), tag("pre", OWN)]
        waiting = [tag("meta", http_equiv="refresh", content="15"), tag("p", tag("em", RUNNING))]
        return document(
            "actor-observer: the demo",
            tag(
                "p", tag("span", "Observer", class_="third"), " and ", tag("span", "actor", class_="first"), class_="by"
            ),
            tag("h1", "What two cameras have in common"),
            tag("p", WHAT),
            *self.parts,
            *(own if last else waiting),
            tag("footer", CREDIT, tag("a", "CC BY 4.0", href="https://creativecommons.org/licenses/by/4.0/"), "."),
        )


def section_in_step(made: InStep) -> list[Html]:
    """The first part: what `align` said, its picture, and both cameras beside each other."""
    return [
        tag("h2", "1. In step"),
        tag(
            "p",
            f"A robot’s {len(made.found)} longest episodes, real footage. The wrist camera’s file starts {LATE:g} s "
            "late, and nobody tells ",
            tag("code", "align"),
            ". What to look at: whether the same thing happens left and right.",
        ),
        _video(made.video),
        figure(made.plate, "Figure 1."),
        _table(STEP_COLUMNS, made.cells()),
        tag("p", tag("b", "Found: "), made.sentence),
    ]


def section_one_clock(made: OneClock) -> list[Html]:
    """The second part: several recordings of one event."""
    return [
        tag("h2", "2. Several recordings, one clock"),
        tag(
            "p",
            "Two room cameras, a head camera and the gyroscope on that head, each started at another time. Rendered: "
            "the truth is known; the model has seen neither the home nor the person. ",
            tag("code", f"actor-observer align {' '.join(FILES)}"),
            ". What to look at: whether the person does the same in every picture.",
        ),
        _video(made.video),
        figure(made.plate, "Figure 2."),
        _table(EVENT_COLUMNS, made.cells()),
        tag("p", tag("b", "Found: "), made.sentence),
    ]


def terminal_table(columns: Sequence[str], cells: Mapping[str, Sequence[str]], shown: str = "") -> Table:
    """Rows by their names, for the terminal; the one that is shown is bold."""
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in columns:
        made.add_column(column, justify="left" if column in (columns[0], columns[-1]) else "right")
    for name, row in cells.items():
        made.add_row(name, *row, style="bold" if name == shown else None)
    return made


def _table(columns: Sequence[str], cells: Mapping[str, Sequence[str]]) -> Html:
    head = tag("tr", *(tag("th", column, scope="col") for column in columns))
    rows = [tag("tr", tag("th", name, scope="row"), *(tag("td", cell) for cell in row)) for name, row in cells.items()]
    table = tag("table", tag("thead", head), tag("tbody", *rows))
    return tag("figure", tag("div", table, class_="scroll"), class_="table")


def _video(path: Path) -> Html:
    clip = data_uri(path.read_bytes(), "video/mp4")
    return tag("video", src=clip, controls="", loop="", muted="", autoplay="", playsinline="", style="width: 100%")

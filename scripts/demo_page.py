"""What the demo shows at its end: one table, a few sentences, one page."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table
from rich.text import Text

from actor_observer.console import counted
from actor_observer.disk import write_whole
from actor_observer.evaluation.not_looking import IN_PROPORTION
from actor_observer.evaluation.statistics.bootstrap import Interval
from actor_observer.evaluation.tables.gain import Gain
from actor_observer.evaluation.tables.layout import Cell, Figures
from actor_observer.pairs.manifest import Manifest, Split
from actor_observer.pictures.gallery import Plate
from actor_observer.pictures.report.headline import COLUMNS as SHORT
from actor_observer.pictures.report.headline import EXCHANGED, MOMENTS, QUADS, QUADS_ABOVE, headline, row_of
from actor_observer.pictures.report.page import Html, document, join, table, tag
from actor_observer.pictures.report.report import figure

__all__ = ["Shown", "above_of", "in_terminal", "sentences", "table_of", "write_page"]

COLUMNS = (
    *("robots: quads right (%)", "robots: moments off by (s)"),
    *("homes: quads right (%)", "homes: moments off by (s)"),
)
BLIND = "in proportion"
RIVALS = ("frozen features", "frozen, standardised", "clock", "ridge map")
SCRATCH = "quick, trained here"
BOX, ADAPTED = "model in the box", "box, adapted here"
OURS = {SCRATCH: ("quick-short", "quick"), BOX: ("model in the box",) * 2, ADAPTED: ("box, adapted",) * 2}
SWAPPED = "  … takes exchanged"
ROWS = {  # our name -> the name in the robots' tables, and in the homes'
    "chance": ("chance",) * 2,
    BLIND: (IN_PROPORTION,) * 2,
    **{name: (name.replace("frozen,", "frozen features,"),) * 2 for name in RIVALS},
    **{
        row: tuple(f"{name}{after}" for name in names)
        for ours, names in OURS.items()
        for row, after in ((ours, ""), (f"{ours}{SWAPPED}", f", {EXCHANGED}"))
    },
}
ROBOTS, HOMES = 0, 2  # the column of quads of each set


@dataclass(frozen=True)
class Shown:
    """Everything on the page."""

    table: Figures
    gains: tuple[Gain, Gain]  # of the box, by adapting to the robots and to the homes
    above: tuple[Interval | None, ...]  # what each trained here adds to not looking: robots, homes
    plate: Plate
    robots: Manifest
    homes: Manifest
    out: Path


def table_of(robots: Mapping[str, Figures], homes: Mapping[str, Figures]) -> Figures:
    """Both sets in one table: the share of quads right, and how far off moments are placed."""
    shorts = headline(robots), headline(homes)
    rows: dict[str, tuple[Cell, ...]] = {}
    for name, theirs in ROWS.items():
        rows[name] = tuple(
            _row(short, own)[SHORT.index(column)]
            for short, own in zip(shorts, theirs, strict=True)
            for column in (QUADS, MOMENTS)
        )
    notes = [f"{which}: {short.notes[0]}" for which, short in zip(("Robots", "Homes"), shorts, strict=True)]
    for which, column in (("Robots", ROBOTS), ("Homes", HOMES)):
        if rows[BLIND][column] is None:
            notes.append(
                f"{which}: {BLIND} is empty, because both videos start and end together: it would be the truth."
            )
    return Figures("demo", "What was learned", COLUMNS, rows, COLUMNS[::2], (FAIR, *notes))


def above_of(*both: Mapping[str, Figures]) -> tuple[Interval | None, ...]:
    """How many quads more `quick` gets right than the best rule that does not look, video by video: robots, homes."""
    cells = (
        row_of(headline(tables), name)[SHORT.index(QUADS_ABOVE)]
        for tables, name in zip(both, OURS[SCRATCH], strict=True)
    )
    return tuple(cell if isinstance(cell, Interval) and cell.known else None for cell in cells)


def _row(short: Figures, name: str) -> tuple[Cell, ...]:
    return row_of(short, name, name.replace(f", {EXCHANGED}", f" (uses time), {EXCHANGED}"))


def in_terminal(shown: Figures) -> Table:
    """The table for 80 columns."""
    made = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold", caption_justify="left")
    made.caption = "fair protocol, pairs it never saw; in brackets 95 % intervals over videos"
    made.add_column("")
    for column in ("robots:\nquads right", "moments\noff by (s)", "homes:\nquads right", "moments\noff by (s)"):
        made.add_column(column, justify="right", no_wrap=True)
    for name, cells in shown.rows.items():
        texts = [brief(cell, column in shown.percent) for column, cell in zip(shown.columns, cells, strict=True)]
        made.add_row(
            Text(SWAPPED if name.endswith(SWAPPED) else name),
            *map(Text, texts),
            style="bold" if name in (SCRATCH, ADAPTED) else None,
        )
    return made


def sentences(shown: Shown) -> list[str]:
    """What the table says, and what it does not."""
    made, pairs = shown.table, counted(len(shown.homes.pairs), "pair")
    return [
        f"Robots (real footage), from scratch: {_against(made, SCRATCH, ROBOTS)} {_beyond(shown.above[0])}",
        f"Robots, the model in the box, which has never seen one: {_adapted(made, ROBOTS, shown.gains[0])}",
        f"Homes (rendered, {pairs} in folds), from scratch: {_against(made, SCRATCH, HOMES)} {_beyond(shown.above[1])}",
        f"Homes, the model in the box, which knows such homes: {_adapted(made, HOMES, shown.gains[1])}",
    ]


def _beyond(above: Interval | None) -> str:
    """What was learned beyond the time: against the best rule that sees no picture."""
    if above is None:
        return "Against rules that do not look: not measured."
    verdict = "" if above.low > 0 else ", which is no gain that so few videos could show"
    return f"Against the best rule that does not look, video by video: {above.percent()} points{verdict}."


def _adapted(made: Figures, column: int, gain: Gain) -> str:
    before, after = (_value(made, name, column) for name in (BOX, ADAPTED))
    return f"{before} as it comes, {after} adapted. {_gained(gain)}"


def _gained(gain: Gain) -> str:
    """What adapting brought, and whether so few videos could show it."""
    quads, moments = gain.quads, gain.moments
    points = f"{100 * quads.value:+.1f} [{100 * quads.low:+.1f}, {100 * quads.high:+.1f}] points of quads"
    seconds = f"{moments.value:+.2f} [{moments.low:+.2f}, {moments.high:+.2f}] s in the mean error of a moment"
    better, worse = quads.low > 0 or moments.high < 0, quads.high < 0 or moments.low > 0
    if better == worse:
        verdict = f"no difference that {gain.videos} videos could show"
    else:
        verdict = "it gained" if better else "it lost"
    return f"Video by video: {points}, {seconds}: {verdict}."


def _against(shown: Figures, name: str, column: int) -> str:
    """Whether a row's whole interval lies above the figure of every rival, and of chance."""
    own = shown.rows[name][column]
    if not isinstance(own, Interval) or not own.known:
        return "not measured."
    others = {rival: _number(shown.rows[rival][column]) for rival in ("chance", BLIND, *RIVALS, f"{name}{SWAPPED}")}
    others = {rival.replace(SWAPPED, " with takes exchanged"): value for rival, value in others.items()}
    known = {rival: value for rival, value in others.items() if value is not None}
    not_above = [f"{rival} ({100 * value:.1f})" for rival, value in known.items() if own.low <= value]
    said = f"{own.percent()} % of quads right; "
    if not_above:
        return said + f"the interval is not wholly above {', '.join(not_above)}: too few videos to say."
    best = max(known, key=lambda rival: known[rival])
    return said + f"the whole interval is above every rival (best: {best}, {100 * known[best]:.1f})."


def _value(shown: Figures, name: str, column: int) -> str:
    cell = shown.rows[name][column]
    return f"{cell.percent()} %" if isinstance(cell, Interval) else "–"


def _number(cell: Cell) -> float | None:
    value = cell.value if isinstance(cell, Interval) else cell
    return float(value) if isinstance(value, float | int) and value == value else None


def write_page(shown: Shown) -> Path:
    """Write report.html, which needs nothing else."""
    path = shown.out / "report.html"
    write_whole(path, _page(shown).encode())
    return path


def _page(shown: Shown) -> str:
    return document(
        "actor-observer: what the demo learned",
        tag("p", tag("span", "Observer", class_="third"), " and ", tag("span", "actor", class_="first"), class_="by"),
        tag("h1", "What the demo learned"),
        tag("p", WHAT),
        figure(shown.plate, "Figure 1."),
        table(shown.table, "Table 1.", SCRATCH),
        *(tag("p", sentence) for sentence in sentences(shown)),
        tag("h2", "What was done"),
        *_done(shown),
        tag("h2", "With your own videos"),
        tag("p", "Write your pairs into one CSV file (docs/data.md says how), then:"),
        tag("pre", OWN),
        tag("footer", CREDIT, tag("a", "CC BY 4.0", href="https://creativecommons.org/licenses/by/4.0/"), "."),
    )


FAIR = (
    "Fair protocol: a rule that ignores the observer gets 50 %, one that knows both clocks and no picture what the row "
    f"“{BLIND}” shows. Takes exchanged: the same with another pair’s first-person video, what knowing the time alone "
    "gives. In brackets: 95 % intervals over videos."
)
WHAT = (
    "Two cameras, one event: the observer’s sees somebody act, the actor’s sees what they see. A network learns to say "
    "which moment of one video is which moment of the other. All figures were measured on this machine just now, on "
    "pairs that the network did not learn from."
)
OWN = """# quick-short instead of quick for clips of a few seconds
actor-observer train quick --data pairs.csv --out runs/first
actor-observer train quick --init box --data pairs.csv --out runs/adapted
actor-observer report runs/first --data pairs.csv"""
CREDIT = (
    "The robot clips are from the Functional Manipulation Benchmark by Jianlan Luo, Charles Xu, Fangchen Liu, Liam "
    "Tan, Zipeng Lin, Jeffrey Wu, Pieter Abbeel and Sergey Levine (functional-manipulation-benchmark.github.io), made "
    "smaller; licence: "
)


def _done(shown: Shown) -> list[Html]:
    robots = join(
        tag("b", "Robots. "),
        f"{len(shown.robots.pairs)} real clips of a robot arm, seen by a side camera and by its wrist camera. ",
        tag("code", "quick-short"),
        f" learned from {pairs_of(shown.robots, 'train')}; the table is of {pairs_of(shown.robots, 'test')} of other "
        "episodes.",
    )
    homes = join(
        tag("b", "Homes. "),
        f"{counted(len(shown.homes.pairs), 'rendered pair')}: the room camera and the head camera film separate "
        "performances of one script. The pairs are dealt into folds, no person in two of them; ",
        tag("code", "quick"),
        " learns from all folds but one, and is judged on the one it never saw; so is every rival.",
    )
    box = join(
        tag("b", "The model in the box "),
        "comes with the package and has seen many rendered homes, not these, and no real video. ",
        tag("code", "--init box"),
        " goes on from its backbone, projections and selector. On homes it learns by soft-DTW: clocks of such pairs "
        "are off by seconds, and soft-DTW does not trust them.",
    )
    return [tag("p", robots), tag("p", homes), tag("p", box)]


def pairs_of(manifest: Manifest, split: Split) -> str:
    """How many pairs of one person a split has, in words."""
    return counted(sum(pair.same_person for pair in manifest.of(split).pairs), "pair")


def brief(cell: Cell, percent: bool) -> str:
    """A figure as short as it can be said: 50.0 [41–60]."""
    factor, digits = (100, 0) if percent else (1, 1)
    if isinstance(cell, Interval) and not math.isnan(cell.value):
        value, low, high = (factor * number for number in (cell.value, cell.low, cell.high))
        return f"{value:.{digits + 1}f}" + (f" [{low:.{digits}f}–{high:.{digits}f}]" if cell.known else "")
    return f"{factor * cell:.{digits + 1}f}" if isinstance(cell, float | int) else "–"

"""The demo's third part: learn from a robot's real pairs, from scratch and from the model in the box; judge both."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from rich.table import Table
from rich.text import Text

from actor_observer.console import counted, progress
from actor_observer.evaluation.compared.method import Protocol
from actor_observer.evaluation.compared.not_looking import IN_PROPORTION
from actor_observer.evaluation.evaluate import embed_runs
from actor_observer.evaluation.judged_data import JudgedData
from actor_observer.evaluation.statistics.bootstrap import Interval
from actor_observer.evaluation.tables.gain import Gain, gain
from actor_observer.evaluation.tables.layout import Cell, Figures
from actor_observer.model.pretrained import BOX
from actor_observer.pairs import ROBOTS, Manifest, Pair, Split
from actor_observer.pictures.figures.opened_run import open_run
from actor_observer.pictures.figures.parts.save import save_picture
from actor_observer.pictures.figures.placing import place
from actor_observer.pictures.gallery import Plate, alignment_plate
from actor_observer.pictures.report.headline import COLUMNS as SHORT
from actor_observer.pictures.report.headline import EXCHANGED, MOMENTS, QUADS, QUADS_ABOVE, headline, row_of
from actor_observer.pictures.report.page import Html, join, table, tag
from actor_observer.pictures.report.report import figure
from actor_observer.training import recipe_named, train, with_settings

__all__ = ["Learned", "above_of", "learn", "section_learned", "table_of"]

BRIEF = Protocol(near=0.1, far=1.0, far_share=0.5, moment=1.0, moment_share=0.5, step=1 / 12)  # clips of a few seconds
RATE = 12.0  # frames a second that are judged: what the recipe learns from
SHOWN = 2.0  # seconds: shorter clips have little to look at
FROM_BOX = ("init=box", "name=box, adapted")
COLUMNS = ("quads right (%)", "moments off by (s)")
BLIND = "in proportion"
RIVALS = ("frozen features", "frozen, standardised", "clock", "ridge map")
SCRATCH, THE_BOX, ADAPTED = "quick, trained here", "model in the box", "box, adapted here"
OURS = {SCRATCH: "quick-short", THE_BOX: "model in the box", ADAPTED: "box, adapted"}
SWAPPED = "  … takes exchanged"
ROWS = {  # our name -> the name in the tables
    "chance": "chance",
    BLIND: IN_PROPORTION,
    **{name: name.replace("frozen,", "frozen features,") for name in RIVALS},
    **{
        row: f"{name}{after}"
        for ours, name in OURS.items()
        for row, after in ((ours, ""), (f"{ours}{SWAPPED}", f", {EXCHANGED}"))
    },
}
FAIR = (
    "Fair protocol: a rule that ignores the observer gets 50 %, one that knows both clocks and no picture what the row "
    f"“{BLIND}” shows. Takes exchanged: the same with another pair’s first-person video, what knowing the time alone "
    "gives. In brackets: 95 % intervals over videos."
)


@dataclass(frozen=True)
class Learned:
    """What was learned, and how it was judged."""

    table: Figures
    gain: Gain  # of the box, by adapting
    above: Interval | None  # what `quick` adds to not looking
    plate: Plate
    robots: Manifest
    out: Path

    def save_picture(self) -> Path:
        """Write alignment.png."""
        return save_picture(self.plate.draw(), self.out / "alignment.png")

    @property
    def sentences(self) -> list[str]:
        """What the table says, and what it does not."""
        before, after = (_value(self.table, name) for name in (THE_BOX, ADAPTED))
        return [
            f"From scratch: {_against(self.table, SCRATCH)} {_beyond(self.above)}",
            f"The model in the box, which has never seen a robot: {before} as it comes, {after} adapted. "
            f"{_gained(self.gain)}",
        ]

    def in_terminal(self) -> Table:
        """The table for 80 columns."""
        made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", caption_justify="left")
        made.caption = "fair protocol, pairs it never saw; in brackets 95 % intervals over videos"
        made.add_column("")
        for column in ("quads right", "moments off by (s)"):
            made.add_column(column, justify="right", no_wrap=True)
        for name, cells in self.table.rows.items():
            texts = [_brief(cell, column == COLUMNS[0]) for column, cell in zip(COLUMNS, cells, strict=True)]
            style = "bold" if name in (SCRATCH, ADAPTED) else None
            made.add_row(Text(SWAPPED if name.endswith(SWAPPED) else name), *map(Text, texts), style=style)
        return made


def learn(out: Path, stage: Callable[[str], AbstractContextManager[None]]) -> Learned:
    """Train both, judge them beside their rivals, choose a picture; run again, it continues."""
    scratch, adapt = (with_settings(recipe_named("quick-short"), some) for some in ((), FROM_BOX))
    cache = out / "cache"
    on = JudgedData(ROBOTS, cache=cache, bar=progress, look_rate=RATE)
    with stage("learning: quick-short from scratch"):
        short = train(scratch, ROBOTS, out / "robots", cache=cache)
    with stage("learning: the model in the box adapts"):
        adapted = train(adapt, ROBOTS, out / "robots-adapted", cache=cache)
    with stage("learning: judge"):
        embedded = embed_runs([short, BOX, adapted], on)
        judged = embedded.judge(on, BRIEF)
        judged.write(short)
        before, after = (method.embeddings for method in embedded.methods[-2:])
        gained = gain(before, after, on.part, on.part.pairs, BRIEF)
        plate = alignment_of(short, on)
    return Learned(table_of(judged.tables), gained, above_of(judged.tables), plate, on.manifest, out)


def table_of(robots: Mapping[str, Figures]) -> Figures:
    """The share of quads right, and how far off moments are placed."""
    short = headline(robots)
    rows = {
        name: tuple(_row(short, own)[SHORT.index(column)] for column in (QUADS, MOMENTS)) for name, own in ROWS.items()
    }
    notes = [FAIR, short.notes[0]]
    if rows[BLIND][0] is None:
        notes.append(f"{BLIND} is empty, because both videos start and end together: it would be the truth.")
    return Figures("demo", "What was learned", COLUMNS, rows, COLUMNS[:1], tuple(notes))


def above_of(robots: Mapping[str, Figures]) -> Interval | None:
    """How many quads more `quick` gets right than the best rule that does not look, video by video."""
    cell = row_of(headline(robots), OURS[SCRATCH])[SHORT.index(QUADS_ABOVE)]
    return cell if isinstance(cell, Interval) and cell.known else None


def _row(short: Figures, name: str) -> tuple[Cell, ...]:
    return row_of(short, name, name.replace(f", {EXCHANGED}", f" (uses time), {EXCHANGED}"))


def alignment_of(run: Path, on: JudgedData) -> Plate:
    """A typical test pair, put in step by the run: of those long enough to look at, the one of median error."""
    opened = open_run(run, on)
    lengths = {pair.id: opened.manifest.takes[pair.third].length for pair in opened.pairs}
    moments = {id: min(BRIEF.moment, BRIEF.moment_share * length) for id, length in lengths.items()}

    def error(pair: Pair) -> float:
        third, first = opened.embeddings[pair.third], opened.embeddings[pair.first]
        return float(np.median(place(third, first, pair.clock, moments[pair.id])[2]))

    shown = sorted((pair for pair in opened.pairs if lengths[pair.id] >= SHOWN), key=error) or list(opened.pairs)
    pair = shown[len(shown) // 2]
    plate = alignment_plate(opened, pair, moments[pair.id])
    typical = (
        f"A typical pair that it never saw: about half of the {len(shown)} of at least {SHOWN:g} s are placed better. "
    )
    return replace(plate, caption=typical + plate.caption)


def section_learned(learned: Learned) -> list[Html]:
    """The third part of the page."""
    done = join(
        f"{len(learned.robots.pairs)} real clips of a robot arm, seen by a side camera and by its wrist camera. ",
        tag("code", "quick-short"),
        f" learned from {pairs_of(learned.robots, 'train')}; the table is of {pairs_of(learned.robots, 'test')} of "
        "other episodes. The model in the box comes with the package and has seen rendered homes, and no real video; ",
        tag("code", "--init box"),
        " goes on from it. What to look at: a moment of one video, and where it is found in the other.",
    )
    return [
        tag("h2", "3. Learning"),
        tag("p", done),
        figure(learned.plate, "Figure 3."),
        table(learned.table, "Table 1.", SCRATCH),
        *(tag("p", tag("b", "Found: "), sentence) for sentence in learned.sentences),
    ]


def pairs_of(manifest: Manifest, split: Split) -> str:
    """How many pairs of one person a split has, in words."""
    return counted(sum(pair.same_person for pair in manifest.of(split).pairs), "pair")


def _beyond(above: Interval | None) -> str:
    """What was learned beyond the time: against the best rule that sees no picture."""
    if above is None:
        return "Against rules that do not look: not measured."
    verdict = "" if above.low > 0 else ", which is no gain that so few videos could show"
    return f"Against the best rule that does not look, video by video: {above.percent()} points{verdict}."


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


def _against(shown: Figures, name: str) -> str:
    """Whether a row's whole interval lies above the figure of every rival, and of chance."""
    own = shown.rows[name][0]
    if not isinstance(own, Interval) or not own.known:
        return "not measured."
    others = {rival: _number(shown.rows[rival][0]) for rival in ("chance", BLIND, *RIVALS, f"{name}{SWAPPED}")}
    others = {rival.replace(SWAPPED, " with takes exchanged"): value for rival, value in others.items()}
    known = {rival: value for rival, value in others.items() if value is not None}
    not_above = [f"{rival} ({100 * value:.1f})" for rival, value in known.items() if own.low <= value]
    said = f"{own.percent()} % of quads right; "
    if not_above:
        return said + f"the interval is not wholly above {', '.join(not_above)}: too few videos to say."
    best = max(known, key=lambda rival: known[rival])
    return said + f"the whole interval is above every rival (best: {best}, {100 * known[best]:.1f})."


def _value(shown: Figures, name: str) -> str:
    cell = shown.rows[name][0]
    return f"{cell.percent()} %" if isinstance(cell, Interval) else "–"


def _number(cell: Cell) -> float | None:
    value = cell.value if isinstance(cell, Interval) else cell
    return float(value) if isinstance(value, float | int) and value == value else None


def _brief(cell: Cell, percent: bool) -> str:
    """A figure as short as it can be said: 50.0 [41–60]."""
    factor, digits = (100, 0) if percent else (1, 1)
    if isinstance(cell, Interval) and not math.isnan(cell.value):
        value, low, high = (factor * number for number in (cell.value, cell.low, cell.high))
        return f"{value:.{digits + 1}f}" + (f" [{low:.{digits}f}–{high:.{digits}f}]" if cell.known else "")
    return f"{factor * cell:.{digits + 1}f}" if isinstance(cell, float | int) else "–"

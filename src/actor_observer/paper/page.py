"""The reproduction on one page: the paper's tables beside ours, the figures, the trainings; and the same as files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from actor_observer.disk import write_whole
from actor_observer.errors import UserError
from actor_observer.evaluation.compared.not_looking import IN_PROPORTION
from actor_observer.evaluation.judged_data import JudgedData
from actor_observer.evaluation.tables.layout import Cell, Figures, as_latex, as_markdown
from actor_observer.model.saved_recipe import recipe_of
from actor_observer.pairs.manifest import Manifest
from actor_observer.paper.compare import Results, in_short, paper_tables
from actor_observer.paper.hands import hands_table
from actor_observer.paper.stages import seconds_of
from actor_observer.paper.trainings import Training, Trainings
from actor_observer.pictures.figures.choose import spread
from actor_observer.pictures.figures.learning_curves import draw_learning_curves, read_log
from actor_observer.pictures.figures.opened_run import Run, open_run
from actor_observer.pictures.figures.parts.save import save_picture
from actor_observer.pictures.gallery import Plate, plates
from actor_observer.pictures.report.page import Html, cell_of, document, join, table, tag
from actor_observer.pictures.report.report import figure, holds, settings_of

__all__ = ["PAGE", "Reproduced", "write_page"]

PAGE = "paper.html"
SHOWN_PAIRS = 60  # the figures look at no more pairs than this, chosen evenly


@dataclass(frozen=True)
class Reproduced:
    """Everything that the page shows."""

    results: Results
    trainings: Trainings
    folder: Path
    on: JudgedData


def write_page(shown: Reproduced) -> Path:
    """Write paper.html, tables.json, tables.md, tables.tex and the figures in pictures/."""
    opened = _opened(shown)
    tables = [*paper_tables(shown.results, shown.trainings), hands_table(shown.results, opened)]
    drawn = plates(opened)
    try:
        for plate in drawn:
            save_picture(plate.draw(), shown.folder / "pictures" / f"{plate.name}.png")
        written = {one.key: one.to_dict() for one in tables}
        write_whole(shown.folder / "tables.json", (json.dumps(written, indent=1, ensure_ascii=False) + "\n").encode())
        said = [in_short(shown.results, shown.trainings), *(f"Note: {note}." for note in shown.trainings.notes)]
        for name, style, before in (("tables.md", as_markdown, ""), ("tables.tex", as_latex, "% ")):
            parts = [*(f"{before}{line}" for line in said), *map(style, tables)]
            write_whole(shown.folder / name, ("\n\n".join(parts) + "\n").encode())
        write_whole(shown.folder / PAGE, build_page(shown, tables, drawn).encode())
    except OSError as error:
        raise UserError(f"{shown.folder}: cannot be written ({error.strerror or error})") from error
    return shown.folder / PAGE


def build_page(shown: Reproduced, tables: Sequence[Figures], drawn: Sequence[Plate]) -> str:
    """The whole page as HTML."""
    data = Path(shown.on.data).resolve()
    name = (data if data.is_dir() else data.parent).name
    curves = [_curves(shown, training) for training in shown.trainings.every]
    pictures = [figure(plate, f"Figure {number}.") for number, plate in enumerate(drawn, 1)]
    return document(
        f"Actor and Observer, reproduced on {name}",
        tag("p", tag("span", "Observer", class_="third"), " and ", tag("span", "actor", class_="first"), class_="by"),
        tag("h1", f"The paper’s experiments on {name}"),
        tag("p", _opening(shown)),
        tag("p", in_short(shown.results, shown.trainings)),
        *(tag("p", tag("b", "Note: "), note, ".") for note in shown.trainings.notes),
        *(grouped(one) for one in tables),
        tag("h2", "Figures", id="figures"),
        *pictures,
        tag("h2", "Learning", id="learning"),
        *curves,
        tag("h2", "Every figure", id="every"),
        tag("p", "All tables of each network. In the fair ones a rule that ignores one of the videos gets 50 %, and "
            f"one that knows both clocks and no picture what the row “{IN_PROPORTION}” shows; a method that does not "
            "beat the ridge map has not earned its complexity. In brackets: 95 % intervals over videos."),
        *(_every(name, found) for name, found in shown.results.tables.items()),
        tag("h2", "What was done", id="done"),
        table(_stages(shown), ""),
        table(holds(shown.on.manifest), ""),
        *(settings_of(recipe_of(shown.folder / "runs" / training.name)) for training in shown.trainings.every),
        tag("footer", "Written by actor-observer reproduce. The paper: Sigurdsson, Gupta, Schmid, Farhadi and Alahari, "
            "Actor and Observer: Joint Modeling of First and Third-Person Videos, CVPR 2018."),
    )  # fmt: skip


def grouped(figures: Figures) -> Html:
    """A table whose rows `group · line` stand under their group's name.

    >>> shown = grouped(Figures("k", "Title", ("a",), {"all · paper": (0.5,), "all · ours": (0.6,)}, ("a",)))
    >>> '<th colspan="2" scope="rowgroup">all</th>' in shown, shown.count(">all<")
    (True, 1)
    """
    head = tag("tr", tag("th", ""), *(tag("th", _breakable(column), scope="col") for column in figures.columns))
    bodies = []
    for group, rows in groupby(figures.rows, key=lambda name: name.partition(" · ")[0]):
        name_row = tag("th", group, colspan=str(1 + len(figures.columns)), scope="rowgroup")
        lines = [tag("tr", name_row, class_="group")]
        for name in rows:
            line, cells = name.partition(" · ")[2], zip(figures.columns, figures.rows[name], strict=True)
            shown = (cell_of(cell, column in figures.percent) for column, cell in cells)
            row = join(tag("th", line, scope="row"), *shown)
            lines.append(tag("tr", row, class_="ours") if "fair" in line else tag("tr", row))
        bodies.append(tag("tbody", *lines))
    made = tag("table", tag("thead", head), *bodies)
    caption = tag("figcaption", tag("b", f"{figures.title}. "), *(f"{note} " for note in figures.notes))
    scroll = tag("div", made, class_="scroll", tabindex="0", role="region", aria_label=figures.title)
    return tag("figure", caption, scroll, class_="table", id=figures.key)


def _breakable(name: str) -> Html:
    """A long name that may be cut where its words meet.

    >>> _breakable("ActorObserverNet")
    'Actor<wbr>Observer<wbr>Net'
    """
    return Html(join(name).replace("ActorObserverNet", "Actor<wbr>Observer<wbr>Net"))


def _opening(shown: Reproduced) -> str:
    part, first = shown.on.part, shown.trainings.every[0]
    counts = [sum(pair.same_person is same for pair in part.pairs) for same in (True, False)]
    frozen = (
        "On frozen features (--quick): the backbone stays ImageNet’s, small projections learn in its place, and the "
        "classifier is linear on ImageNet’s features, so the Charades baseline is ImageNet’s in Tables 1 and 2. "
    )
    return (
        "Each figure of the paper’s three tables stands here three times: as the paper printed it, as measured here by "
        "the paper’s own protocol, and as measured here by a fair one, beside rules that do not look at all. "
        f"Backbone: {first.recipe.network.backbone}. {frozen if first.recipe.frozen else ''}"
        f"Judged on {counts[0]} test pairs of the same person and {counts[1]} of different persons; "
        "in brackets are 95 % intervals over videos."
    )


def _opened(shown: Reproduced) -> Run:
    """The network of Tables 2 and 3 for the figures, on at most so many pairs: one of them compares all with all."""
    part = shown.on.part
    same = [pair for pair in part.pairs if pair.same_person] or part.pairs
    chosen = spread(same, SHOWN_PAIRS)
    takes = {id: part.takes[id] for pair in chosen for id in (pair.third, pair.first)}
    few = Manifest(takes, tuple(chosen), part.classes)
    return open_run(shown.folder / "runs" / "transfer", replace(shown.on, read=few))


def _curves(shown: Reproduced, training: Training) -> Html:
    log = read_log(shown.folder / "runs" / training.name)
    if not log.losses:
        return tag("p", f"{training.name}: read from a checkpoint, not trained here.")
    plate = Plate(f"curves-{training.name}", f"{training.what}.", lambda: draw_learning_curves(log))
    return figure(plate, f"{training.name}:")


def _every(name: str, tables: Mapping[str, Figures]) -> Html:
    return tag("details", tag("summary", name), *(table(one, "") for one in tables.values()))


def _stages(shown: Reproduced) -> Figures:
    rows: dict[str, tuple[Cell, ...]] = {}
    for training in shown.trainings.every:
        taken = [seconds_of(shown.folder, f"{verb}-{training.name}") for verb in ("train", "judge")]
        rows[training.name] = (training.what, *(None if one is None else f"{one:.0f}" for one in taken))
    note = "Seconds since a stage was last started: one that was killed counts from there."
    return Figures("stages", "The trainings", ("what", "training (s)", "judging (s)"), rows, (), (note,))

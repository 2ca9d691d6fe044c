"""The report of a run: one page with its figures, tables, learning curves, recipe and data, that needs nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml
from matplotlib.figure import Figure

from actor_observer.console import counted
from actor_observer.disk.sealed_json import read_json
from actor_observer.errors import UserError, first_line
from actor_observer.evaluation.compared.not_looking import IN_PROPORTION
from actor_observer.evaluation.evaluate import evaluate_runs
from actor_observer.evaluation.judge import fingerprint
from actor_observer.evaluation.judged_data import JudgedData
from actor_observer.evaluation.measures.markers import Markers, read_markers
from actor_observer.evaluation.tables.layout import Cell, Figures
from actor_observer.model.pretrained import BOX, WEIGHTS, write_whole
from actor_observer.model.saved_recipe import recipe_of
from actor_observer.pairs.manifest import SPLITS, VIEWS, Manifest
from actor_observer.pictures.figures.learning_curves import draw_learning_curves, read_log
from actor_observer.pictures.figures.opened_run import Run, open_run
from actor_observer.pictures.figures.parts.save import picture_bytes
from actor_observer.pictures.figures.parts.style import theme
from actor_observer.pictures.gallery import Plate, plates
from actor_observer.pictures.report.headline import EXCHANGED, headline, in_words
from actor_observer.pictures.report.page import Html, data_uri, document, join, table, tag
from actor_observer.pictures.report.tiles import tiles

__all__ = ["Report", "build_page", "figure", "holds", "read_tables", "settings_of", "write_report"]

TABLES = "tables.json"


@dataclass(frozen=True)
class Report:
    """Everything that is on the page."""

    name: str  # the recipe's
    data: str  # the data set's
    split: str
    judged: str  # what the split holds, in words
    tables: Mapping[str, Figures]
    plates: Sequence[Plate]
    curves: Plate | None
    recipe: Mapping[str, object]
    holds: Figures  # what the data set holds


def write_report(
    run: str | Path,
    on: JudgedData,
    out: str | Path | None = None,  # None: RUN/report.html
) -> Path:
    """Judge a run if it was not judged on this split, draw its figures, and write the page.

    It is judged again where people have marked the data since, because they have a row in the tables. A page that goes
    elsewhere leaves the run's folder as it is.

    >>> write_report("no-such-run", JudgedData("no-such-data"))
    Traceback (most recent call last):
    actor_observer.errors.UserError: no-such-data: no such file or folder
    """
    run, path = Path(run), Path(out) if out else Path(run) / "report.html"
    if run.is_file():
        raise UserError(f"{run}: a file, and the page is about a run's folder; embeddings are judged by evaluate")
    if path.resolve().parent == BOX.resolve():
        raise UserError(f"{path}: this would write into the installed package; say where the page goes with --out FILE")
    tables = read_tables(run, on.split, fingerprint(on.part), read_markers(Path(on.data)))
    if tables is None:
        verdict = evaluate_runs([run], on)
        tables = verdict.tables
        if path.parent.resolve() == run.resolve():
            verdict.write(run)
    page = build_page(_report(run, open_run(run, on), on, tables))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, page.encode())
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror or error})") from error
    return path


def read_tables(
    run: str | Path, split: str, takes: str, markers: Markers | Literal["any"] | None = "any"
) -> dict[str, Figures] | None:
    """The tables of a run from its tables.json; None if it was not judged since, on other takes, or beside others.

    >>> read_tables("no-such-run", "test", "") is None
    True
    """
    path, weights = Path(run) / TABLES, Path(run) / WEIGHTS
    if not path.is_file() or (weights.is_file() and weights.stat().st_mtime > path.stat().st_mtime):
        return None
    try:
        found = read_json(path.read_bytes())
        if (found["split"], found.get("takes")) != (split, takes):
            return None
        if markers != "any" and found.get("markers") != (markers.to_dict() if markers else None):
            return None
        return {key: Figures.from_dict(key, one) for key, one in found["tables"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UserError(f"{path}: cannot be read ({first_line(error)}); delete it and evaluate again") from error


def build_page(report: Report) -> str:
    """The whole page as HTML. Whatever comes from files is escaped."""
    short = headline(report.tables)
    count = iter(range(1, 100))
    tables = [table(one, f"Table {next(count) + 1}.", report.name) for one in _in_order(report.tables)]
    figures = [figure(plate, f"Figure {number}.") for number, plate in enumerate(report.plates, 1)]
    return document(
        f"{report.name} on {report.data}",
        tag("p", tag("span", "Observer", class_="third"), " and ", tag("span", "actor", class_="first"), class_="by"),
        tag("h1", f"{report.name} on {report.data}"),
        *_opening(report, short),
        tag("h2", "Figures", id="figures"),
        *figures,
        *_learning(report.curves, len(figures) + 1),
        tag("h2", "Tables", id="tables"),
        _how_to_read(),
        *tables,
        tag("h2", "Data", id="data"),
        table(report.holds, f"Table {len(tables) + 2}."),
        tag("h2", "Recipe", id="recipe"),
        settings_of(report.recipe),
        tag("footer", "Written by actor-observer. ", _again(report)),
    )


def _report(run: Path, opened: Run, on: JudgedData, tables: Mapping[str, Figures]) -> Report:
    recipe, log = recipe_of(run), read_log(run)
    curves = Plate("curves", "Losses and validation score, by epoch.", lambda: draw_learning_curves(log))
    data = Path(on.data)
    name = (data if data.is_dir() else data.parent).resolve().name
    people = len({take.subject for take in on.part.takes.values() if take.subject})
    judged = counted(len(on.part.pairs), "pair") + (f", {people} people" if people else "")
    shown = curves if log.losses else None
    return Report(opened.name, name, on.split, judged, tables, plates(opened), shown, recipe, holds(on.manifest))


def _opening(report: Report, short: Figures) -> list[Html]:
    where = [("Figures", "#figures"), ("Tables", "#tables"), ("Data", "#data"), ("Recipe", "#recipe")]
    what = (
        "Two cameras, one person: the observer’s sees them act, the actor’s sees what they see. The network embeds "
        "frames of both views in one space, where moments that belong together should be close together, and gives "
        "every frame a weight that says how much it tells about the other view. "
        f"Everything below was measured on the {report.split} split: {report.judged}."
    )
    return [
        tag("nav", *(tag("a", text, href=place) for text, place in where)),
        tag("p", what),
        tiles(short, report.name),
        tag("p", in_words(short, report.name)),
        table(short, "Table 1.", report.name),
    ]


def figure(plate: Plate, number: str) -> Html:
    """A figure twice, for light and dark pages; the reader's setting decides which is shown.

    >>> from actor_observer.pictures.figures.parts.style import sheet
    >>> "prefers-color-scheme: dark" in figure(Plate("a", "Nothing.", lambda: sheet(0.1)), "Figure 1.")
    True
    """
    light, dark = (_drawn(plate.draw, name) for name in ("light", "dark"))
    shown = tag(
        "picture",
        tag("source", media="(prefers-color-scheme: dark)", srcset=data_uri(dark, "image/webp")),
        tag("img", src=data_uri(light, "image/webp"), alt=plate.caption),
    )
    return tag("figure", shown, tag("figcaption", tag("b", f"{number} "), plate.caption), id=f"figure-{plate.name}")


def _drawn(draw: Callable[[], Figure], name: str) -> bytes:
    with theme("dark" if name == "dark" else "light"):
        return picture_bytes(draw(), "webp")


def _learning(curves: Plate | None, number: int) -> list[Html]:
    return [tag("h2", "Learning", id="learning"), figure(curves, f"Figure {number}.")] if curves else []


def _in_order(tables: Mapping[str, Figures]) -> list[Figures]:
    """The fair tables first, then the published ones, then the others."""
    rank = {"fair": 0, "published": 2}
    return sorted(tables.values(), key=lambda one: next((rank[word] for word in rank if word in one.key), 1))


def _how_to_read() -> Html:
    return tag(
        "p",
        "In the fair tables a rule that ignores one of the two videos gets 50 % of the quads, and windows at the "
        "border of a video have no advantage. A rule that knows both clocks and no picture gets what the row "
        f"“{IN_PROPORTION}” shows, and a method that knows only the time what its row “{EXCHANGED}” does: what a "
        "method adds to the better of them is its claim. The published protocols follow, with meters of what leaks. A "
        "method that does not beat the ridge map has not earned its complexity. In brackets: 95 % intervals over "
        "videos.",
    )


def settings_of(recipe: Mapping[str, object]) -> Html:
    """A recipe: what matters most in words, everything behind a click."""
    if not recipe:
        return tag("p", "This model came without a recipe.")
    text = yaml.safe_dump(dict(recipe), sort_keys=False, allow_unicode=True, width=100)
    every = tag("details", tag("summary", f"All settings of {recipe.get('name', 'the run')}"), tag("pre", text))
    return join(tag("p", _in_words(recipe)), every)


def _in_words(recipe: Mapping[str, Any]) -> str:
    """The settings that matter most, as far as the recipe names them."""
    network, optimiser = (recipe[key] if isinstance(recipe.get(key), dict) else {} for key in ("network", "optimiser"))
    parts = {
        "objective": recipe.get("objective"),
        "backbone": network.get("backbone"),
        "backbone frozen": {True: "yes", False: "no"}.get(recipe.get("frozen", "")),
        "epochs": recipe.get("epochs"),
        "batch": recipe.get("batch"),
        "optimiser": optimiser.get("kind"),
        "learning rate": optimiser.get("lr"),
        "seed": recipe.get("seed"),
    }
    return "; ".join(f"{name}: {value}" for name, value in parts.items() if value is not None) + "."


def _again(report: Report) -> Html:
    command = f"actor-observer report RUN --data {report.data}"
    return join("To make this page again: ", tag("code", command))


def holds(manifest: Manifest) -> Figures:
    """How many pairs and takes each split has, and how long they are."""
    rows: dict[str, tuple[Cell, ...]] = {}
    for split in SPLITS:
        part = manifest.of(split)
        counts = [sum(pair.same_person is same for pair in part.pairs) for same in (True, False)]
        takes = [sum(take.view == view for take in part.takes.values()) for view in VIEWS]
        lengths = [take.length for take in part.takes.values()]
        people = len({take.subject for take in part.takes.values() if take.subject})
        mean = sum(lengths) / len(lengths) if lengths else None
        rows[split] = (*counts, *takes, len(manifest.labelled(part.takes.values())), mean, people)
    pairs, takes_of = ("pairs, same person", "different persons"), ("third-person takes", "first-person takes")
    columns = (*pairs, *takes_of, "labelled", "mean length (s)", "people")
    return Figures("holds", "What the data holds", columns, rows, (), tuple(manifest.notes))

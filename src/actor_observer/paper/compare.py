"""Tables 1, 2 and 3 of the paper: its figure, ours by its own protocol, and ours by the fair one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from actor_observer.errors import UserError
from actor_observer.evaluation.compared.not_looking import CANNOT_TELL, IN_PROPORTION
from actor_observer.evaluation.judge import fingerprint
from actor_observer.evaluation.judged_data import JudgedData
from actor_observer.evaluation.measures.markers import Markers, read_markers
from actor_observer.evaluation.statistics.bootstrap import Interval
from actor_observer.evaluation.tables.correspondence_tables import ABOVE
from actor_observer.evaluation.tables.layout import Cell, Figures
from actor_observer.paper.published import (
    ALIGNMENT,
    CORRESPONDENCE,
    HUMAN,
    METHODS,
    RECOGNITION,
    SHARES,
    Who,
)
from actor_observer.paper.trainings import CLASSIFIER, VGG, Trainings
from actor_observer.pictures.report.headline import EXCHANGED
from actor_observer.pictures.report.report import read_tables

__all__ = ["Results", "in_short", "paper_tables", "read_results"]

PAPER, OURS, FAIR = "paper", "ours, as published", "ours, fair"
WHO: dict[Who, str] = {"same": "Same person", "different": "Different persons"}
RIVAL = "ridge map"
ONE_HEAD = "one head"


@dataclass(frozen=True)
class Results:
    """What was measured: every training's tables, by its name, and people's row where there is one."""

    tables: Mapping[str, Mapping[str, Figures]]
    markers: Markers | None = None

    def cell(self, run: str, table: str, row: str, column: str) -> Cell:
        """One figure of one training's tables; None if it was not measured.

        >>> Results({}).cell("transfer", "recognition", "a", "b") is None
        True
        """
        figures = self.tables.get(run, {}).get(table)
        if figures is None or column not in figures.columns:
            return None
        marked = (row.replace(f", {how}", f" (uses time), {how}") for how in ("by", EXCHANGED))
        names = (row, *marked, f"{row} (uses time)")
        found = next((figures.rows[name] for name in names if name in figures.rows), None)
        return found[figures.columns.index(column)] if found else None


def read_results(trainings: Trainings, runs: Path, on: JudgedData) -> Results:
    """The tables of all runs. All must have been judged on these data."""
    tables = {}
    for training in trainings.every:
        found = read_tables(runs / training.name, on.split, fingerprint(on.part))
        if found is None:
            raise UserError(
                f"{runs / training.name}: not judged on these data; delete its files in done/ and run again"
            )
        tables[training.name] = found
    return Results(tables, read_markers(Path(on.data)))


def paper_tables(results: Results, trainings: Trainings) -> tuple[Figures, Figures, Figures]:
    """The paper's three tables, each figure three times."""
    return _correspondence(results, trainings), _alignment(results, trainings), _recognition(results, trainings)


def in_short(results: Results, trainings: Trainings) -> str:
    """The paper's main result in a sentence: its figure, ours, ours without x, ours fair."""
    own, share = _name(trainings, "correspondence"), SHARES[-1]
    published, fair = "correspondence-published-same", "correspondence-fair-same"
    cells = (
        results.cell(own, published, own, share),
        results.cell(own, published, own, f"x thrown away, {share}"),
        results.cell(own, fair, f"{own}, by selector", share),
        results.cell(own, fair, f"{own}, by selector", ABOVE),
    )
    ours, blind, quads, above = (cell.percent() if isinstance(cell, Interval) else "–" for cell in cells)
    return (
        f"Of the {share} of triplets that it weighs highest, ActorObserverNet gets "
        f"{100 * CORRESPONDENCE['same']['ActorObserverNet'][-1]:.1f} % right in the paper and {ours} % here. "
        f"Without looking at the third person at all: {blind} %. "
        f"On balanced quads, chosen by the same selector: {quads} %; over all quads, {above} points above the best "
        "rule that does not look."
    )


def _correspondence(results: Results, trainings: Trainings) -> Figures:
    first = trainings.every[0].name
    rows: dict[str, tuple[Cell, ...]] = {}
    for who, title in WHO.items():
        published, fair = f"correspondence-published-{who}", f"correspondence-fair-{who}"
        own = _name(trainings, f"correspondence-{who}", "correspondence")
        shared = _name(trainings, f"transfer-{who}", "transfer")
        as_published = (  # the run, the table and the row of each column
            (first, published, "chance"),
            (first, published, "frozen features"),
            (CLASSIFIER, published, CLASSIFIER),
            (own, published, own),
            (shared, published, shared),
            (first, published, RIVAL),
            (first, published, IN_PROPORTION),
        )
        for place, share in enumerate(SHARES):
            label = f"{title}, {'all' if share == 'all' else f'choose {share}'}"
            printed = [CORRESPONDENCE[who][method][place] for method in METHODS]
            rows[f"{label} · {PAPER}"] = (*printed, None, None, None)
            rows[f"{label} · {OURS}"] = tuple(results.cell(*where, share) for where in as_published)
            rows[f"{label} · {FAIR}"] = (
                results.cell(first, fair, "chance", share),
                results.cell(first, fair, "frozen features, by margin", share),
                results.cell(CLASSIFIER, fair, f"{CLASSIFIER}, by margin", share),
                results.cell(own, fair, f"{own}, by selector", share),
                results.cell(shared, fair, f"{shared}, by selector", share),
                results.cell(first, fair, f"{RIVAL}, by margin", share),
                results.cell(first, fair, IN_PROPORTION, share),
            )
        rows[f"{title}, all · {FAIR}, {EXCHANGED}"] = (
            None,
            results.cell(first, fair, f"frozen features, {EXCHANGED}", "all"),
            *(results.cell(run, fair, f"{run}, {EXCHANGED}", "all") for run in (CLASSIFIER, own, shared)),
            results.cell(first, fair, f"{RIVAL}, {EXCHANGED}", "all"),
            None,
        )
        blind = f"x thrown away, {SHARES[-1]}"
        rows[f"{title}, choose {SHARES[-1]} · {OURS}, x thrown away"] = tuple(
            results.cell(*where, blind) for where in as_published
        )
    columns = (*METHODS, ONE_HEAD, RIVAL, IN_PROPORTION)
    notes = (
        "Share of third-person frames whose first-person frame is found (%). Chosen by the selector; baselines by the "
        "difference of the two distances.",
        "Fair: balanced quads, of which a rule that ignores the third person gets 50. x thrown away: the published "
        "test without the third-person frame, on the same chosen triplets; above 50, the choice leaks the answer. One "
        "head can leak it too.",
        *_not_looking(results, first, "correspondence"),
        f"“{ONE_HEAD}”: the network of Tables 2 and 3, whose first-person streams share a selector head.",
    )
    return Figures("paper-1", "Table 1: correspondence", columns, _some(rows), columns, notes)


def _alignment(results: Results, trainings: Trainings) -> Figures:
    first = trainings.every[0].name
    people = results.markers.label if results.markers else ""
    rows: dict[str, tuple[Cell, ...]] = {}
    for who, title in WHO.items():
        own = _name(trainings, f"transfer-{who}", "transfer")
        published, fair = f"alignment-published-{who}", f"alignment-fair-{who}"
        printed = ALIGNMENT[who]
        rows[f"{title} · {PAPER}"] = (
            *(printed["chance"], HUMAN, printed["ImageNet"], printed["Charades"], printed["ActorObserverNet"]),
            *(None, None),
        )

        def row(table: str, chance: str, column: str, human: Cell, own: str = own, after: str = "") -> tuple[Cell, ...]:
            return (
                results.cell(first, table, chance, column),
                human,
                results.cell(first, table, f"frozen features{after}", column),
                results.cell(CLASSIFIER, table, f"{CLASSIFIER}{after}", column),
                results.cell(own, table, f"{own}{after}", column),
                results.cell(first, table, f"{RIVAL}{after}", column),
                None if after else results.cell(first, table, IN_PROPORTION, column),
            )

        best, every = "best pair, median", "every moment, median"
        human = results.markers.median if results.markers and who == "same" else None
        rows[f"{title} · {OURS}"] = row(published, "independent noise", best, None)
        rows[f"{title} · {FAIR}: best pair"] = row(fair, "uniform guess", best, None)
        rows[f"{title} · {FAIR}: every moment"] = row(fair, "uniform guess", every, human)
        rows[f"{title} · {FAIR}: every moment, {EXCHANGED}"] = row(fair, "", every, None, after=f", {EXCHANGED}")
    notes = [
        "Median error in third-person seconds. As published: one pair of moments is chosen by means over windows that "
        "the border clips, which draws the choice to the border; chance is noise chosen that way.",
        "Fair: whole windows only; and the harder question, every first-person moment placed.",
        *_not_looking(results, first, "alignment"),
        results.markers.note if results.markers else "Human: run a study in the Studio (docs/studio.md) for this row.",
    ]
    columns = ("chance", people or "Human", *METHODS[1:], RIVAL, IN_PROPORTION)
    return Figures("paper-2", "Table 2: alignment (s)", columns, _some(rows), (), tuple(notes))


def _recognition(results: Results, trainings: Trainings) -> Figures:
    apart = CLASSIFIER if trainings.named("transfer-apart") is None else "classifier-apart"
    fair = _name(trainings, "transfer-apart", "transfer")
    rows: dict[str, tuple[Cell, ...]] = {}
    empty: dict[str, tuple[Cell, ...]] = {}
    for view, title in (("first", "First person, zero-shot"), ("third", "Third person")):
        of = " (zero-shot)" if view == "first" else ""
        order = ("chance", "VGG-16", "Charades", "ActorObserverNet")
        rows[f"{title} · {PAPER}"] = tuple(RECOGNITION[view].get(method) for method in order)
        for which, label, column in (
            ((CLASSIFIER, "transfer"), OURS, "mAP, all frames"),
            ((apart, fair), FAIR, "mAP, all frames"),
        ):
            if label == FAIR and trainings.no_fair_labels:
                continue
            line = [results.cell(name, "recognition", f"{name}, {view} person{of}", column) for name in (VGG, *which)]
            row = f"{which[0]}, {view} person{of}"
            rows[f"{title} · {label}"] = (results.cell(which[0], "recognition", row, "chance"), *line)
        if trainings.no_fair_labels:
            empty[f"{title} · {FAIR}"] = (None,) * 4
    notes = (
        "Mean average precision over classes (%) of a classifier that learned third-person labels alone, softmax "
        "averaged over all frames, as in the paper (its published code takes 25: every network's own table has both).",
        f"As published: {_labels_from(trainings)}. Fair: "
        + (
            f"empty, because {trainings.no_fair_labels}."
            if trainings.no_fair_labels
            else "labelled clips share neither clip nor person nor script with the training pairs."
        ),
    )
    columns = ("chance", "Charades VGG-16", "Charades", "ActorObserverNet")
    return Figures("paper-3", "Table 3: recognition (mAP, %)", columns, _some(rows) | empty, columns, notes)


def _labels_from(trainings: Trainings) -> str:
    """Which clips the labels of the published rows come from."""
    found = trainings.named(CLASSIFIER)
    return "labels of any clip but the pairs' own" if found and found.recipe.labelled_apart else "labels of any clip"


def _not_looking(results: Results, first: str, what: str) -> tuple[str, ...]:
    """What the rules that do not look are, and why one of them may be empty."""
    table = results.tables.get(first, {}).get(f"{what}-fair-same")
    return (
        f"{IN_PROPORTION.capitalize()}: both videos from start to end, as a rule. {EXCHANGED.capitalize()}: another "
        "pair's first-person video, what knowing the time alone gives.",
        *((CANNOT_TELL,) if table and CANNOT_TELL in table.notes else ()),
    )


def _name(trainings: Trainings, *names: str) -> str:
    found = trainings.named(*names)
    return found.name if found else names[-1]


def _some(rows: dict[str, tuple[Cell, ...]]) -> dict[str, tuple[Cell, ...]]:
    """The rows with a figure in them, and the paper's."""
    return {name: cells for name, cells in rows.items() if any(cell is not None for cell in cells)}

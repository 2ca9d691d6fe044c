"""The paper's tables beside ours, from tables that are already there."""

from actor_observer.evaluation.compared.not_looking import CANNOT_TELL, IN_PROPORTION
from actor_observer.evaluation.statistics.bootstrap import Interval
from actor_observer.evaluation.tables.correspondence_tables import ABOVE
from actor_observer.evaluation.tables.layout import Cell, Figures
from actor_observer.paper.compare import Results, in_short, paper_tables
from actor_observer.paper.trainings import Training, Trainings
from actor_observer.training.planning.recipes import RECIPES

COLUMNS = ("all", "50 %", "10 %", "5 %", ABOVE)
NAMES = ("classifier", "correspondence", "transfer")


def results(*notes: str) -> Results:
    def row(value: float) -> tuple[Cell, ...]:
        return (*[Interval(value, value - 0.1, value + 0.1)] * 4, Interval(0.02, -0.01, 0.05))

    tables = {}
    for name in NAMES:
        rows = {IN_PROPORTION: row(0.9), f"{name}, by selector": row(0.7), f"{name}, takes exchanged": row(0.6)}
        fair = Figures("correspondence-fair-same", "", COLUMNS, rows, COLUMNS, notes)
        named = {
            f"{name}, {view} person{of}": (0.3, 0.2, 0.1) for view, of in (("first", " (zero-shot)"), ("third", ""))
        }
        known = Figures("recognition", "", ("mAP, all frames", "mAP, 25 frames", "chance"), named)
        tables[name] = {fair.key: fair, known.key: known}
    return Results(tables)


def trainings(unfair: str = "") -> Trainings:
    return Trainings(tuple(Training(name, "", RECIPES["paper-transfer"]) for name in NAMES), (), unfair)


def test_where_nothing_apart_is_labelled_the_fair_row_is_empty_and_says_why() -> None:
    """It held the published networks, whose labels leak, under the name of fair."""
    third = paper_tables(results(), trainings("only the pairs' own clips have labels"))[2]
    for view in ("First person, zero-shot", "Third person"):
        assert third.rows[f"{view} · ours, fair"] == (None,) * 4
        assert third.rows[f"{view} · ours, as published"][-1] == 0.3  # all frames, as in the paper
    assert "empty, because only the pairs' own clips have labels" in third.notes[-1]
    assert paper_tables(results(), trainings())[2].rows["Third person · ours, fair"][-1] == 0.3


def test_rules_that_do_not_look_stand_beside_every_network() -> None:
    first = paper_tables(results(), trainings())[0]
    assert first.rows["Same person, all · ours, fair"][first.columns.index(IN_PROPORTION)].value == 0.9
    swapped = first.rows["Same person, all · ours, fair, takes exchanged"]
    assert swapped[first.columns.index("ActorObserverNet")].value == 0.6
    assert "2.0 [-1.0, 5.0] points above the best rule that does not look" in in_short(results(), trainings())
    assert CANNOT_TELL not in first.notes
    assert CANNOT_TELL in paper_tables(results(CANNOT_TELL), trainings())[0].notes

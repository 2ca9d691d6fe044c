"""Embeddings that hold nothing but the time stand as *in proportion*, and nowhere win a headline."""

from dataclasses import replace

import numpy as np
import pytest

from actor_observer.evaluation.compared.method import Method, Protocol
from actor_observer.evaluation.compared.not_looking import CANNOT_TELL, IN_PROPORTION, harder_quads, positions
from actor_observer.evaluation.judge import Judgement, judge
from actor_observer.evaluation.measures.correspondence import quad_distances
from actor_observer.evaluation.tables.alignment_tables import NEARER
from actor_observer.evaluation.tables.correspondence_tables import ABOVE, HARDER
from actor_observer.features import Embeddings
from actor_observer.pairs import Clock, Manifest
from actor_observer.pictures.report.headline import MOMENTS_NEARER, QUADS, QUADS_ABOVE, headline, in_words
from tiny_embeddings import embedded_pairs

PAIRS = 12
QUICK = Protocol(per_pair=20)


def another_tempo(manifest: Manifest) -> Manifest:
    """The second performance lingers in the first half of a part of the pairs, and hurries in that of the others."""
    clocks = [Clock(((0.0, 0.0), (7.0, 21.0 if n % 2 else 9.0), (30.0, 30.0))) for n in range(len(manifest.pairs))]
    pairs = (replace(pair, clock=clock) for pair, clock in zip(manifest.pairs, clocks, strict=True))
    return replace(manifest, pairs=tuple(pairs))


def seen(manifest: Manifest, embeddings: Embeddings) -> Embeddings:
    """A method that knows which moment each frame shows, of which pair."""
    made = dict(embeddings)
    for number, pair in enumerate(manifest.pairs):
        first = made[pair.first]
        shown = np.stack([pair.clock.to_third(first.times), np.full(len(first.times), 90.0 * number)], axis=1)
        made[pair.first] = replace(first, features=shown)
        third = made[pair.third]
        made[pair.third] = replace(third, features=np.stack([third.times, np.full(len(third.times), 90.0 * number)], 1))
    return Embeddings(made)


@pytest.fixture(scope="module")
def judged() -> Judgement:
    manifest, blank = embedded_pairs(PAIRS, lambda view, n, times: np.zeros((len(times), 1)))
    manifest = another_tempo(manifest)
    methods = [Method("time alone", positions(blank)), Method("sees", seen(manifest, blank))]
    return judge(methods, manifest, "test", protocol=QUICK)


def test_time_alone_is_in_proportion_to_the_digit(judged: Judgement) -> None:
    """100 % of fair quads and 1.02 s on a rendered set: without a row beside it, that looked like understanding."""
    fair, placed = (judged.tables[f"{what}-fair-same"] for what in ("correspondence", "alignment"))
    assert fair.rows["time alone, by margin"][0] == fair.rows[IN_PROPORTION][0]
    assert fair.rows[IN_PROPORTION][0].value > 0.8
    assert placed.rows["time alone"][:3] == placed.rows[IN_PROPORTION][:3]
    assert fair.rows["time alone, takes exchanged"][0] == fair.rows[IN_PROPORTION][0]
    retrieved = judged.tables["retrieval"].rows
    assert retrieved["time alone"] == retrieved[IN_PROPORTION]


def test_time_alone_wins_nothing_and_seeing_does(judged: Judgement) -> None:
    fair, placed = (judged.tables[f"{what}-fair-same"] for what in ("correspondence", "alignment"))
    for table, column, own, other in (
        (fair, ABOVE, "time alone, by margin", "sees, by margin"),
        (placed, NEARER, "time alone", "sees"),
    ):
        place = table.columns.index(column)
        assert table.rows[own][place].low <= 0, "time alone is above not looking"
        assert table.rows[other][place].low > 0, "what sees is not above not looking"
    short = headline(judged.tables)
    assert short.rows["time alone"][short.columns.index(QUADS)].value > 0.8
    assert in_words(short, "time alone").splitlines()[0].endswith("interval: nothing.")
    assert "correspondence by" in in_words(short, "sees").splitlines()[0]
    for name in ("time alone", "sees"):
        assert f"{name}, takes exchanged" in short.rows
    for column in (QUADS_ABOVE, MOMENTS_NEARER):
        assert max(short.rows, key=lambda row, column=column: _value(short, row, column)) == "sees"  # type: ignore[misc]


def _value(short, row: str, column: str) -> float:
    cell = short.rows[row][short.columns.index(column)]
    return -9.0 if cell is None else cell.value


def test_quads_that_proportion_gets_wrong_are_counted_and_asked(judged: Judgement) -> None:
    fair = judged.tables["correspondence-fair-same"]
    place = fair.columns.index(HARDER)
    assert fair.rows["time alone, by margin"][place].value <= 0.5
    assert fair.rows["sees, by margin"][place].value == 1.0
    assert any(note.startswith("Quads that proportion gets wrong") and "of 6 pairs" in note for note in fair.notes)


def test_harder_quads_leave_a_rule_blind_to_the_third_person_at_chance() -> None:
    """Whole quads are taken: each first-person frame is once the right one and once the wrong one."""
    manifest, blank = embedded_pairs(4, lambda view, n, times: np.zeros((len(times), 1)))
    manifest = another_tempo(manifest)
    asked, every = harder_quads(manifest, manifest.pairs, blank, QUICK)
    assert 0 < len(asked) <= 4 * QUICK.per_pair < every
    blind = blank.mapped(lambda view, features: np.arange(len(features))[:, None] * (1.0 if view == "first" else 0.0))
    assert quad_distances(blind, asked, manifest.pairs).right().mean() == 0.5
    assert (quad_distances(positions(blank), asked, manifest.pairs).right() < 0.75).all()


def test_where_clocks_are_scaled_lengths_the_row_is_empty_and_says_so() -> None:
    manifest, blank = embedded_pairs(4, lambda view, n, times: np.zeros((len(times), 1)))
    found = judge([Method("time alone", positions(blank))], manifest, "test", protocol=QUICK)
    for key, table in found.tables.items():
        assert all(cell is None for cell in table.rows[IN_PROPORTION]), key
        assert CANNOT_TELL in table.notes, key
    fair = found.tables["correspondence-fair-same"]
    above = fair.rows["time alone, by margin"][fair.columns.index(ABOVE)]
    assert above.value == 0 and above.low < 0 < above.high, "its own takes exchanged are as good; never 0 [0, 0]"
    assert CANNOT_TELL in headline(found.tables).notes


def test_clocks_in_pieces_and_in_another_order_are_judged() -> None:
    """What lies in no piece is asked nowhere; what comes in another order is what proportion gets wrong."""
    manifest, blank = embedded_pairs(6, lambda view, n, times: np.zeros((len(times), 1)))
    clock = Clock.parse("0:16;12:28|14:1;26:13")
    manifest = replace(manifest, pairs=tuple(replace(pair, clock=clock) for pair in manifest.pairs))
    found = judge([Method("sees", seen(manifest, blank))], manifest, "test", protocol=QUICK)
    fair = found.tables["correspondence-fair-same"].rows
    assert fair["sees, by margin"][0].value == 1.0
    assert fair[IN_PROPORTION][0].value < 0.3
    assert found.tables["alignment-fair-same"].rows["sees"][0].value < 0.5

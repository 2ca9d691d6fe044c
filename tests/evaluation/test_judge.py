"""All tables at once, from embeddings alone."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from actor_observer.errors import UserError
from actor_observer.evaluation.compared.method import Method, Protocol
from actor_observer.evaluation.judge import judge
from actor_observer.evaluation.tables.layout import as_latex, as_markdown
from actor_observer.features import Embeddings, TakeEmbedding
from actor_observer.pairs import Action, Manifest
from tiny_embeddings import embedded_pairs

QUICK = Protocol(per_pair=20)


def scored(manifest: Manifest, embeddings: Embeddings) -> tuple[Manifest, Embeddings]:
    """Labels for every take, and class scores and weights that know them."""
    takes, embedded = {}, {}
    for number, (id, take) in enumerate(embeddings.items()):
        label = (number // 2) % 3
        takes[id] = replace(manifest.takes[id], actions=(Action(f"c{label}", 0.0, 5.0),))
        scores = np.full((len(take.times), 3), 0.2)
        scores[:, label] = 0.6
        embedded[id] = replace(take, scores=scores, weight=np.linspace(0.5, 1.5, len(take.times)))
    classes = {f"c{n}": f"class {n}" for n in range(3)}
    return replace(manifest, takes=takes, classes=classes), Embeddings(embedded)


@pytest.fixture
def verdict():
    manifest, truth = embedded_pairs(6, lambda view, n, times: np.stack([times, np.full_like(times, 50 * n)], axis=1))
    manifest, truth = scored(manifest, truth)
    rng = np.random.default_rng(0)
    noise = truth.mapped(lambda view, features: rng.normal(size=features.shape))
    noise = Embeddings({id: TakeEmbedding(take.view, take.times, take.features) for id, take in noise.items()})
    return judge([Method("truth", truth), Method("noise", noise)], manifest, "test", protocol=QUICK)


def test_every_table_is_there_with_its_chance_row(verdict) -> None:
    expected = [f"{what}-{how}-same" for what in ("correspondence", "alignment") for how in ("published", "fair")]
    assert set(verdict.tables) == {*expected, "retrieval", "recognition"}
    fair = verdict.tables["correspondence-fair-same"].rows
    assert fair["chance"][0] == 0.5
    assert fair["truth, by selector"][0].value == 1.0
    assert fair["noise, by margin"][0].low < 0.5 < fair["noise, by margin"][0].high
    assert fair["truth, by selector"][-1].startswith("12 (")
    alignment = verdict.tables["alignment-fair-same"].rows
    assert alignment["truth"][0].value == 0.0
    assert 7 < alignment["uniform guess"][0] < 9
    assert 6 < alignment["always the middle"][0] < 8
    assert "truth, takes exchanged" in alignment
    assert verdict.tables["recognition"].rows["truth, first person (zero-shot)"][0].value == 1.0
    assert "noise, first person (zero-shot)" not in verdict.tables["recognition"].rows  # it has no class scores


def test_tables_are_written_for_programs_and_papers(verdict, tmp_path: Path) -> None:
    verdict.write(tmp_path)
    content = json.loads((tmp_path / "tables.json").read_text())
    row = content["tables"]["correspondence-fair-same"]["rows"]["truth, by selector"]
    assert row["all"] == {"value": 1.0, "low": pytest.approx(0.025 ** (1 / 6)), "high": 1.0}  # six videos, all right
    assert content["protocol"]["far"] == 10.0
    assert "| truth, by selector | 100.0 [54.1, 100.0]" in (tmp_path / "tables.md").read_text()
    for table in verdict.tables.values():
        assert as_latex(table).count("\\begin{tabular}") == 1
        assert len(as_markdown(table).splitlines()) >= len(table.rows) + 4


def test_nothing_to_judge_is_one_clear_line() -> None:
    manifest, embeddings = embedded_pairs(1, lambda view, n, times: times[:, None])
    with pytest.raises(UserError, match="nothing to judge: 0 methods"):
        judge([], manifest, "test")
    with pytest.raises(UserError, match="0 pairs in the test split"):
        judge([Method("a", embeddings)], replace(manifest, pairs=()), "test")


@pytest.mark.parametrize(
    "wrong", [{"near": 0.0}, {"near": 11.0}, {"far_share": 0.0}, {"moment_share": 2.0}, {"moment": 0.0}]
)
def test_settings_that_make_no_sense_are_one_clear_line(wrong: dict[str, float]) -> None:
    with pytest.raises(UserError):
        Protocol(**wrong)


def test_foreign_embeddings_that_only_know_the_time_are_found_out_too() -> None:
    """Nobody says of a file that it uses time: every method gets the row."""
    manifest, by_time = embedded_pairs(6, lambda view, n, times: times[:, None] / times[-1])
    rows = judge([Method("theirs", by_time)], manifest, "test", protocol=QUICK).tables["correspondence-fair-same"].rows
    assert rows["theirs, takes exchanged"][0].value > 0.95


def test_the_tables_say_what_was_resampled() -> None:
    manifest, embeddings = embedded_pairs(4, lambda view, n, times: times[:, None])
    again = replace(manifest.pairs[0], id="again", third="1.third")
    shared = judge([Method("a", embeddings)], replace(manifest, pairs=(*manifest.pairs, again)), "test", protocol=QUICK)
    for key in ("correspondence-published-same", "correspondence-fair-same", "alignment-fair-same", "retrieval"):
        assert any("separately, because pairs share takes" in note for note in shared.tables[key].notes), key


def test_one_pair_has_figures_without_intervals() -> None:
    manifest, embeddings = embedded_pairs(1, lambda view, n, times: times[:, None])
    table = judge([Method("a", embeddings)], manifest, "test", protocol=QUICK).tables["correspondence-fair-same"]
    assert table.text("a, by margin")[0] == "100.0"


def test_a_method_that_only_knows_the_time_is_found_out() -> None:
    """Relative time alone answers every quad; with other pairs' takes it answers as many, and the table says so."""
    manifest, by_time = embedded_pairs(6, lambda view, n, times: times[:, None] / times[-1])
    _, by_sight = embedded_pairs(6, lambda view, n, times: np.random.default_rng(n).normal(size=(400, 8))[: len(times)])
    methods = [Method("time", by_time, temporal=True), Method("sight", by_sight, temporal=True)]
    rows = judge(methods, manifest, "test", protocol=QUICK).tables["correspondence-fair-same"].rows
    assert rows["time (uses time), by margin"][0].value > 0.95
    assert rows["time (uses time), takes exchanged"][0].value > 0.95
    assert rows["sight (uses time), takes exchanged"][0].low < 0.5 < rows["sight (uses time), takes exchanged"][0].high

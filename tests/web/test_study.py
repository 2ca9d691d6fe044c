"""Studies: an order for each person, answers, how well they agree, and the row that evaluate prints."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from actor_observer.cli import main
from actor_observer.errors import UserError
from actor_observer.evaluation.compared.method import Method
from actor_observer.evaluation.judge import judge
from actor_observer.evaluation.measures.markers import read_markers
from actor_observer.features.embeddings import Embeddings, TakeEmbedding
from actor_observer.pairs import Clock, read_manifest
from actor_observer.web.study.agreement import measure
from actor_observer.web.study.studies import Answer
from served import Served, serving


def answer(person: int, pair: str, time: float | None, kind: str = "person", automated: bool = False) -> Answer:
    return Answer(1, "third", pair, 4.0, time, person, f"P{person}", kind, automated)


def test_errors_against_truth_are_third_person_seconds_whichever_video_was_searched() -> None:
    clock = {"a": Clock(((0.0, 0.0), (10.0, 20.0)))}  # the actor takes twice as long
    third = Answer(1, "third", "a", 4.0, 3.0, 1, "ann", "person", False)  # belongs at 2 s
    first = Answer(1, "first", "a", 4.0, 10.0, 1, "ann", "person", False)  # 10 s is 5 s of the observer
    [found] = measure([third], clock)
    assert found.overall and found.overall.mean.value == pytest.approx(1.0)
    [found] = measure([first], clock)
    assert found.overall and found.overall.mean.value == pytest.approx(1.0)


def test_what_has_no_counterpart_is_not_asked() -> None:
    clock = {"a": Clock.parse("0:0;3:3|9:6;12:9"), "b": Clock(((0.0, 0.0),))}  # 4 s lies between the pieces
    [found] = measure([answer(1, "a", 8.0), answer(1, "b", 4.5)], clock)
    assert found.overall and (found.overall.answers, found.overall.median.value) == (1, 0.5)


def test_without_truth_people_are_measured_against_each_other() -> None:
    [found] = measure([answer(1, "a", 5.0), answer(2, "a", 6.0), answer(3, "a", 9.0)], {})
    assert found.against == "each other"
    assert {line.name: line.median.value for line in found.lines} == {"P1": 2.5, "P2": 1.0, "P3": 3.5}
    assert measure([answer(1, "a", 5.0)], {}) == []


def test_skips_are_counted_and_are_no_errors() -> None:
    [found] = measure([answer(1, "a", None), answer(1, "b", 4.5)], {"a": Clock(((0, 0),)), "b": Clock(((0, 0),))})
    assert found.overall and (found.overall.answers, found.overall.skipped) == (1, 1)
    assert found.overall.median.value == 0.5


@pytest.mark.parametrize(
    ("kind", "automated", "people"),
    [("person", False, True), ("person", True, False), ("program", False, False), ("", False, False)],
)
def test_only_people_who_say_so_and_whom_no_program_drives_are_people(kind: str, automated: bool, people: bool) -> None:
    [found] = measure([answer(1, "a", 5.0, kind, automated)], {"a": Clock(((0, 0),))})
    assert found.overall and found.overall.people is people


def test_each_person_gets_an_order_of_their_own_and_sees_no_clock(served: Served) -> None:
    owner = served.client()
    made = owner.good("POST", "/api/studies", {"name": "order", "find": "first", "pairs": 3, "moments": 4})
    assert made["tasks"] == 12
    orders = []
    for name in ("ann", "bob"):
        client, order = served.client("mark", name), []
        while (state := client.good("GET", f"/api/studies/{made['id']}/next"))["task"]:
            assert set(state["task"]) == {"id", "time", "find", "shown", "searched", "length"}
            order.append(state["task"]["id"])
            client.good("POST", "/api/answers", {"task": order[-1], "time": 1.0, "automated": False})
        assert len(set(order)) == 12
        orders.append(order)
    assert orders[0] != orders[1] and sorted(orders[0]) == sorted(orders[1])


def test_the_last_answer_can_be_taken_back_and_the_first_stays(served: Served) -> None:
    owner = served.client()
    id = owner.good("POST", "/api/studies", {"name": "back", "find": "third", "pairs": 2, "moments": 1})["id"]
    task = owner.good("GET", f"/api/studies/{id}/next")["task"]["id"]
    for time in (1.0, 7.0):  # sent twice, as a page does when the answer was lost
        owner.good("POST", "/api/answers", {"task": task, "time": time})
    assert owner.good("POST", f"/api/studies/{id}/back")["done"]
    assert owner.good("GET", f"/api/studies/{id}/next")["task"]["id"] == task
    assert not owner.good("POST", f"/api/studies/{id}/back")["done"]


def test_agreement_writes_the_row_that_evaluate_prints(
    tmp_path: Path, pairs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(tmp_path / "studio", pairs) as served:
        client = served.client("mark", "bot")
        client.good("PUT", "/api/me", {"name": "bot", "kind": "program"})
        id = served.client().good("POST", "/api/studies", {"name": "s", "find": "third", "pairs": 3, "moments": 2})[
            "id"
        ]
        while (state := client.good("GET", f"/api/studies/{id}/next"))["task"]:
            client.good("POST", "/api/answers", {"task": state["task"]["id"], "time": 2.0, "automated": True})
    main(["agreement", str(pairs), "--keep", str(tmp_path / "studio"), "--out", str(tmp_path / "agreement.json")])
    assert "bot" in capsys.readouterr().out
    found = read_markers(tmp_path)
    assert found and found.label == "marked by bot" and not found.people
    rng = np.random.default_rng(0)
    manifest = read_manifest(pairs)
    lengths = {id: take.length for id, take in manifest.takes.items()}
    seen = {
        id: TakeEmbedding(take.view, np.arange(0.5, lengths[id] - 0.4), rng.normal(size=(int(lengths[id]), 4)))
        for id, take in manifest.takes.items()
    }
    tables = judge([Method("noise", Embeddings(seen))], manifest.of("test"), "test", tmp_path).tables
    row = tables["alignment-fair-same"].rows["marked by bot"]
    assert row[0] == found.median
    assert not [name for table in tables.values() for name in table.rows if "Human" in name]
    (tmp_path / "agreement.json").write_text(json.dumps(found.to_dict() | {"people": True}))
    tables = judge([Method("noise", Embeddings(seen))], manifest.of("test"), "test", tmp_path).tables
    assert "Human (bot)" in tables["alignment-fair-same"].rows


BROKEN = {"nested": "[" * 5000, "endless": '{"names": [], "answers": 1e400}', "a list": "[]", "empty": "{}"}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_an_agreement_that_cannot_be_read_is_one_line(tmp_path: Path, content: str) -> None:
    whole = {"value": 1.0, "low": 0.5, "high": 2.0}
    known = {"people": True, "against": "truth", "pairs": 1, "median": whole, "mean": whole, "within": whole}
    if content.startswith('{"names'):
        content = content[:-1] + "," + json.dumps(known)[1:]
    (tmp_path / "agreement.json").write_text(content)
    with pytest.raises(UserError, match="make it again") as said:
        read_markers(tmp_path)
    assert "\n" not in str(said.value)

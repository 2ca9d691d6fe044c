"""The queue: every pair gets its people, nobody gets a pair twice, and what is left behind goes to others."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from actor_observer.errors import UserError
from actor_observer.web.review import queue as queue_module
from actor_observer.web.review.decisions import Decisions
from actor_observer.web.review.queue import Queue
from actor_observer.web.review.states import States, state_of
from actor_observer.web.store.database import Database
from actor_observer.web.store.marks import Mark, Marks, Said
from actor_observer.web.study.mark_agreement import mark_agreement, measure_marks
from served import Served

PAIRS = [f"pair {number}" for number in range(12)]


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(tmp_path)


def mark(database: Database, pair: str, person: int, third: float = 1.0, first: float = 2.0) -> None:
    Marks(database).add(pair, person, f"mark-{pair}-{person}-{third:.0f}".replace(" ", "-"), Said(third, first))


def test_every_pair_gets_its_people_and_nobody_a_pair_twice_while_all_ask_at_once(database: Database) -> None:
    queue = Queue(database)
    queue.put(PAIRS, wanted=3)

    def work(person: int) -> list[str]:
        got: list[str] = []
        while (pair := queue.next(person, PAIRS)) is not None:
            assert queue.next(person, PAIRS) == pair, "the same one until it is done"
            mark(database, pair, person)
            queue.done(pair, person)
            got.append(pair)
        return got

    with ThreadPoolExecutor(5) as pool:
        each = list(pool.map(work, range(1, 6)))
    assert all(len(set(got)) == len(got) for got in each)
    assert Counter(pair for got in each for pair in got) == dict.fromkeys(PAIRS, 3)


def test_done_needs_a_mark_and_a_skip_its_reason(database: Database) -> None:
    queue = Queue(database)
    queue.put(["cup"], 1)
    with pytest.raises(UserError, match="mark a moment first"):
        queue.done("cup", 1)
    with pytest.raises(UserError, match="Say why"):
        queue.skip("cup", 1, "  ")
    queue.skip("cup", 1, "too dark")
    assert queue.next(1, ["cup"]) is None and queue.next(2, ["cup"]) == "cup"
    [row] = queue.rows()
    assert (row["skipped"], row["reasons"], row["given"]) == (1, "too dark", 1)


def test_a_pair_left_alone_goes_to_another_and_one_that_was_chosen_stays(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = Queue(database)
    queue.put(["cup", "door"], 1)
    assert queue.next(1, ["cup", "door"]) == "cup"
    queue.assign(["door"], 2)
    monkeypatch.setattr(queue_module, "LEASE", -1.0)  # everything was given longer ago than that
    assert queue.next(3, ["cup", "door"]) == "cup"
    mark(database, "cup", 3)
    queue.done("cup", 3)
    assert queue.next(1, ["cup", "door"]) is None, "others have done it meanwhile"
    assert queue.next(2, ["cup", "door"]) == "door"


def test_what_was_decided_leaves_the_queue(database: Database) -> None:
    queue = Queue(database)
    queue.put(["cup", "door", "gone"], 1)
    Decisions(database).decide(["cup"], 1, "left out")
    assert queue.next(1, ["cup", "door"]) == "door"
    assert queue.left(1, ["cup", "door"]) == 1


def test_states_follow_the_marks(database: Database) -> None:
    marks, decisions = Marks(database), Decisions(database)
    states = States(marks, decisions)
    assert states.all() == {}
    mark(database, "cup", 1, 2.0, 3.0)
    assert states.all() == {"cup": "marked"}
    mark(database, "cup", 2, 2.1, 3.1)
    assert states.all() == {"cup": "agreed"}
    mark(database, "cup", 2, 4.0, 2.0)
    assert states.all() == {"cup": "disputed"}
    marks.undo("cup", 2)
    assert states.all() == {"cup": "agreed"}
    decisions.decide(["cup"], 1, "accepted")
    assert states.all() == {"cup": "accepted"}
    assert state_of([]) == "open"


def test_marks_are_measured_against_an_exact_clock_and_each_other() -> None:
    from actor_observer.pairs.clock import Clock

    marks = {"cup": [Mark("a", 1, 2.0, 3.0), Mark("b", 1, 6.0, 7.0), Mark("c", 2, 4.0, 5.4)]}
    names = {1: ("ann", "person"), 2: ("bob", "")}
    truth, others = measure_marks(marks, names, {"cup": Clock(((0.0, 1.0),))})
    assert [(line.name, round(line.median.value, 3), line.people) for line in truth.lines] == [
        ("ann", 0.0, True),
        ("bob", 0.4, False),
    ]
    assert [(line.name, round(line.median.value, 3)) for line in others.lines] == [("bob", 0.4)]


def test_helpers_work_through_the_queue_and_only_the_owner_fills_and_reviews_it(served: Served, pairs: Path) -> None:
    owner, ann, bob = served.client(), served.client("mark", "ann helper"), served.client("mark", "bob helper")
    assert ann.call("POST", "/api/queue", {"wanted": 2})[0] == 403
    assert owner.call("POST", "/api/queue", {"wanted": 0})[0] == 409
    assert owner.call("POST", "/api/queue", {"wanted": 2, "pairs": ["no such"]})[0] == 409
    assert owner.good("POST", "/api/queue", {"wanted": 2, "pairs": ["cup"]}) == {"pairs": 1}
    for number, helper in enumerate((ann, bob)):
        assert helper.good("POST", "/api/queue/next") == {"pair": "cup"}
        at = {"pair": "cup", "id": f"by-helper-{number}", "third": 2.0, "first": 3.5}
        helper.good("POST", "/api/marks", at)
        helper.good("POST", "/api/queue/done", {"pair": "cup"})
        assert helper.good("POST", "/api/queue/next") == {"pair": None}
    assert [one.against for one in mark_agreement(pairs, served.studio.keep)] == ["marks, truth", "marks of each other"]
    state = owner.good("GET", "/api/queue")
    assert (state["done"], state["wanted"], state["short"]) == (2, 2, 0)
    assert {one["name"]: one["done"] for one in state["people"] if one["done"]} == {"ann helper": 1, "bob helper": 1}
    assert ann.good("GET", "/api/queue")["people"] == []
    assert [row["state"] for row in owner.good("GET", "/api/queue/pairs")["pairs"]] == ["agreed"]
    assert ann.call("POST", "/api/review", {"pairs": ["cup"], "state": "accepted"})[0] == 403
    owner.good("POST", "/api/review", {"pairs": ["cup"], "state": "left out"})
    listed = owner.raw("GET", "/api/export/pairs.csv")[1].decode()
    assert "\ncup," not in listed and "\ndoor," in listed
    owner.good("POST", "/api/review", {"pairs": ["cup"], "state": ""})
    ann.good("POST", "/api/tags", {"pairs": ["cup", "door"], "tag": "dark  room"})
    assert owner.good("GET", "/api/pairs?tag=dark%20room&state=agreed")["total"] == 1
    owner.good("POST", "/api/queue/out", {"pairs": ["cup"]})

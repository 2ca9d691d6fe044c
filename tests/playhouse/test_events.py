"""Events: several cameras and people on one clock; everybody acts on their own, and room cameras know who is where."""

import csv
import hashlib
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest

from actor_observer.errors import UserError
from actor_observer.pairs import read_manifest
from actor_observer.pairs.clock import Clock
from actor_observer.playhouse import Events, SetPlan, TakePlan, make, plan_events, read_truth
from actor_observer.playhouse.acting.actors import CAST, actor_named
from actor_observer.playhouse.acting.gathering import performances_of, too_near
from actor_observer.playhouse.home.free_floor import clearance, way_round
from actor_observer.playhouse.home.homes import build_home, layout_named
from actor_observer.playhouse.make import _claim
from actor_observer.playhouse.record import Look, filming_of, record
from actor_observer.playhouse.tables import write_tables
from drawing import needs_drawing
from motion_set import main as motion_set
from motion_set import read_event_motion


@pytest.fixture(scope="module")
def plan() -> SetPlan:
    return plan_events(8, 3, Events(rooms=(1, 3), wearers=(1, 2), people=(2, 5)))


def by_event(plan: SetPlan) -> list[list[TakePlan]]:
    events: dict[str, list[TakePlan]] = {}
    for take in plan.events:
        assert take.event
        events.setdefault(take.event.id, []).append(take)
    return list(events.values())


def crowded(plan: SetPlan) -> list[TakePlan]:
    """The takes of an event with two wearers and somebody who only stands by."""
    return next(
        takes
        for takes in by_event(plan)
        if takes[0].event and len(takes[0].event.wearers) == 2 < len(takes[0].event.gathering.names)
    )


def test_the_cast_of_older_sets_is_the_same_as_ever() -> None:
    """The digest was taken when the cast had 18 people; their names, builds and clothes make older sets."""
    old = [[getattr(actor, name) for name in ("name", "split", "height", "pace", "shirt")] for actor in CAST[:18]]
    assert hashlib.sha256(repr(old).encode()).hexdigest()[:16] == "e7c2a9d668e910d0"


def test_events_have_cameras_and_people_as_asked(plan: SetPlan) -> None:
    events = by_event(plan)
    assert len(events) == 8 and {len(takes) for takes in events} >= {3, 4}
    for takes in events:
        event = takes[0].event
        assert event and all(take.event == event for take in takes)
        views = [take.view for take in takes]
        assert 1 <= views.count("third") <= 3 and views.count("first") == len(event.wearers) in (1, 2)
        names = event.gathering.names
        assert 2 <= len(names) == len(set(names)) <= 5
        assert {actor_named(name).split for name in names} == {takes[0].split}
        assert [take.actor for take in takes if take.view == "first"] == list(event.wearers)
        rooms = [take.shot for take in takes if take.view == "third"]
        assert len({shot.lens for shot in rooms if shot}) == len(rooms)
    assert {len(takes[0].event.gathering.names) for takes in events if takes[0].event} >= {2, 3, 4, 5}


@pytest.mark.parametrize("shared", [0.4, 0.8])
def test_each_two_cameras_share_enough(shared: float) -> None:
    for takes in by_event(plan_events(4, 1, Events(rooms=(3, 3), people=(1, 2), shared=shared, longest=20.0))):
        spans = [(take.offset, take.offset + take.length / take.rate) for take in takes]
        assert max(end for _, end in spans) - min(start for start, _ in spans) < 20.2
        for (a, b), (c, d) in combinations(spans, 2):
            assert min(b, d) - max(a, c) > shared * max(b - a, d - c) - 0.2


def test_an_event_depends_on_nothing_but_the_seed(plan: SetPlan, tmp_path: Path) -> None:
    again, other = (plan_events(8, seed, Events(people=(2, 5))) for seed in (3, 4))
    assert again == plan != other
    (tmp_path / "truth").mkdir()
    look = Look((64, 48), 23, "veryfast")
    assert _claim(tmp_path, plan, look) == _claim(tmp_path, again, look)
    with pytest.raises(UserError, match="other settings"):
        _claim(tmp_path, other, look)


def test_all_cameras_see_the_same_people_at_the_same_moment(plan: SetPlan) -> None:
    takes = crowded(plan)
    moments = np.linspace(max(take.offset for take in takes), min(take.offset + take.length for take in takes), 20)
    seen = []
    for take in takes:
        filming = filming_of(take)
        bodies = {filming.performance.actor.name: filming.bodies(moments)}
        bodies |= {other.performance.actor.name: other.bodies(moments) for other in filming.others}
        seen.append(bodies)
        assert take.event and set(bodies) == set(take.event.gathering.names)
    for bodies in seen[1:]:
        for name, body in bodies.items():
            np.testing.assert_array_equal(body.look, seen[0][name].look)
            np.testing.assert_array_equal(body.grips, seen[0][name].grips)


def test_people_act_for_the_whole_event_and_do_not_walk_through_each_other(plan: SetPlan) -> None:
    for takes in by_event(plan)[:3]:
        assert takes[0].event
        everybody = performances_of(takes[0].event.gathering)
        length = everybody[0].length
        times = np.linspace(0, length, 80)
        for other in everybody[1:]:
            assert other.length >= length
            assert np.ptp(other.tracks(times).gaze, axis=0).max() > 0.05
        assert max(too_near(a, b, length) for a, b in combinations(everybody, 2)) < 0.06


def test_a_way_leads_round_the_furniture() -> None:
    home = build_home(layout_named("loft"), 0)  # its table stands in the middle
    start, goal = np.array([-1.6, -0.3]), np.array([1.9, -0.3])
    straight = start + np.linspace(0, 1, 60)[:, None] * (goal - start)
    assert clearance(home, straight).min() == 0.0
    points = np.concatenate([start[None], way_round(home, start, goal)])
    walked = np.concatenate([a + np.linspace(0, 1, 30)[:, None] * (b - a) for a, b in pairwise(points)])
    assert clearance(home, walked).min() > 0.2 and points[-1].tolist() == goal.tolist()


def test_the_tables_have_the_exact_clock_of_every_camera(plan: SetPlan, tmp_path: Path) -> None:
    (tmp_path / "truth").mkdir()
    write_tables(plan, tmp_path)
    rows = {row["id"]: row for row in csv.DictReader((tmp_path / "events.csv").open())}
    assert list(rows) == [take.id for take in plan.events]
    for take in plan.events:
        row = rows[take.id]
        assert row["wearer"] == (take.actor if take.view == "first" else "")
        assert take.event and int(row["people"]) == len(row["names"].split(";")) == len(take.event.gathering.names)
        at = float(row["offset"]) + 7.0 / float(row["rate"])
        np.testing.assert_allclose(at, take.moments(np.array([7.0])), atol=1e-9)
    pairs = list(csv.DictReader((tmp_path / "pairs.csv").open()))
    rooms = [sum(t.view == "third" for t in takes) * sum(t.view == "first" for t in takes) for takes in by_event(plan)]
    assert len(pairs) == sum(rooms) == len({row["id"] for row in pairs})
    for row in pairs:
        third, first = (rows[Path(row[view]).stem] for view in ("third", "first"))
        here = (float(third["offset"]) - float(first["offset"])) * float(first["rate"])
        assert Clock.parse(row["clock"]).to_first(0.0) == pytest.approx(here, abs=1e-4)
        assert third["event"] == first["event"] and third["split"] == row["split"]


@pytest.mark.parametrize(
    ("events", "fault"),
    [({"rooms": (2, 1)}, "rooms from 2 to 1"), ({"people": (1, 40)}, "people up to 40"), ({"shared": 1.0}, "shared 1")],
)
def test_events_that_cannot_be_are_refused_in_one_line(events: dict[str, tuple[int, int]], fault: str) -> None:
    with pytest.raises(UserError, match=fault):
        Events(**events)  # type: ignore[arg-type]


def test_events_are_not_asked_for_with_other_kinds_of_sets(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="leave those options out"):
        make(tmp_path, pairs=1, seed=0, together=True, events=Events())


@needs_drawing
def test_a_room_camera_knows_where_everybody_is(plan: SetPlan, tmp_path: Path) -> None:
    for folder in ("videos", "truth"):
        (tmp_path / folder).mkdir()
    takes = [
        replace(take, fps=6.0, offset=5.0, shot=take.shot and replace(take.shot, seconds=3.0)) for take in crowded(plan)
    ]
    takes = [next(take for take in takes if take.view == view) for view in ("third", "first")]
    for take in takes:
        record(take, tmp_path, Look((96, 72), 23, "veryfast"))
    write_tables(replace(plan, events=tuple(takes)), tmp_path)
    room, head = (read_truth(tmp_path / "truth" / f"{take.id}.npz") for take in takes)
    many = len(room["people"])
    assert takes[0].event and tuple(room["people"]) == takes[0].event.gathering.names and "people" not in head
    assert room["people_mask"].shape == (len(room["people_time"]), many, 18, 24)
    np.testing.assert_allclose(room["people_share"][:, 0], room["actor_share"], atol=1e-3)  # the lead
    seen = room["people_share"] > 0
    assert seen[:, 0].mean() > 0.5 and (room["people_mask"].any(axis=(2, 3)) == seen).all()
    for sample, person in np.argwhere(seen):
        left, top, right, bottom = room["people_box"][sample, person]
        rows, columns = np.nonzero(room["people_mask"][sample, person])
        assert left < right and top < bottom
        assert columns.min() <= left * 24 <= columns.min() + 1.01 and rows.max() <= bottom * 18 <= rows.max() + 1.01
    manifest = read_manifest(tmp_path)
    assert len(manifest.pairs) == 1 and not manifest.faults
    motion_set(tmp_path, tmp_path / "motion", workers=1)
    (event,) = read_event_motion(tmp_path / "motion")
    assert event.id == takes[0].event.id and [take.id for take in event.takes] == [take.id for take in takes]
    assert [take.wearer for take in event.takes] == ["", takes[1].actor]
    np.testing.assert_array_equal(event.takes[0].masks, room["people_mask"])
    assert len(event.takes[1].motion.times) == takes[1].frames - 1 and event.takes[1].masks is None

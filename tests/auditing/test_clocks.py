"""Cameras that are late, by take: from every two recordings, own or shared; and a fix of LeRobot read back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from actor_observer.auditing.audit import Audit, judge
from actor_observer.auditing.clocks import late_cameras, offset_of
from actor_observer.auditing.fix import write_fixed
from actor_observer.auditing.judging.finding import Finding
from actor_observer.auditing.measuring.events import Event, events_of
from actor_observer.pairs import read_manifest
from actor_observer.pairs.clock import Clock
from actor_observer.pairs.manifest import Manifest, Take
from actor_observer.pairs.window import window_of
from lookalikes import FPS, write_lerobot
from made_lines import line, takes


def test_only_what_is_a_finding_is_corrected() -> None:
    assert not late_cameras(judge("", Manifest({}), [], takes(9)))
    told = late_cameras(judge("", Manifest({}), [], [*takes(9), line("odd", 0.2)]))
    assert [*told] == [("odd", "third")]
    assert told["odd", "third"].seconds == pytest.approx(0.2)
    assert offset_of(told, "odd", "first", "third") == pytest.approx(-0.2)


def test_a_shared_delay_is_taken_out_of_every_take_and_an_odd_one_keeps_its_own() -> None:
    told = late_cameras(judge("", Manifest({}), [], [*takes(9, lag=0.133), line("odd", -0.2)]))
    assert len(told) == 10
    assert told["take-1", "third"].seconds == pytest.approx(0.133, abs=0.003)
    assert told["take-1", "third"].error < 0.01
    assert told["odd", "third"].seconds == pytest.approx(-0.2)


def test_a_lerobot_set_is_written_anew_with_its_windows_moved(tmp_path: Path) -> None:
    data = write_lerobot(tmp_path / "set", episodes=3, version="v3.0")
    events = events_of(read_manifest(data))
    lines = []
    for number, event in enumerate(events):
        made = line(event.id, 0.0)
        names = {"third": "cam_exterior", "first": "cam_wrist"}
        made["cameras"] = {names[name]: replaced | {"rate": float(FPS)} for name, replaced in made["cameras"].items()}
        made["offsets"][0] |= {"one": "cam_exterior", "other": "cam_wrist", "lag": 2 / FPS if number == 1 else 0.0}
        lines.append(made)
    late = Finding(events[1].id, "late", "wrong", "", ("cam_exterior", "cam_wrist"), 2 / FPS, 0.02)
    found = Audit(str(data), (late,), {}, tuple(lines), {event.id: event for event in events})
    said = write_fixed(found, data, tmp_path / "fixed")
    assert "1 camera moved" in said[0] and any("2 rows shorter" in one for one in said)
    before, after = (read_manifest(place).takes for place in (data, tmp_path / "fixed"))
    moved = [
        window_of(after[f"{events[1].id}.{name}"].path)[0] - window_of(before[f"{events[1].id}.{name}"].path)[0]
        for name in ("cam_exterior", "cam_wrist")
    ]
    assert moved == pytest.approx([2 / FPS, 0.0], abs=1e-5)
    assert replace(found, findings=()).clean


def test_two_room_cameras_are_known_by_the_head_camera_of_both() -> None:
    cameras = tuple((name, Take(name, "third", Path("a.mp4"), 9.0)) for name in ("left", "right", "head"))
    clocks = (("left", "head", Clock.parse("2:0;11:9")), ("right", "head", Clock.parse("5:1;13:9")))
    event = Event("a", cameras, clocks)
    assert event.stated("left", "right").to_first(2.0) == pytest.approx(4.0)
    assert event.stated("right", "left").to_first(4.0) == pytest.approx(2.0)

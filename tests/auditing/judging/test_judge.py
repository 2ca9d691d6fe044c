"""What is found in a data set, from measurements that are made up."""

from __future__ import annotations

from typing import Any

import pytest

from actor_observer.auditing.audit import judge
from actor_observer.auditing.judging.finding import Finding
from actor_observer.pairs.manifest import Fault, Manifest
from made_lines import camera, line, takes


def found_in(lines: list[dict[str, Any]]) -> list[Finding]:
    return list(judge("DATA", Manifest({}), [], lines).findings)


def kinds(lines: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(found.take, found.kind) for found in found_in(lines)]


def test_healthy_takes_are_clean() -> None:
    told = judge("DATA", Manifest({}), [], takes(20))
    assert told.clean and not told.findings
    assert len(told.rows()) == 20
    assert told.to_dict()["usual"][0]["takes"] == 20


def test_a_delay_of_all_takes_is_one_finding() -> None:
    [found] = found_in(takes(20, lag=0.067))
    assert (found.take, found.kind) == ("", "shared delay")
    assert found.offset == pytest.approx(0.067, abs=0.003)
    assert found.error is not None and found.error < 0.01  # far sharper than one take's 0.02
    assert "third is 0.067" in found.text and "late against first" in found.text


def test_a_take_that_differs_is_named() -> None:
    assert kinds([*takes(20), line("odd", -0.133)]) == [("odd", "late")]
    [found] = found_in([*takes(20), line("odd", -0.133)])
    assert found.text.startswith("first is 0.133 ± 0.020 s (2.0 frames) late")


def test_a_take_with_a_wide_error_is_not_called_late() -> None:
    unsure = line("unsure", 0.1)
    unsure["offsets"][0]["own_error"] = 0.2
    assert kinds([*takes(20), unsure]) == []


def test_a_take_that_cannot_be_told_is_not_a_finding_but_an_unrelated_one_is() -> None:
    dumb, other = line("dumb"), line("other")
    dumb["offsets"][0] |= {"confidence": 0.2, "verdict": "cannot tell", "lag": 9.0}
    other["offsets"][0] |= {"confidence": 0.0, "verdict": "unrelated", "lag": 9.0}
    assert kinds([*takes(20), dumb, other]) == [("other", "unrelated")]


def test_a_set_that_is_never_in_step_says_nothing_of_single_takes() -> None:
    lines = takes(6)
    for each in lines:
        each["offsets"][0] |= {"confidence": 0.0, "verdict": "unrelated"}
    assert kinds(lines) == []


def test_pictures_stamps_and_lengths() -> None:
    bad = line("bad")
    bad["cameras"]["first"] |= {"frozen": [(3.0, 4.0)], "black": [(0.0, 1.0)], "gaps": [(5.0, 3)], "edges": 0.5}
    bad["cameras"]["first"] |= {"length": 29.8, "repeated": [1.0, 2.0, 3.0], "leaps": [(3.1, 4.0)]}  # once is enough
    bad["cameras"]["third"] |= {"leaps": [(7.0, 7.5)]}
    assert sorted(kind for _, kind in kinds([*takes(9), bad])) == [
        *("black", "blurred", "dropped", "frozen", "frozen", "lengths", "repeated")
    ]


def test_a_picture_that_stands_still_is_surely_frozen_only_if_it_goes_on_with_a_leap() -> None:
    severities = {}
    for leaps in ([], [(3.1, 4.0)]):
        bad = line("bad")
        bad["cameras"]["third"] |= {"frozen": [(3.0, 4.0)], "leaps": leaps}
        (found,) = [one for one in found_in([*takes(9), bad]) if one.kind == "frozen"]
        severities[bool(leaps)] = found.severity
    assert severities == {False: "check", True: "wrong"}


def test_lengths_that_always_differ_are_as_they_are() -> None:
    lines = takes(9)
    for number, each in enumerate(lines):
        each["cameras"]["first"]["length"] = 20.0 + 3 * number
    assert kinds(lines) == []


def test_cameras_in_each_others_place() -> None:
    crossed = line("crossed")
    crossed["cameras"] = {
        "third": camera("first", hash="x"),
        "first": camera("third", hash="y"),
    }
    assert ("crossed", "exchanged") in kinds([*takes(9), crossed])


def test_cameras_that_look_otherwise_in_every_take_are_told_by_how_they_move() -> None:
    lines = takes(9)
    for number, each in enumerate(lines):  # every take in another room
        for name, fast in (("third", 0.01), ("first", 0.3)):
            each["cameras"][name] |= {"light": 20.0 + 23 * number, "edges": 1.0 + number, "contrast": 9.0 + 5 * number}
            each["cameras"][name] |= {"camera": fast * (1 + number % 3), "change": 1.0 + number}
    assert kinds(lines) == []
    both = lines[4]["cameras"]
    both["third"]["camera"], both["first"]["camera"] = both["first"]["camera"], both["third"]["camera"]
    assert ("exchanged" in dict(map(reversed, kinds(lines)))) and kinds(lines)[0][0] == lines[4]["id"]


def test_one_recording_in_two_takes() -> None:
    copy = line("copy")
    copy["cameras"]["first"]["hash"] = "take-3.first"
    assert kinds([*takes(9), copy]) == [("copy", "same file")]


def test_a_step_of_the_offset() -> None:
    stepped = line("stepped")
    stepped["offsets"][0]["step"] = [15.0, 0.2, 3.0]
    assert kinds([*takes(9), stepped]) == [("stepped", "step")]


def test_files_that_cannot_be_read_are_findings() -> None:
    faults = (Fault("gone.mp4", "no such file", left_out=True), Fault("odd.mp4", "mended"))
    found = judge("DATA", Manifest({}, faults=faults), [], [line("a", faults=[["first", "b.mp4", "cut short"]])])
    assert [one.kind for one in found.findings] == ["unreadable", "unreadable"]


def signals(**other: Any) -> dict[str, Any]:
    one = {"columns": 2, "constant": False, "still": [], "missing": 0, "limits": {}}
    stamps = {"step": 1 / 15, "back": 0, "gaps": [], "off": 0.0, "start": 0.0}
    return {"signals": {"action": one, "state": one}, "equal": [], "rows": 450, "stamps": stamps} | other


def test_signals() -> None:
    lines = [line(f"take-{n}", signals=signals(equal=[["action", "state"]])) for n in range(6)]
    still = {"columns": 2, "constant": True, "still": ["state.0", "state.1"], "missing": 0, "limits": {}}
    lines[1]["signals"]["signals"] = {"action": lines[0]["signals"]["signals"]["action"], "state": still}
    lines[2]["signals"]["stamps"] = lines[2]["signals"]["stamps"] | {"start": 0.2}
    lines[3]["signals"]["rows"] = 448
    found = kinds(lines)
    assert found.count(("", "equal")) == 1
    assert ("take-1", "constant") in found and ("take-2", "stamps") in found and ("take-3", "lengths") in found
    assert len(found) == 5  # both cameras have more frames than take-3 has rows

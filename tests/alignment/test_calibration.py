"""The calibration of evidence for one event: monotone, written and read back, refused when it is none."""

import json
from pathlib import Path

import pytest

from actor_observer.alignment.belief import Belief
from actor_observer.alignment.calibration import FILE, EventCalibration, ViewsCalibration, load_calibration
from actor_observer.alignment.figures import Figures
from actor_observer.alignment.kinds.motion import HEAD, ROOM, USED
from actor_observer.errors import UserError
from actor_observer.model.box import write_beside

NAMES = ("room and head", "room and room", "head and head")


@pytest.mark.parametrize("name", NAMES)
def test_more_belief_and_stronger_evidence_make_it_surer(name: str) -> None:
    box = load_calibration().views[name]
    levels = (-9.0, -2.0, 0.0, 3.0, 9.0)
    figures = [Figures(x, 1 + x / 3, 1 + x / 3, 1.0, 4 + x / 3, x / 2, x / 4, 5 + x / 3, 1 + x / 2) for x in levels]
    steps = [box.tells(some) for some in figures]
    assert steps == sorted(steps) and steps[-1] > load_calibration().sure > steps[0]
    assert 0 < box.unrelated < 0.3 and box.width[0] > 0


def test_the_box_weighs_channels_that_exist_and_says_what_it_was_fitted_on() -> None:
    box = load_calibration()
    signals = {*ROOM, *HEAD}
    motion = {f"{one}/{other}/{how}" for one in signals for other in signals for how in USED}
    others = {"likeness", "features", "one person", "several people", "anybody", "same people"}
    for name in NAMES:
        weights = box.views[name].weights
        assert set(weights) <= motion | others
        assert sum(weights.get(channel, 0.0) for channel in motion) > 0  # learned heads do not silence plain motion
        assert all(weight > 0 for weight in weights.values())
    assert {"anybody", "one person", "likeness"} <= set(box.views["room and head"].weights)
    assert "calibrate_align" in box.notes


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ahead", [-2.0, 0.0, 2.0, 4.0, 8.0])
def test_who_is_sure_of_the_clock_is_as_sure_of_one_event(name: str, ahead: float) -> None:
    box = load_calibration().views[name]
    figures = Figures(0.0, 1.0, 1.0, 1.0, 4.0, ahead, 1.0, 3 + ahead, ahead)
    belief = Belief(0.0, 1.0, 0.02, 0.01, 0.0, (), 0.99, figures, 0.0, {})
    assert box.matched(belief) >= box.tells(figures) - 1e-9


def test_it_is_written_and_read_back(tmp_path: Path) -> None:
    line = (0.1, *[1.0] * (len(Figures._fields) - 1), 2.0)
    one = ViewsCalibration({"a/b/ranks": 0.5}, line, line, 0.05, (2.0, 1.0, 0.1))
    made = EventCalibration(dict.fromkeys(NAMES, one), 0.9, 0.5, "3 cuts")
    assert made.write(tmp_path).name == FILE
    assert load_calibration(tmp_path) == made


def test_one_of_the_version_before_still_loads(tmp_path: Path) -> None:
    one = {
        "weights": {"a": 1.0},
        "step": [0, 1, 2, 3, 4],
        "match": [0, 1, 2, 3, 4],
        "unrelated": 0.1,
        "width": [2, 0.1],
    }
    told = {"views": dict.fromkeys(NAMES, one), "sure": 0.9, "shared": 0.5, "notes": ""}
    write_beside(tmp_path, FILE, json.dumps(told).encode())
    read = load_calibration(tmp_path).views["room and room"]
    assert read.step == (0, 1, 2, 3, 4) and read.width == (2, 0, 0.1)


OLD = json.dumps({"weights": {}, "step": [0, 0, 0], "match": [0, 0, 0], "sure": 0.9, "unrelated": 0.1, "notes": ""})


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "{nonsense", OLD, json.dumps({"views": {"room and head": {}}}), "[" * 9999]
)
def test_what_is_none_is_refused_in_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)
    with pytest.raises(UserError, match="not a calibration") as said:
        load_calibration(tmp_path)
    assert "\n" not in str(said.value)
    assert text != OLD or "of an older version" in str(said.value)


def test_a_missing_one_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="calibrate_align"):
        load_calibration(tmp_path / "nowhere")

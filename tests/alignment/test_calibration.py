"""The calibration of evidence for one event: monotone, written and read back, refused when it is none."""

import json
from pathlib import Path

import pytest

from actor_observer.alignment.calibration import FILE, OneEventCalibration, load_calibration
from actor_observer.alignment.kinds.motion import FIRST, THIRD
from actor_observer.alignment.kinds.treatments import TREATMENTS
from actor_observer.alignment.one_event import OneEvent
from actor_observer.errors import UserError


def found(mass: float, strength: float) -> OneEvent:
    return OneEvent(0.0, 1.0, 0.1, 0.0, (), mass, strength, {})


def test_more_belief_and_stronger_evidence_make_it_surer() -> None:
    box = load_calibration()
    steps = [box.in_step(found(mass, 6.0)) for mass in (0.0, 0.3, 0.6, 0.9, 0.99, 1.0)]
    assert steps == sorted(steps) and steps[-1] > box.sure > steps[0]
    matches = [box.matched(found(0.999, strength)) for strength in (0.0, 2.0, 5.0, 10.0, 100.0)]
    assert matches == sorted(matches) and matches[-1] > 0.9
    assert 0 < box.unrelated < 0.2 < box.sure < 1


def test_of_two_offsets_that_fit_alike_neither_is_sure_however_strong_the_evidence() -> None:
    assert load_calibration().in_step(found(0.5, 1e6)) <= 0.5


def test_the_box_weighs_channels_that_exist_and_says_what_it_was_fitted_on() -> None:
    box = load_calibration()
    motion = {f"{third}/{first}/{how}" for third in THIRD for first in FIRST for how in TREATMENTS}
    assert set(box.weights) <= motion | {"likeness", "features", "learned motion"}
    assert sum(box.weights.get(name, 0.0) for name in motion) > 0  # the learned head does not silence plain motion
    assert all(weight >= 0 for weight in box.weights.values())
    assert box.notes


def test_it_is_written_and_read_back(tmp_path: Path) -> None:
    made = OneEventCalibration({"a/b/ranks": 0.5}, (0.1, 1.0, 0.2), (-1.0, 0.5, 0.0), 0.9, 0.05, "3 cuts")
    assert made.write(tmp_path).name == FILE
    assert load_calibration(tmp_path) == made


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "{nonsense", json.dumps({"weights": [], "step": [0, 0], "match": 1}), "9" * (1 << 21), "[" * 9999],
)
def test_what_is_none_is_refused_in_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)
    with pytest.raises(UserError, match="not a calibration") as said:
        load_calibration(tmp_path)
    assert "\n" not in str(said.value)


def test_a_missing_one_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="calibrate_align"):
        load_calibration(tmp_path / "nowhere")

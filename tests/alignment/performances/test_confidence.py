"""A confidence says whether it was made for the network at hand."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from actor_observer.alignment.performances import confidence
from actor_observer.alignment.performances.confidence import FIGURES, Calibration, find_calibration
from actor_observer.alignment.two_performances import align_takes
from actor_observer.errors import UserError
from actor_observer.features import TakeEmbedding
from actor_observer.features.identity import identify
from same_scene import plain_network


def calibration(model: str = "", threshold: float = 0.5) -> Calibration:
    weight = dict.fromkeys(FIGURES, 0.0) | {"gain": 1.0}
    return Calibration(
        model, dict.fromkeys(FIGURES, 0.0) | {"gain": 4.0}, dict.fromkeys(FIGURES, 1.0), weight, 0.0, threshold
    )


def walk(view: str, seed: int, start: int = 0) -> TakeEmbedding:
    features = np.random.default_rng(seed).normal(size=(200, 12)).cumsum(axis=0)[start : start + 120]
    return TakeEmbedding("third" if view == "third" else "first", (np.arange(120) + 0.5) / 6, features)


def test_the_same_thing_is_believed_and_another_is_not() -> None:
    same = align_takes(walk("third", 0), walk("first", 0, start=20), calibration=calibration(), calibrated=True)
    other = align_takes(walk("third", 0), walk("first", 1), calibration=calibration(), calibrated=True)
    assert same.figures["gain"] > other.figures["gain"] + 3
    assert same.confidence is not None and other.confidence is not None
    assert same.confidence > 0.5 > other.confidence
    assert same.verdict == "in step" and not same.warnings
    assert other.verdict != "in step"
    assert "do not trust the times" in other.warnings[0]
    assert "do not trust" in str(other)


def test_another_network_is_told_that_it_is_not_calibrated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    network, other = plain_network(), plain_network(projection="shared", projection_size=4)
    monkeypatch.setattr(confidence, "BOX", tmp_path / "box")
    assert find_calibration(network) == (None, False)
    (tmp_path / "box").mkdir()
    calibration(identify(network).fingerprint).write(tmp_path / "box")
    assert find_calibration(network)[1]
    found, own = find_calibration(other)
    assert found is not None and not own
    alignment = align_takes(walk("third", 0), walk("first", 0), calibration=found, calibrated=own)
    assert alignment.warnings == ["not calibrated for this model: the confidence is a guess"]


def test_what_lies_beside_a_model_comes_first(tmp_path: Path) -> None:
    network = plain_network()
    network.source = tmp_path
    calibration(identify(network).fingerprint, threshold=0.77).write(tmp_path)
    found, own = find_calibration(network)
    assert own and found is not None
    assert found.threshold == 0.77
    assert found == replace(calibration(identify(network).fingerprint), threshold=0.77)


@pytest.mark.parametrize("text", ["{", "[]", '{"model": "x"}', '{"weight": 3}'])
def test_a_damaged_calibration_is_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "confidence.json").write_text(text)
    with pytest.raises(UserError, match=r"confidence.json: not a calibration"):
        Calibration.read(tmp_path)

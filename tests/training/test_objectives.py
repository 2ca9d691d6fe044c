"""An objective is one object: a run asks it for its samples, its loss and its log."""

from pathlib import Path

import pytest

from actor_observer.errors import UserError
from actor_observer.training import train
from actor_observer.training.objectives import OBJECTIVES
from actor_observer.training.objectives.contrast import Contrast
from training.small import log_of, quick


class Halved(Contrast):
    """Half the contrast, and half its labelled frames."""

    def batch_sizes(self, labels: bool) -> tuple[int, int]:
        paired, labelled = super().batch_sizes(labels)
        return paired, labelled // 2

    def losses(self, step, part, pairs):
        found = super().losses(step, part, pairs)
        return found._replace(loss=found.loss / 2)


def test_a_new_objective_is_one_class_and_one_line(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(OBJECTIVES, "halved", Halved)
    run = train(quick("objective=halved", "epochs=1"), data, tmp_path / "run", cache=data / "cache", quiet=True)
    steps = [line for line in log_of(run) if "loss" in line]
    for line in steps:
        assert line["loss"] == pytest.approx((line["contrast"] + line["classification"]) / 2, rel=1e-5)


def test_an_unknown_objective_is_one_line_with_the_known_ones() -> None:
    with pytest.raises(UserError, match=r"objective is one of triplet, contrast, .*classification"):
        quick("objective=guessing")


@pytest.mark.parametrize("name", ["cycle", "soft-dtw", "order"])
def test_every_objective_trains_a_run(name: str, data: Path, tmp_path: Path) -> None:
    recipe = quick(f"objective={name}", "epochs=2", "batch=4")
    run = train(recipe, data, tmp_path / "run", cache=data / "cache", device="cpu", quiet=True)
    lines = log_of(run)
    assert all("matching" in line for line in lines if "loss" in line)
    assert any("validation" in line for line in lines)
    again = train(recipe, data, tmp_path / "again", cache=data / "cache", device="cpu", quiet=True)
    assert log_of(again) == lines

"""Two processes follow one process on the same global batch. (Under torchrun itself: tests/paper/test_reproduce.py.)"""

import sys
from pathlib import Path

import pytest

from actor_observer import load
from actor_observer.errors import UserError
from actor_observer.training import recipe_named, train, with_settings
from actor_observer.training.planning.ranks import joined
from forked import ranks
from training.small import PAPER, QUICK, command_for, log_of


@pytest.mark.skipif(sys.platform == "win32", reason="gloo")
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("quick", [*QUICK, "network.projection_dropout=0.3"]),
        ("paper-transfer", [*PAPER, "epochs=1", "accumulate=2"]),
    ],
)
def test_two_processes_follow_one(name: str, settings: list[str], data: Path, tmp_path: Path) -> None:
    both = ranks(2, *command_for(name, settings, data, tmp_path / "both"))
    recipe = with_settings(recipe_named(name), settings)
    alone = train(recipe, data, tmp_path / "alone", cache=data / "cache", device="cpu", quiet=True)
    said = [process.wait() for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert [text.count("done: ") for text in said] == [1, 0]  # only the first speaks
    ours, theirs = log_of(alone), log_of(tmp_path / "both")
    assert len(ours) == len(theirs)
    for one, two in zip(ours, theirs, strict=True):
        assert one.keys() == two.keys()
        for key, value in one.items():
            assert two[key] == pytest.approx(value, rel=2e-3, abs=2e-4), (key, one, two)
    first, second = load(alone), load(tmp_path / "both")
    assert first.config == second.config
    sums, others = first.video_softmax.log_sum, second.video_softmax.log_sum
    assert sums.tolist() == pytest.approx(others.tolist(), abs=1e-3)


def test_a_device_that_is_none_is_one_line() -> None:
    with pytest.raises(UserError, match="device toaster: cannot be used here"), joined("toaster"):
        pass

"""A trial asks how long a step takes, not what it learns: numbers that overflow are no reason to stop."""

from collections.abc import Callable
from pathlib import Path

import pytest

from actor_observer.pairs import read_manifest
from actor_observer.training import Recipe
from actor_observer.training.trial import try_recipe
from training.small import paper, quick

OVERFLOWS = "optimiser.lr=1e30"  # as a deep network does from random weights, by its second step


@pytest.mark.parametrize("make", [quick, paper])
def test_a_loss_that_is_not_a_number_does_not_end_it(
    make: Callable[..., Recipe], data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = make(OVERFLOWS, "optimiser.warmup=0")
    monkeypatch.chdir(tmp_path)
    trial = try_recipe(recipe, read_manifest(data), "cpu")
    assert trial.steps > 0 and trial.step_seconds > 0
    assert not [*tmp_path.iterdir()]  # nothing is written

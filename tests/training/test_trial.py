"""A trial asks how long a step takes, not what it learns: numbers that overflow are no reason to stop."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from actor_observer.pairs import read_manifest
from actor_observer.training import Recipe
from actor_observer.training import trial as trials
from actor_observer.training.trial import embedding_speed, try_recipe
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


def test_a_machine_too_slow_for_it_ends_with_one_step_timed(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "PATIENCE", 0.0)
    trial = try_recipe(paper(), read_manifest(data), "cpu")
    assert trial.timed == 1 and trial.step_seconds > 0
    monkeypatch.setattr(trials, "PATIENCE", 600.0)
    assert try_recipe(paper(), read_manifest(data), "cpu").timed == trials.STEPS


def test_of_a_long_take_only_a_stretch_is_embedded(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    recipe = paper()
    made = trials.create_backbone(recipe.network.backbone, pretrained=False)
    made.register_forward_pre_hook(lambda _, frames: seen.append(len(frames[0])))
    monkeypatch.setattr(trials, "create_backbone", lambda *_, **__: made)
    monkeypatch.setattr(trials, "STRETCH", 0.5)
    takes = [take for take in read_manifest(data).takes.values() if take.length > 1][:3]
    assert embedding_speed(recipe, takes, "cpu", look_rate=4.0) > 0
    assert sum(seen) == 2 * (1 + len(takes))  # two frames of each; the first take warms up


def test_frozen_features_are_not_computed_to_time_a_step(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> torch.Tensor:
        raise AssertionError("a trial of the heads decodes nothing")

    monkeypatch.setattr(trials.FeatureCache, "features", refuse)
    assert try_recipe(quick(), read_manifest(data), "cpu").step_seconds > 0


def test_recipes_that_differ_only_in_whom_they_learn_from_are_timed_once(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    timed: list[Recipe] = []
    monkeypatch.setattr(trials, "_step_seconds", lambda recipe, *_: timed.append(recipe) or [len(timed) * 1.0])
    manifest, tried = read_manifest(data), {}
    first = try_recipe(quick(), manifest, "cpu", tried)
    other = try_recipe(quick("people=all", "name=other"), manifest, "cpu", tried)
    larger = try_recipe(quick("batch=8"), manifest, "cpu", tried)
    assert (first.step_seconds, other.step_seconds, larger.step_seconds) == (1.0, 1.0, 2.0)
    assert other.steps != first.steps  # what is counted is counted for each

"""A model that does not know what it is shown says so."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import actor_observer
from actor_observer import index, load, recognise, search
from actor_observer.answers.world import FILE, Limits, World, find_world
from actor_observer.cli import main
from actor_observer.errors import UserError
from actor_observer.features.identity import identify
from actor_observer.frames import frames_at
from actor_observer.model.box import SUMS
from actor_observer.pairs import ROBOTS, read_manifest
from asked import small_network

MINI = Path(actor_observer.__file__).parent / "playhouse" / "mini"


@pytest.fixture
def calibrated(tmp_path: Path) -> tuple[Path, World]:
    """A model that takes every frame for a known one: the score is 1 whatever it sees."""
    small_network().save_pretrained(tmp_path / "model")
    network = load(tmp_path / "model")
    limits = Limits(0.5, 0.5, 0.0)
    size, both = network.backbone.feature_size, {"third": limits, "first": limits}
    none, one = np.zeros((2, size), np.float32), np.ones(2, np.float32)
    basis = np.stack([np.eye(size, dtype=np.float32)] * 2)  # all directions: nothing lies outside
    world = World(identify(network).fingerprint, "rendered homes", none, one, none, basis, one, both, far=9.0)
    world.write(tmp_path / "model")
    return tmp_path / "model", world


def test_the_model_in_the_box_is_calibrated() -> None:
    world = find_world(load())
    assert world is not None, "a new box: run bench/calibrate_answers.py again"
    assert world.name == "rendered homes"
    assert "unknown takes" in world.notes


def test_the_model_in_the_box_knows_rendered_homes_and_no_robots() -> None:
    robots, homes = read_manifest(ROBOTS), read_manifest(MINI)
    known = {}
    for name, manifest in (("robots", robots), ("homes", homes)):
        pair = manifest.pairs[0]
        for take in (manifest.takes[pair.third], manifest.takes[pair.first]):
            known[name, take.view] = recognise(take, take.view, look_rate=1).known
    assert known == {(name, view): name == "homes" for name in ("robots", "homes") for view in ("third", "first")}


def test_what_is_like_neither_world_is_told_by_what_lies_outside(calibrated: tuple[Path, World]) -> None:
    _, world = calibrated
    size = world.weight.shape[1]
    few = replace(world, basis=world.basis[:, :3], spread=np.array([0.5, 0.5], np.float32))
    inside, other = np.zeros((2, 5, size))
    inside[:, :3], other[:, 3:6] = 1.0, 1.0  # to the logistic function, which is constant, both are the same
    assert few.knows(inside, "first") and not few.knows(other, "first")


def test_recognise_says_none_of_these(calibrated: tuple[Path, World], videos: list[Path], capsys) -> None:
    model, world = calibrated
    found = recognise(videos[0], model=model)
    assert (found.known, found.none_of_these, found.warning) == (True, False, "")
    replace(world, bias=np.zeros(2, np.float32)).write(model)  # now nothing is known
    found = recognise(videos[0], model=model)
    assert found.none_of_these and "the model knows rendered homes" in found.warning
    replace(world, limits={"third": Limits(0.5, 0.5, 1.0), "first": Limits(0.5, 0.5, 1.0)}).write(model)
    found = recognise(videos[0], model=model)
    assert found.known and found.none_of_these  # known, but too unsure
    command = ["recognise", str(videos[0]), "--view", "first", "--model", str(model)]
    main(command)
    assert (
        "none of these, probably: in rendered homes a first action below 100% is mostly wrong"
        in capsys.readouterr().out
    )
    main([*command, "--json"])
    assert json.loads(capsys.readouterr().out)["none_of_these"] is True


def test_search_says_nothing_here_matches(calibrated: tuple[Path, World], videos: list[Path], tmp_path: Path) -> None:
    model, world = calibrated
    index(videos, tmp_path / "i", "first", model=model)
    picture = frames_at(videos[0], [1.0])[0]

    def warnings() -> list[str]:
        return [search(tmp_path / "i", query, "third", model=model).warning for query in (f"{videos[0]}@1", picture)]

    assert warnings() == ["", ""]
    replace(world, far=-1.0).write(model)
    assert all("95 % of the matches in rendered homes are nearer" in line for line in warnings())
    replace(world, limits={"third": Limits(0.5, 2.0, 0.0), "first": Limits(0.5, 0.5, 0.0)}).write(model)
    by_moment, by_picture = warnings()
    assert by_moment == "" and "the model knows rendered homes" in by_picture  # a single frame has a limit of its own


def test_a_calibration_of_other_weights_or_a_damaged_one(calibrated: tuple[Path, World], videos: list[Path]) -> None:
    model, world = calibrated
    replace(world, model="0" * 32, bias=np.zeros(2, np.float32)).write(model)
    found = recognise(videos[0], model=model)
    assert (found.known, found.world, found.none_of_these) == (None, "", False)
    (model / FILE).write_bytes(b"tea")
    with pytest.raises(UserError, match=r"damaged, or changed and not sealed; calibrate the model again"):
        recognise(videos[0], model=model)
    (model / SUMS).unlink()
    with pytest.raises(UserError, match=r"not a calibration .* make it again with bench/calibrate_answers.py"):
        recognise(videos[0], model=model)

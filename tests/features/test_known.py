"""A model that does not know what it is shown says so, by one rule and in the same words everywhere."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from actor_observer import index, load, recognise, search, select
from actor_observer.alignment.recordings.recording import Recording
from actor_observer.alignment.sight import Sight
from actor_observer.cli import main
from actor_observer.errors import UserError
from actor_observer.features.embeddings import TakeEmbedding
from actor_observer.features.identity import identify
from actor_observer.features.known import FILE, Known, find_known, to_units
from actor_observer.features.on_disk.fingerprints import weights_hash
from actor_observer.features.see import see_phi
from actor_observer.frames import frames_at
from actor_observer.model.box import SUMS
from actor_observer.pairs import ROBOTS, read_manifest
from actor_observer.playhouse import MINI
from actor_observer.searching.query import Query
from actor_observer.web.library import find
from asked import small_network

SAYS = "the model does not know footage like this: it knows rendered homes"


@pytest.fixture
def calibrated(tmp_path: Path) -> tuple[Path, Known]:
    """A model that takes every frame for a known one: the score is 0 whatever it sees, and the threshold above."""
    small_network().save_pretrained(tmp_path / "model")
    network = load(tmp_path / "model")
    size = network.backbone.feature_size
    none, much = np.zeros((2, size), np.float32), np.full((2, 2), 1e9, np.float32)
    lengths, limits = np.array([0.0, 1.0]), np.full((2, 2), 1.0)
    answers = {"model": identify(network).fingerprint, "far": 9.0, "top": {"third": 0.0, "first": 0.0}}
    fingerprint = weights_hash(network.backbone)
    known = Known(
        fingerprint, "rendered homes", none, none[:, None], much, none, none[:, 0], lengths, limits, "", answers
    )
    known.write(tmp_path / "model")
    return tmp_path / "model", known


def strange(known: Known) -> Known:
    """The same, to which nothing is known."""
    return replace(known, bias=np.full(2, 5.0, np.float32))


def test_the_model_in_the_box_knows_rendered_homes_and_neither_robots_nor_plain_pictures() -> None:
    network = load()
    known = find_known(network)
    assert known is not None, "a new backbone: run bench/calibrate_known.py again"
    assert known.world == "rendered homes" and "told unknown" in known.notes
    for data, expected in ((ROBOTS, False), (MINI, True)):
        manifest = read_manifest(data)
        pair = manifest.pairs[0]
        for take in (manifest.takes[pair.third], manifest.takes[pair.first]):
            assert known.take(see_phi(network, take, take.view, look_rate=1)).known == expected, take.path.name
    noise = np.random.default_rng(3).integers(0, 256, (4, 120, 160, 3), dtype=np.uint8)
    for pixels in (np.full((4, 120, 160, 3), 120, np.uint8), np.zeros((4, 120, 160, 3), np.uint8), noise):
        for view in ("third", "first"):
            assert not known.take(see_phi(network, pixels, view, 1.0, 1.0)).known


def test_the_box_holds_directions_at_right_angles_and_thresholds_that_fall_with_length() -> None:
    known = find_known(load())
    assert known is not None
    for basis in known.basis:
        assert np.allclose(basis @ basis.T, np.eye(len(basis)), atol=0.01)
    assert (np.diff(known.limits, axis=1) <= 0).all() and known.seconds[0] == 0


def test_the_score_is_the_distance_in_units_of_the_scatter_plus_the_linear_function() -> None:
    rng = np.random.default_rng(1)
    basis = np.linalg.qr(rng.normal(size=(5, 5)))[0][:2]
    values, rest = np.array([0.5, 0.2]), 0.1
    mean, weight = rng.normal(size=5), rng.normal(size=5)
    both = [np.stack([one, one]).astype(np.float32) for one in (mean, basis, np.append(values, rest), weight)]
    known = Known("", "homes", *both, np.array([0.3, 0.3]), np.array([0.0]), np.ones((2, 1)))
    phi = rng.normal(size=(7, 5))
    off = to_units(phi).mean(axis=0) - mean
    inverse = np.linalg.inv(basis.T @ np.diag(values) @ basis + rest * (np.eye(5) - basis.T @ basis))
    expected = off @ inverse @ off + weight @ to_units(phi).mean(axis=0) + 0.3
    assert np.isclose(known.frames(phi, "first").score, expected, rtol=1e-4)


def test_all_say_the_same(calibrated: tuple[Path, Known], videos: list[Path], tmp_path: Path, capsys) -> None:
    model, known = calibrated
    found = recognise(videos[0], model=model, look_rate=1.0)
    assert found.knowledge and found.knowledge.known and (found.none_of_these, found.warning) == (False, "")
    assert select(videos[0], model=model, look_rate=1.0).warning == ""
    strange(known).write(model)
    found = recognise(videos[0], model=model, look_rate=1.0)
    assert found.none_of_these and found.warning == f"none of these, probably: {SAYS}"
    command = ["select", str(videos[0]), "--view", "first", "--model", str(model), "--out", str(tmp_path / "best")]
    command += ["--look-rate", "1", "--top", "2"]
    main(command)
    assert f"these frames may be no better than others: {SAYS}" in capsys.readouterr().out
    main(["explain", f"{videos[0]}@1", "--model", str(model), "--out", str(tmp_path / "maps")])
    assert f"these maps may mean nothing: {SAYS}" in capsys.readouterr().out
    main([*command, "--json"])
    told = json.loads(capsys.readouterr().out)
    assert (told["known"], told["world"], told["strangeness"], told["strange_from"]) == (
        False,
        "rendered homes",
        5.0,
        1.0,
    )
    network = load(model)
    phi = TakeEmbedding("first", np.arange(3.0), np.ones((3, network.backbone.feature_size), np.float32))
    recording = Recording(np.zeros(0, np.uint8), "first", 9.0)
    sight = Sight(network)
    sight.remember(recording, phi)
    assert sight.strange(recording) == SAYS


def test_an_unsure_answer_about_known_footage(calibrated: tuple[Path, Known], videos: list[Path], capsys) -> None:
    model, known = calibrated
    replace(known, answers={**known.answers, "top": {"third": 1.0, "first": 1.0}}).write(model)
    command = ["recognise", str(videos[0]), "--view", "first", "--model", str(model), "--look-rate", "1"]
    main(command)
    assert "none of these, probably: a first action below 100% is mostly wrong" in capsys.readouterr().out
    main([*command, "--json"])
    told = json.loads(capsys.readouterr().out)
    assert told["none_of_these"] is True and told["known"] is True
    replace(known, answers={**known.answers, "model": "another", "top": "tea"}).write(model)  # of other heads
    assert not recognise(videos[0], model=model, look_rate=1.0).none_of_these
    replace(known, answers={**known.answers, "top": "tea"}).write(model)
    with pytest.raises(UserError, match="not a calibration"):
        recognise(videos[0], model=model, look_rate=1.0)


def test_search_says_nothing_here_matches(calibrated: tuple[Path, Known], videos: list[Path], tmp_path: Path) -> None:
    model, known = calibrated
    index(videos[0], tmp_path / "i", "first", model=model)
    picture = frames_at(videos[0], [1.0])[0]

    def warning(query: Query) -> str:
        return search(tmp_path / "i", query, "third", model=model).warning

    assert warning(picture) == ""
    replace(known, answers={**known.answers, "far": -1.0}).write(model)
    assert warning(picture) == "nothing here matches, probably: 95 % of matches are nearer than -1.00"
    strange(known).write(model)
    assert warning(picture) == warning(f"{videos[0]}@1") == f"nothing here matches, probably: {SAYS}"
    in_studio = find(str(tmp_path / "i"), str(videos[0]), 1.0, "third", None, None, 3, str(model))
    assert in_studio["verdict"] == warning(picture) and in_studio["hits"]


def test_a_calibration_of_another_backbone_or_a_damaged_one(calibrated: tuple[Path, Known], videos: list[Path]) -> None:
    model, known = calibrated
    strange(replace(known, backbone="0" * 32)).write(model)
    found = recognise(videos[0], model=model, look_rate=1.0)
    assert found.knowledge is None and not found.none_of_these
    for change in ({"limits": np.ones((2, 5))}, {"spread": -known.spread}, {"bias": np.full(2, np.nan)}):
        replace(known, **change).write(model)
        with pytest.raises(UserError, match="not a calibration"):
            recognise(videos[0], model=model, look_rate=1.0)
    (model / FILE).write_bytes(b"tea")
    with pytest.raises(UserError, match=r"damaged, or changed and not sealed; calibrate the model again"):
        recognise(videos[0], model=model, look_rate=1.0)
    (model / SUMS).unlink()
    with pytest.raises(UserError, match=r"not a calibration .* make it again with bench/calibrate_known.py"):
        recognise(videos[0], model=model, look_rate=1.0)


def test_new_heads_on_the_same_backbone_know_the_same(calibrated: tuple[Path, Known]) -> None:
    model, known = calibrated
    network = load(model)
    for parameter in network.projection.parameters():
        parameter.data += 1.0
    found = find_known(network)
    assert found is not None and found.backbone == known.backbone

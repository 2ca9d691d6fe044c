"""The small set inside the package is what it is said to be."""

import csv

import numpy as np
import pytest

from actor_observer.evaluation.compared.method import Protocol
from actor_observer.evaluation.compared.not_looking import positions
from actor_observer.evaluation.measures.correspondence import accuracy, quad_distances
from actor_observer.evaluation.measures.exact_truth import find_truth
from actor_observer.evaluation.measures.placement import place_all
from actor_observer.features import Embeddings, TakeEmbedding
from actor_observer.pairs import read_manifest
from actor_observer.pairs.clock import Clock
from actor_observer.pairs.manifest import Manifest, Split
from actor_observer.playhouse import MINI
from actor_observer.playhouse.truth_files import read_truth
from actor_observer.sampling import quads


@pytest.fixture(scope="module")
def manifest() -> Manifest:
    return read_manifest(MINI)


def test_it_is_small() -> None:
    assert sum(path.stat().st_size for path in MINI.rglob("*") if path.is_file()) <= 8_000_000


def test_it_has_the_pairs_and_takes_that_were_asked_for(manifest: Manifest) -> None:
    assert not manifest.faults
    same = [pair.split for pair in manifest.pairs if pair.same_person]
    assert [same.count(split) for split in ("train", "validation", "test")] == [36, 12, 12]
    different = [pair.split for pair in manifest.pairs if not pair.same_person]
    assert different == ["test"] * 12
    paired = {take for pair in manifest.pairs for take in (pair.third, pair.first)}
    alone = [take for id, take in manifest.takes.items() if id not in paired]
    assert len(alone) == 20 and all(take.view == "third" and take.actions for take in alone)
    others = [take for id, take in manifest.takes.items() if id in paired]
    for field in ("subject", "script"):
        assert not {getattr(take, field) for take in alone} & {getattr(take, field) for take in others}


def test_splits_keep_actors_and_homes_apart(manifest: Manifest) -> None:
    for field in ("subject", "scene", "script"):
        parts = [
            {getattr(take, field) for take in manifest.of(split).takes.values()}
            for split in ("train", "validation", "test")
        ]
        assert not parts[0] & parts[1] and not parts[0] & parts[2] and not parts[1] & parts[2], field


def test_every_take_has_its_truth_and_every_pair_its_clock(manifest: Manifest) -> None:
    clocks = {row["id"]: Clock.parse(row["clock"]) for row in csv.DictReader((MINI / "truth" / "clocks.csv").open())}
    assert {pair.id for pair in manifest.pairs} == set(clocks)
    for pair in manifest.pairs:
        start, end = clocks[pair.id].overlap(*manifest.lengths(pair))
        assert 0 < start < end < manifest.takes[pair.third].length  # the cameras run before and after
    for id, take in manifest.takes.items():
        truth = read_truth(MINI / "truth" / f"{id}.npz")
        assert len(truth["time"]) == round(take.length * 4) and truth["hands"].shape[1:] == (2, 3)
    lengths = np.array([take.length for take in manifest.takes.values()])
    assert 34 < lengths.mean() < 39


@pytest.mark.parametrize("splits", [("validation",), ("train", "validation")])
def test_a_rule_that_does_not_look_gets_little_of_it(manifest: Manifest, splits: tuple[Split, ...]) -> None:
    """What free tempo is for: both takes in proportion, from start to end, by the pairs that nothing is judged on."""
    truth = find_truth(MINI)
    assert truth is not None
    known = [manifest.of(split) for split in splits]
    judged = [pair for part in known for pair in truth.exact(part.pairs)]
    times = {id: np.arange(0.5, take.length) for part in known for id, take in part.takes.items()}
    unseen = {
        id: TakeEmbedding(manifest.takes[id].view, at, np.zeros((len(at), 1))) for id, at in times.items() if len(at)
    }
    rule, p = positions(Embeddings(unseen)), Protocol()
    asked, _ = quads(manifest, judged, p.far, p.step, p.per_pair, p.seed, p.far_share)
    assert accuracy(quad_distances(rule, asked, judged).right(), asked.pair).value <= 0.65  # steady tempo: 1
    errors = np.concatenate([one.error for one in place_all(rule, judged) if one])
    assert np.median(errors) >= 4  # steady tempo: 1.0


def test_about_a_fifth_of_its_frames_are_spoilt_and_half_of_the_first_person_s_show_no_action(
    manifest: Manifest,
) -> None:
    for view, low, high in (("first", 0.4, 0.55), ("third", 0.13, 0.27)):
        ids = [id for id, take in manifest.takes.items() if take.view == view]
        frames = [read_truth(MINI / "truth" / f"{id}.npz") for id in ids]
        informative, action = (np.concatenate([one[name] for one in frames]) for name in ("informative", "action"))
        assert low < 1 - informative.mean() < high
        assert 0.13 < 1 - informative[action >= 0].mean() < 0.27

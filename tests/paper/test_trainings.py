"""Which networks are trained follows from the data."""

from dataclasses import replace

import pytest

from actor_observer.pairs import Manifest, read_manifest
from actor_observer.paper.trainings import choose_trainings
from actor_observer.training import RECIPES
from tiny import write_charades_ego


@pytest.fixture(scope="module")
def manifest(tmp_path_factory: pytest.TempPathFactory) -> Manifest:
    return read_manifest(write_charades_ego(tmp_path_factory.mktemp("ego"), train=6, test=1, seconds=13, fps=2))


def names(manifest: Manifest, **options: object) -> list[str]:
    return [training.name for training in choose_trainings(manifest, **options).every]


def test_with_all_of_charades_ego_everything_is_trained_from_the_papers_recipes(manifest: Manifest) -> None:
    both = ["correspondence-different", "transfer-different"]
    assert names(manifest) == ["classifier", "correspondence", "transfer", *both, "classifier-vgg16"]
    found = choose_trainings(manifest)
    paper = replace(RECIPES["paper-correspondence"], name="correspondence")
    assert found.named("correspondence").recipe == paper
    assert found.named("transfer").recipe.labelled_apart == ("clip",)  # the pairs' own labels are not used
    assert found.named("transfer").start == "classifier"
    assert found.named("transfer-different").recipe.people == "different"
    assert "Table 3 has no fair rows" in found.notes[0]  # every labelled clip has a script of the pairs
    assert "apart from the pairs" in found.no_fair_labels


def test_labels_of_other_people_and_scripts_have_trainings_of_their_own(manifest: Manifest) -> None:
    labelled = [take for take in manifest.labelled() if take.id.startswith("CT")]
    other = replace(labelled[0], id="other", subject="somebody", script="Something else.")
    more = replace(manifest, takes={**manifest.takes, "other": other})
    found = choose_trainings(more)
    assert found.named("transfer-apart").start == "classifier-apart"
    assert found.named("transfer-apart").recipe.labelled_apart == ("clip", "subject", "script")
    assert not found.notes and not found.no_fair_labels


def test_without_labels_there_is_no_classifier(manifest: Manifest) -> None:
    bare = replace(manifest, takes={id: replace(take, actions=()) for id, take in manifest.takes.items()})
    found = choose_trainings(bare)
    assert found.named("classifier") is None and found.named("transfer").recipe.labelled_share == 0
    assert found.named("transfer").start == "" and "no Table 3" in found.notes[0]


def test_quick_has_no_vgg_and_frozen_backbones(manifest: Manifest) -> None:
    found = choose_trainings(manifest, quick=True, settings=["epochs=2"])
    assert found.named("classifier-vgg16") is None
    assert all(training.recipe.frozen and training.recipe.epochs == 2 for training in found.every)
    heads = [found.named(name).recipe.network.heads for name in ("correspondence", "transfer")]
    assert heads == ["separate", "shared"]

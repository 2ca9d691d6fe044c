"""`init: box`: everything that was learned is taken along, in the box's own size and widths."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from actor_observer.errors import UserError
from actor_observer.evaluation import Interval
from actor_observer.model.loading import load
from actor_observer.pairs import Manifest
from actor_observer.training import recipe_named, train, with_settings
from actor_observer.training.planning.from_box import follow_box
from actor_observer.training.planning.material import Material
from actor_observer.training.start import make_network
from actor_observer.training.validate import Validation
from tiny import write_charades_ego
from training.small import log_of

ADAPT = ["init=box", "epochs=1", "batch=4", "moments=6", "look_rate=1", "labelled_share=0", "quads_per_pair=20"]


def test_size_look_and_widths_follow_the_box() -> None:
    box = load().config
    recipe = with_settings(recipe_named("quick"), ["init=box", "network.projection_dropout=0.1"])
    assert (recipe.size, recipe.crop) == (box.size, box.crop)
    assert recipe.network.projection_hidden == box.projection_hidden and recipe.network.context == box.context
    assert recipe.network.projection_dropout == 0.1  # a matter of training: the recipe's own
    assert follow_box(recipe) == recipe
    short = with_settings(recipe_named("quick-short"), ["init=box"])  # has no dropout, but must fit the box's layers
    assert short.network.context == box.context and short.network.projection_dropout == box.projection_dropout


@pytest.mark.parametrize(
    "setting", ["size=96", "network.projection_hidden=64", "network.backbone=resnet18", "network.projection_dropout=0"]
)
def test_what_the_box_decides_cannot_be_set(setting: str) -> None:
    with pytest.raises(UserError, match=f"--set {setting.split('=')[0]}: .* the box's own"):
        with_settings(recipe_named("quick"), ["init=box", setting])


def test_backbone_projections_and_selector_are_the_boxs() -> None:
    recipe = with_settings(recipe_named("quick"), ["init=box"])
    nothing = Manifest({})
    network, notes = make_network(recipe, Material(nothing, (), (), nothing, ()))
    ours, theirs = network.state_dict(), load().state_dict()
    taken = [name for name in theirs if name.startswith(("backbone.", "heads.", "projection.", "usual"))]
    assert len(taken) > 100 and all(torch.equal(ours[name], theirs[name]) for name in taken)
    assert notes == ["backbone, projections and selector from the model in the box"] and network.classifier is None


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few pairs, with a cache of the box's features for all runs."""
    return write_charades_ego(tmp_path_factory.mktemp("pairs"), train=6, test=1, seconds=12, fps=2)


@pytest.mark.parametrize("improves", [False, True])
def test_a_run_validates_the_box_before_its_first_step_and_keeps_it_unless_training_is_better(
    improves: bool, pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = iter([0.6, 0.7 if improves else 0.5])  # of the box, and after an epoch
    monkeypatch.setattr(Validation, "score", lambda self, network: Interval(next(scores), 0.0, 1.0))
    recipe = with_settings(recipe_named("quick"), [*ADAPT, "optimiser.lr=1e-3", "optimiser.warmup=0"])
    run = train(recipe, pairs, tmp_path / "run", cache=pairs / "cache", device="cpu", quiet=True)
    assert [line["epoch"] for line in log_of(run) if "validation" in line] == [0, 1]
    box, made = load().state_dict(), load(run).state_dict()
    names = [name for name in box if name.startswith("projection.")]
    kept = all(torch.allclose(made[name], box[name], atol=1e-5) for name in names)  # not standardised anew
    assert kept != improves
    again = train(replace(recipe), pairs, run, cache=pairs / "cache", device="cpu", quiet=True)
    assert again == run  # the same recipe is the same run

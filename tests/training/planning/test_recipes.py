"""Recipes: the paper's values, printed and changed by name."""

import pytest
import yaml

from actor_observer.errors import UserError
from actor_observer.training import RECIPES, as_yaml, recipe_named, with_settings


def test_the_papers_recipes_have_the_papers_values() -> None:
    for name in ("paper-correspondence", "paper-transfer"):
        recipe = recipe_named(name)
        optimiser = recipe.optimiser
        assert (optimiser.kind, optimiser.lr, optimiser.momentum) == ("sgd", 3e-5, 0.95)
        assert (optimiser.schedule, optimiser.drop_every, optimiser.drop) == ("steps", 3, 0.1)
        assert (recipe.batch, recipe.near, recipe.far, recipe.jitter) == (15, 1.0, 10.0, "uniform")
        assert recipe.crops.third_scale == (0.08, 1.0) and recipe.crops.first_scale == (0.8, 1.0)
        assert recipe.network.backbone == "resnet152" and recipe.network.triplet == "sigmoid"
        assert recipe.network.balance and not recipe.frozen
    assert recipe_named("paper-correspondence").network.heads == "separate"
    assert recipe_named("paper-transfer").network.heads == "shared"
    assert recipe_named("paper-transfer").labelled_share > 0


def test_quick_stays_within_three_frames_a_second() -> None:
    recipe = recipe_named("quick")
    assert recipe.frozen and recipe.objective == "contrast" and recipe.look_rate <= 3
    assert recipe.network.projection == "per_view" and recipe.network.backbone == "mobilenet_v2"


@pytest.mark.parametrize("name", RECIPES)
def test_every_setting_is_printed_under_the_name_that_sets_it(name: str) -> None:
    recipe = recipe_named(name)
    assert recipe.name == name
    settings = yaml.safe_load(as_yaml(recipe))

    def flat(values, prefix=""):
        for key, value in values.items():
            if isinstance(value, dict):
                yield from flat(value, f"{prefix}{key}.")
            else:
                text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
                yield f"{prefix}{key}={text}"

    assert with_settings(recipe, list(flat(settings))) == recipe


@pytest.mark.parametrize(
    ("setting", "complaint"),
    [
        ("sed=3", "no such setting; did you mean seed"),
        ("seed", "name=value"),
        ("seed=x", "seed x: give a whole number"),
        ("far=0.5", "near < far"),
        ("batch=0", "batch must be at least 1"),
        ("network.heads=both", "heads"),
        ("network.videos=3", "the data decides"),
        ("labelled_apart=mood", "labelled"),
        ("labelled_share=1", "below 1"),
        ("crops.flip=2", "flip"),
    ],
)
def test_a_wrong_setting_is_one_line(setting: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint) as caught:
        with_settings(recipe_named("quick"), [setting])
    assert len(str(caught.value).splitlines()) == 1


def test_only_a_frozen_backbone_has_its_classifier_fitted_anew() -> None:
    with pytest.raises(UserError, match="refit needs"):
        with_settings(recipe_named("paper-transfer"), ["refit=true"])


def test_an_unknown_recipe_names_the_known_ones() -> None:
    with pytest.raises(UserError, match="paper-transfer"):
        recipe_named("fast")


@pytest.mark.parametrize(("old", "new"), [("rate", "anchor_rate"), ("frame_rate", "look_rate")])
def test_an_old_setting_is_answered_with_its_new_name(old: str, new: str) -> None:
    with pytest.raises(UserError, match=f"^--set {old}: it is called {new} now$"):
        with_settings(recipe_named("quick"), [f"{old}=2"])


WRONG = """
seed=-1 optimiser.drop=0 validate_every=0 size=0 optimiser.lr=-1 optimiser.lr=nan sigma=0 temperature=inf look_rate=0
anchor_rate=-2 within=1.5 quads_per_pair=0 workers=-2 decode=0 optimiser.momentum=1 optimiser.drop_every=0
optimiser.warmup=-1 save_minutes=-1 quads_step=nan network.projection_size=0 network.video_k=2 network.context_size=0
crops.third_scale=0,0 epochs=0 moments=1 size=1000000
"""


@pytest.mark.parametrize("wrong", WRONG.split())
def test_a_number_that_cannot_be_is_one_line(wrong: str) -> None:
    name = wrong.partition("=")[0].rpartition(".")[2]
    with pytest.raises(UserError, match=f"^--set.*{name}"):
        with_settings(recipe_named("quick"), [wrong])


def test_an_epoch_of_the_paper_is_every_frame_and_what_is_printed_stays_by_name() -> None:
    """With one anchor a second the learning rate dropped 24 times too early."""
    for name in ("paper-correspondence", "paper-transfer", "paper-classifier-printed"):
        recipe = recipe_named(name)
        assert (recipe.anchor_rate, recipe.optimiser.drop_every, recipe.optimiser.lr) == (24.0, 3, 3e-5)
    assert recipe_named("paper-classifier").optimiser.lr == 6e-4

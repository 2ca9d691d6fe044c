"""Which networks the paper trains, in order, and what each starts from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from actor_observer.errors import UserError
from actor_observer.pairs.manifest import Manifest
from actor_observer.sampling.labelled import Tie, apart_from
from actor_observer.training.planning.recipes import RECIPES, Recipe
from actor_observer.training.planning.settings import with_settings

__all__ = ["APART", "Training", "Trainings", "choose_trainings"]

PAIRED: tuple[Tie, ...] = ("clip",)  # the paper's pairs have no labels: those come from other clips
APART: tuple[Tie, ...] = ("clip", "subject", "script")  # fair: labels share nothing with the pairs
CLASSIFIER, VGG = "classifier", "classifier-vgg16"


@dataclass(frozen=True)
class Training:
    """One network: a recipe, and the training whose network it starts from."""

    name: str
    what: str
    recipe: Recipe
    start: str = ""  # the name of another training; "": where the recipe says

    def recipe_in(self, runs: Path) -> Recipe:
        """The recipe with the place that it starts from, where the runs are in this folder."""
        return replace(self.recipe, init=str(runs / self.start)) if self.start else self.recipe


@dataclass(frozen=True)
class Trainings:
    """All trainings, and lines on what the data leaves out."""

    every: tuple[Training, ...]
    notes: tuple[str, ...] = ()
    no_fair_labels: str = ""  # why Table 3 has no fair rows; "": it has

    def named(self, *names: str) -> Training | None:
        """The first of these that there is."""
        known = {training.name: training for training in self.every}
        return next((known[name] for name in names if name in known), None)


def choose_trainings(manifest: Manifest, quick: bool = False, settings: Sequence[str] = ()) -> Trainings:
    """The paper's trainings, as far as the data allows. `settings` change all recipes; `quick` freezes the backbone.

    >>> choose_trainings(Manifest({}))
    Traceback (most recent call last):
    actor_observer.errors.UserError: no training pairs of the same person in the data (see: actor-observer inspect)
    """
    train = manifest.of("train")
    same = [pair for pair in train.pairs if pair.same_person]
    different = len(train.pairs) - len(same)
    if not same:
        raise UserError("no training pairs of the same person in the data (see: actor-observer inspect)")
    ties, apart, notes, unfair = _labels(train)

    def make(name: str, what: str, recipe: str, start: str = "", **changes: Any) -> Training:
        made = replace(RECIPES[recipe], name=name)
        made = with_settings(on_frozen_features(made) if quick else made, settings)
        return Training(name, what, replace(made, **changes), start)

    every = []
    if ties is not None:
        every.append(make(CLASSIFIER, "labels, third person", "paper-classifier", labelled_apart=ties))
    start = CLASSIFIER if ties is not None else ""
    labels: dict[str, Any] = {"labelled_apart": ties} if ties is not None else {"labelled_share": 0.0}
    every.append(make("correspondence", "triplets, three selector heads", "paper-correspondence", start))
    every.append(make("transfer", "triplets and labels, shared head", "paper-transfer", start, **labels))
    if different:
        who, other = "pairs of different persons", {"people": "different"}
        every.append(make("correspondence-different", who, "paper-correspondence", start, **other))
        every.append(make("transfer-different", who, "paper-transfer", start, **other, **labels))
    else:
        notes.append("no training pairs of different persons: those rows judge the networks of the same person")
    if apart:
        what = "labels of other clips, people and scripts"
        every.append(make("classifier-apart", what, "paper-classifier", labelled_apart=APART))
        every.append(make("transfer-apart", what, "paper-transfer", "classifier-apart", labelled_apart=APART))
    if ties is not None and every[0].recipe.network.backbone == "resnet152":
        vgg = replace(every[0].recipe.network, backbone="vgg16")
        what = "labels, third person, VGG-16"
        every.append(make(VGG, what, "paper-classifier", labelled_apart=ties, network=vgg))
    return Trainings(tuple(every), tuple(notes), unfair)


def _labels(train: Manifest) -> tuple[tuple[Tie, ...] | None, bool, list[str], str]:
    """What labelled takes may not share with the pairs, as published (None: no labels); whether fair is less; notes.

    Last, why nothing fair can be said, where no labelled take is apart from the pairs.
    """
    same = [pair for pair in train.pairs if pair.same_person]
    every, other, apart = (len(apart_from(train, same, ties)[0]) for ties in ((), PAIRED, APART))
    if not every:
        return (
            None,
            False,
            ["no labelled third-person takes: no classifier, and no Table 3; all start from ImageNet"],
            "",
        )
    if not other:
        why = "only the pairs' own clips have labels"
        return (), False, [f"{why}: Table 3 as published leaks them, and has no fair rows (docs/protocols.md)"], why
    if not apart:
        why = "no labelled take is apart from the pairs in clip, person and script"
        return PAIRED, False, [f"{why}: Table 3 has no fair rows"], why
    return PAIRED, apart < other, [], ""


def on_frozen_features(recipe: Recipe) -> Recipe:
    """The recipe in minutes: a frozen MobileNetV2, and a projection of each view that learns in its place.

    The classifier is then linear on ImageNet's features, which it leaves as they are.

    >>> on_frozen_features(RECIPES["paper-transfer"]).network.heads
    'shared'
    """
    like = RECIPES["quick"]
    network = replace(
        recipe.network,
        backbone=like.network.backbone,
        projection="none" if recipe.objective == "classification" else "per_view",
        projection_size=like.network.projection_size,
        projection_hidden=like.network.projection_hidden,
        selector_scale=like.network.selector_scale,
    )
    return replace(
        recipe,
        frozen=True,
        network=network,
        optimiser=like.optimiser,
        batch=60,
        size=like.size,
        crop=like.crop,
        look_rate=like.look_rate,
        anchor_rate=like.anchor_rate,  # one a second: an epoch of every frame would take 24 times as long
        refit=recipe.labelled_share > 0,
    )

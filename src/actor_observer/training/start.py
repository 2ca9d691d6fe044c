"""Where a run starts: its network before the first step."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import torch

from actor_observer.errors import UserError
from actor_observer.features.words import name_words, tower_of
from actor_observer.model.config import NetworkConfig
from actor_observer.model.loading import load
from actor_observer.model.network import ActorObserverNet
from actor_observer.training.planning.from_box import start_from_box
from actor_observer.training.planning.material import Material
from actor_observer.training.planning.recipes import FROM_BOX, Recipe

__all__ = ["make_network"]


def make_network(recipe: Recipe, material: Material) -> tuple[ActorObserverNet, list[str]]:
    """The network at step 0, and a line on where its weights come from unless they are ImageNet's or random.

    >>> from actor_observer.pairs import Manifest
    >>> recipe = Recipe(network=NetworkConfig(backbone="resnet18"), init="random")
    >>> network, notes = make_network(recipe, Material(Manifest({}), (), (), Manifest({}), ()))
    >>> network.config.backbone, notes
    ('resnet18', [])
    """
    torch.manual_seed(recipe.seed)
    notes: list[str] = []
    labels, names = _classes(recipe, material)
    config = replace(
        recipe.network,
        size=recipe.size,
        crop=recipe.crop,
        labels=labels,
        label_names=names,
        videos=len(material.takes),
        pairs=len(material.pairs),
    )
    if recipe.init in ("imagenet", "random"):
        network = ActorObserverNet(config, pretrained=recipe.init == "imagenet")
    elif recipe.init == FROM_BOX:
        network, notes = start_from_box(config)
    else:
        network, notes = _continued(recipe.init, config)
    if recipe.frozen:
        network.backbone.requires_grad_(False)
    if network.classifier is not None and config.naming == "words":
        _name_by_words(network)
    return network, notes


def _classes(recipe: Recipe, material: Material) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Labels and names: all of the data's where words name them, else those that labelled frames teach."""
    if recipe.network.naming != "words":
        return material.labels, material.label_names
    classes = material.train.classes
    return tuple(classes), tuple(classes.values())


@torch.no_grad()
def _name_by_words(network: ActorObserverNet) -> None:
    """Make the classifier what the text tower says: each class is its name's vector, times the tower's own scale."""
    assert network.classifier is not None
    vectors = name_words(network, network.config.label_names)
    network.classifier.weight.copy_(tower_of(network).scale * torch.from_numpy(vectors))
    network.classifier.bias.zero_()


def _continued(init: str, config: NetworkConfig) -> tuple[ActorObserverNet, list[str]]:
    """A new network with the backbone of another, and its classifier where that fits."""
    start = load(Path(init) if Path(init).exists() else init)
    if start.config.backbone != config.backbone:
        raise UserError(f"{init} has the backbone {start.config.backbone}, the recipe {config.backbone}")
    network = ActorObserverNet(config, pretrained=False)
    network.backbone.load_state_dict(start.backbone.state_dict())
    taken = "backbone"
    fits = start.config.labels == config.labels and start.projection.kind == network.projection.kind == "none"
    if fits and network.classifier is not None and start.classifier is not None:
        network.classifier.load_state_dict(start.classifier.state_dict())
        taken += " and classifier"
    return network, [f"{taken} from {init}"]

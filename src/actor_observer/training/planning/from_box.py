"""`init: box`: a run that starts from the model in the box, and has its size, look and widths."""

from __future__ import annotations

from dataclasses import fields, replace

from actor_observer.model.config import NetworkConfig
from actor_observer.model.loading import load
from actor_observer.model.network import ActorObserverNet
from actor_observer.model.pretrained import BOX, read_pretrained
from actor_observer.training.planning.recipes import FROM_BOX, OF_THE_DATA, Recipe

__all__ = ["follow_box", "start_from_box"]

# settings of the network that matter in training alone: those of the recipe stay
OF_TRAINING = ("select", "projection_dropout", "triplet", "video_k", "loss_k", "loss_average", "balance")
KEPT = ("backbone.", "heads.", "projection.", "usual", "placing.")  # the tensors that are taken from the box


def follow_box(recipe: Recipe) -> Recipe:
    """The recipe with the box's size, look and widths, if it starts from the box; else as it is.

    >>> from actor_observer.training import recipe_named
    >>> follow_box(replace(recipe_named("quick"), init="box")).size == load().config.size
    True
    """
    if recipe.init != FROM_BOX:
        return recipe
    settings, _ = read_pretrained(BOX)
    known = {field.name for field in fields(NetworkConfig)}
    box = NetworkConfig(**{name: value for name, value in settings.items() if name in known})
    own = {name: getattr(recipe.network, name) for name in (*OF_TRAINING, *OF_THE_DATA)}
    own["projection_dropout"] = own["projection_dropout"] or box.projection_dropout  # layers without it are others
    return replace(recipe, size=box.size, crop=box.crop, network=replace(box, **own))


def start_from_box(config: NetworkConfig) -> tuple[ActorObserverNet, list[str]]:
    """A network of this shape with the box's backbone, projections and selector; and its classifier where labels agree.

    >>> from actor_observer.training import recipe_named
    >>> recipe = follow_box(replace(recipe_named("quick"), init="box"))
    >>> network, notes = start_from_box(replace(recipe.network, size=recipe.size, crop=recipe.crop))
    >>> notes
    ['backbone, projections and selector from the model in the box']
    """
    start, network = load(), ActorObserverNet(config, pretrained=False)
    classify = config.labels == start.config.labels
    kept = (*KEPT, "classifier.", "namer.") if classify else KEPT
    tensors = {name: tensor for name, tensor in start.state_dict().items() if name.startswith(kept)}
    network.load_state_dict({**network.state_dict(), **tensors})
    taken = "backbone, projections, selector and classifier" if classify else "backbone, projections and selector"
    return network, [f"{taken} from the model in the box"]

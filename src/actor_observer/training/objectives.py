"""The network of a recipe, and one step's objectives from the frames of a part."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from actor_observer.errors import UserError
from actor_observer.model.contrast_step import ContrastObjectives, ContrastStep
from actor_observer.model.network import ActorObserverNet, load
from actor_observer.model.triplet_step import Objectives, TripletStep
from actor_observer.pairs.clock import ClockTable
from actor_observer.training.material import Material
from actor_observer.training.plan import Planner
from actor_observer.training.readers import Part
from actor_observer.training.recipes import Recipe

__all__ = ["make_network", "make_step", "objectives_of", "parts_of"]


def make_network(recipe: Recipe, material: Material) -> tuple[ActorObserverNet, list[str]]:
    """The network at step 0, and a line on where it starts."""
    torch.manual_seed(recipe.seed)
    config = replace(
        recipe.network,
        size=recipe.size,
        crop=recipe.crop,
        labels=material.labels,
        label_names=material.label_names,
        videos=len(material.takes),
        pairs=len(material.pairs),
    )
    if recipe.init in ("imagenet", "random"):
        return ActorObserverNet(config, pretrained=recipe.init == "imagenet"), []
    start = load(Path(recipe.init) if Path(recipe.init).exists() else recipe.init)
    if start.config.backbone != config.backbone:
        raise UserError(f"{recipe.init} has the backbone {start.config.backbone}, the recipe {config.backbone}")
    network = ActorObserverNet(config, pretrained=False)
    network.backbone.load_state_dict(start.backbone.state_dict())
    taken = "backbone"
    fits = start.config.labels == config.labels and start.projection.kind == network.projection.kind == "none"
    if fits and network.classifier is not None and start.classifier is not None:
        network.classifier.load_state_dict(start.classifier.state_dict())
        taken += " and classifier"
    return network, [f"{taken} from {recipe.init}"]


def make_step(recipe: Recipe, network: ActorObserverNet) -> TripletStep | ContrastStep:
    """The training step of a recipe, as a module."""
    if recipe.frozen:
        network.backbone.requires_grad_(False)
    if recipe.objective == "contrast":
        return ContrastStep(network, recipe.sigma, recipe.temperature, recipe.learn_temperature, recipe.within)
    return TripletStep(network)


class Clocks:
    """First-person times of pairs as third-person seconds."""

    def __init__(self, planner: Planner) -> None:
        pairs = planner.paired.pairs if planner.paired is not None else []
        self._to_third = ClockTable([pair.clock.inverse() for pair in pairs])

    def to_third(self, part: Part, moments: int) -> tuple[Tensor, Tensor]:
        """Third-person seconds (N·m,) of a part's third-person and first-person frames."""
        third, first = part.paired.time[:, :moments], part.paired.time[:, moments:]  # (N, m)
        pair = np.repeat(part.paired.mark, moments)
        seconds = third.ravel(), self._to_third.to_first(pair, first.ravel())
        return torch.from_numpy(seconds[0]).float(), torch.from_numpy(seconds[1]).float()


def objectives_of(step: nn.Module, recipe: Recipe, part: Part, clocks: Clocks) -> Objectives | ContrastObjectives:
    """Run the step on a part. `step` may be wrapped for several processes."""
    device = part.frames.device
    mark, label = (torch.from_numpy(asked.mark).to(device) for asked in (part.paired, part.labelled))
    found: Objectives | ContrastObjectives
    if recipe.objective == "contrast":
        m = recipe.moments
        third, first = (_flat(part.frames[:, side]) for side in (slice(None, m), slice(m, None)))
        pair = mark.repeat_interleave(m)
        times = (time.to(device) for time in clocks.to_third(part, m))
        found = step(third, first, *times, pair, pair, _last(part.labelled_frames), label)
        return found
    videos = torch.from_numpy(part.paired.take).to(device)  # (N, 3)
    x, z, z_neg = (_last(frames) for frames in part.frames.unbind(1))
    found = step(x, z, z_neg, videos, mark, _last(part.labelled_frames), label)
    return found


def parts_of(found: Objectives | ContrastObjectives) -> dict[str, Tensor]:
    """The scalars worth logging, without a gradient."""
    return {name: value for name, value in found._asdict().items() if name != "loss" and value.ndim == 0}


def _flat(frames: Tensor) -> Tensor:
    return _last(frames.flatten(0, 1))


def _last(frames: Tensor) -> Tensor:
    """Frames with their channels last in memory, which convolutions prefer; features as they are."""
    return frames.contiguous(memory_format=torch.channels_last) if frames.ndim == 4 else frames

"""The paper's objective: triplets, weighed by the selector, with labelled frames beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from actor_observer.model.network import ActorObserverNet
from actor_observer.model.steps.triplet import TripletLosses, TripletStep
from actor_observer.pairs.manifest import Pair, View
from actor_observer.sampling.triplets import Triplets, TripletSource
from actor_observer.training.objectives.objective import Objective, PairSource, channels_last
from actor_observer.training.objectives.samples import Asked, BatchPart

if TYPE_CHECKING:
    from actor_observer.training.planning.material import Material

__all__ = ["Triplet"]


class Triplet(Objective):
    """Items are triplets (x, z, z'). `batch` counts triplets and labelled frames together.

    >>> from actor_observer.training.planning.recipes import recipe_named
    >>> transfer = Triplet(recipe_named("paper-transfer"))
    >>> transfer.batch_sizes(labels=True), transfer.batch_sizes(labels=False), transfer.views
    ((7, 8), (15, 0), ('third', 'first', 'first'))
    """

    def batch_sizes(self, labels: bool) -> tuple[int, int]:
        labelled = round(self.recipe.batch * (self.recipe.labelled_share if labels else 0.0))
        return self.recipe.batch - labelled, labelled

    @property
    def views(self) -> tuple[View, ...]:
        return ("third", "first", "first")

    def source(self, material: Material, batch: int) -> PairSource | None:
        recipe = self.recipe
        distances = recipe.near, recipe.far, recipe.anchor_rate, recipe.jitter, recipe.far_share
        return TripletSource(material.train, material.pairs, *distances)

    def ask(self, drawn: Triplets, takes: NDArray[Any]) -> Asked:
        return Asked(takes[:, [0, 1, 1]], np.stack([drawn.x, drawn.z, drawn.z_negative], axis=1), drawn.pair)

    def make_step(self, network: ActorObserverNet, pairs: Sequence[Pair]) -> TripletStep:
        return TripletStep(network)

    def losses(self, step: nn.Module, part: BatchPart, pairs: Sequence[Pair]) -> TripletLosses:
        device = part.frames.device
        videos, pair = (torch.from_numpy(of).to(device) for of in (part.paired.take, part.paired.mark))  # (N, 3), (N,)
        label = torch.from_numpy(part.labelled.mark).to(device)
        x, z, z_neg = (channels_last(frames) for frames in part.frames.unbind(1))
        found: TripletLosses = step(x, z, z_neg, videos, pair, channels_last(part.labelled_frames), label)
        return found

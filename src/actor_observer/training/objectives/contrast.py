"""Soft InfoNCE across the views: every frame finds its moment among all frames of the other view in the batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from actor_observer.model.losses.shared_takes import SharedTakes
from actor_observer.model.network import ActorObserverNet
from actor_observer.model.steps.contrast import ContrastStep
from actor_observer.model.steps.moments import MomentStep
from actor_observer.pairs.clock import ClockTable
from actor_observer.pairs.manifest import VIEWS, Pair, View
from actor_observer.sampling.pair_moments import MomentSource, PairMoments
from actor_observer.training.objectives.objective import Losses, Objective, PairSource, channels_last
from actor_observer.training.objectives.samples import Asked, BatchPart

if TYPE_CHECKING:
    from actor_observer.training.planning.material import Material

__all__ = ["Contrast"]


class Contrast(Objective):
    """Items are visits to a pair: the same `moments` moments in both views. `batch` counts visits.

    >>> from actor_observer.training.planning.recipes import recipe_named
    >>> quick = Contrast(recipe_named("quick"))
    >>> quick.batch_sizes(labels=True), quick.batch_sizes(labels=False), len(quick.views)
    ((12, 72), (12, 0), 48)
    """

    def batch_sizes(self, labels: bool) -> tuple[int, int]:
        share = self.recipe.labelled_share if labels else 0.0
        return self.recipe.batch, round(self.recipe.batch * self.recipe.moments * share / (1 - share))

    @property
    def views(self) -> tuple[View, ...]:
        return tuple(view for view in VIEWS for _ in range(self.recipe.moments))

    def source(self, material: Material, batch: int) -> PairSource | None:
        recipe = self.recipe
        near = min(recipe.near, recipe.sigma)
        return MomentSource(material.train, material.pairs, recipe.moments, near, batch, self.alone)

    @property
    def alone(self) -> int:
        """How many of a visit's moments only one take shows, where the clock tells (`alone`)."""
        return round(self.recipe.alone * self.recipe.moments)

    def ask(self, drawn: PairMoments, takes: NDArray[Any]) -> Asked:
        times = np.concatenate([drawn.third, drawn.first], axis=1)  # (N, 2·m)
        return Asked(takes.repeat(self.recipe.moments, axis=1), times, drawn.pair)

    def make_step(self, network: ActorObserverNet, pairs: Sequence[Pair]) -> MomentStep:
        recipe = self.recipe
        settings = recipe.sigma, recipe.temperature, recipe.learn_temperature, recipe.within
        return ContrastStep(network, *settings, SharedTakes.of(pairs))

    def losses(self, step: nn.Module, part: BatchPart, pairs: Sequence[Pair]) -> Losses:
        device, m = part.frames.device, self.recipe.moments
        third, first = (channels_last(part.frames[:, side].flatten(0, 1)) for side in (slice(None, m), slice(m, None)))
        pair, label = (torch.from_numpy(asked.mark).to(device) for asked in (part.paired, part.labelled))
        pair = pair.repeat_interleave(m)  # (N·m,)
        times = (time.to(device) for time in self.third_seconds(part, pairs))
        labelled = channels_last(part.labelled_frames)
        found: Losses = step(third, first, *times, pair, pair, labelled, label)
        return found

    def third_seconds(self, part: BatchPart, pairs: Sequence[Pair]) -> tuple[Tensor, Tensor]:
        """Third-person seconds (N·m,) of a part's third-person and first-person frames; NaN: no counterpart."""
        m = self.recipe.moments
        third, first = part.paired.time[:, :m], part.paired.time[:, m:]  # (N, m)
        own, number = np.unique(part.paired.mark, return_inverse=True)
        clocks = ClockTable([pairs[pair].clock.inverse() for pair in own])
        seconds = clocks.to_first(np.repeat(number, m), first.ravel())
        if self.alone:
            third, seconds = third.copy(), seconds.reshape(first.shape)
            for row, pair in enumerate(part.paired.mark):
                clock, last = pairs[pair].clock, slice(m - self.alone, m)
                third[row, last][~clock.in_both(third[row, last])] = np.nan
                seconds[row, last][~clock.first_in_both(first[row, last])] = np.nan
        return torch.from_numpy(third.ravel()).float(), torch.from_numpy(seconds.ravel()).float()

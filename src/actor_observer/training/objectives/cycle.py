"""Temporal cycle-consistency: a frame's soft nearest neighbour in the other view leads back to the frame."""

from __future__ import annotations

from collections.abc import Sequence

from actor_observer.model.losses.cycle import CycleConsistency
from actor_observer.model.network import ActorObserverNet
from actor_observer.model.steps.moments import MomentStep
from actor_observer.pairs.manifest import Pair
from actor_observer.training.objectives.contrast import Contrast

__all__ = ["Cycle"]


class Cycle(Contrast):
    """The moments of the contrast, compared by `CycleConsistency` (`temperature`, `sigma`).

    >>> from actor_observer.training import recipe_named, with_settings
    >>> Cycle(with_settings(recipe_named("quick"), ["objective=cycle"])).batch_sizes(labels=False)
    (12, 0)
    """

    def make_step(self, network: ActorObserverNet, pairs: Sequence[Pair]) -> MomentStep:
        recipe = self.recipe
        return MomentStep(network, CycleConsistency(recipe.moments, recipe.temperature, recipe.sigma))

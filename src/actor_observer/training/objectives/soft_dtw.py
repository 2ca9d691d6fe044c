"""Soft dynamic time warping between the two takes of a pair, for pairs without an exact clock."""

from __future__ import annotations

from collections.abc import Sequence

from actor_observer.model.losses.soft_dtw import SoftDTW
from actor_observer.model.network import ActorObserverNet
from actor_observer.model.steps.moments import MomentStep
from actor_observer.pairs.manifest import Pair
from actor_observer.training.objectives.contrast import Contrast

__all__ = ["Warping"]


class Warping(Contrast):
    """The moments of the contrast, compared by `SoftDTW` (`temperature`).

    >>> from actor_observer.training import recipe_named, with_settings
    >>> Warping(with_settings(recipe_named("quick"), ["objective=soft-dtw"])).batch_sizes(labels=False)
    (12, 0)
    """

    def make_step(self, network: ActorObserverNet, pairs: Sequence[Pair]) -> MomentStep:
        return MomentStep(network, SoftDTW(self.recipe.moments, self.recipe.temperature))

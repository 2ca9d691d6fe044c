"""The contrast across views, and order within each take beside it."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn

from actor_observer.model.losses.info_nce import SoftInfoNCE
from actor_observer.model.losses.order import Order
from actor_observer.model.losses.shared_takes import SharedTakes
from actor_observer.model.network import ActorObserverNet
from actor_observer.model.steps.moments import MomentStep
from actor_observer.pairs.manifest import Pair
from actor_observer.training.objectives.contrast import Contrast

__all__ = ["Ordered"]


class _Both(nn.Module):
    """The sum of the two: order alone knows nothing of the other view."""

    def __init__(self, contrast: SoftInfoNCE, order: Order) -> None:
        super().__init__()
        self.contrast, self.order = contrast, order

    def forward(self, *batch: Tensor) -> Tensor:
        total: Tensor = self.contrast(*batch) + self.order(*batch)
        return total


class Ordered(Contrast):
    """The moments of the contrast, compared by `SoftInfoNCE` and `Order`.

    >>> from actor_observer.training import recipe_named, with_settings
    >>> Ordered(with_settings(recipe_named("quick"), ["objective=order"])).batch_sizes(labels=False)
    (12, 0)
    """

    def make_step(self, network: ActorObserverNet, pairs: Sequence[Pair]) -> MomentStep:
        recipe = self.recipe
        settings = recipe.sigma, recipe.temperature, recipe.learn_temperature, recipe.within
        contrast = SoftInfoNCE(*settings, SharedTakes.of(pairs))
        return MomentStep(network, _Both(contrast, Order(recipe.moments, recipe.temperature)))

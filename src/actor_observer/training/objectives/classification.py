"""Labelled third-person frames alone: how the paper trains the network that the others start from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from actor_observer.training.objectives.objective import PairSource
from actor_observer.training.objectives.triplet import Triplet

if TYPE_CHECKING:
    from actor_observer.training.planning.material import Material

__all__ = ["Classification"]


class Classification(Triplet):
    """The triplets' step without a triplet.

    >>> from actor_observer.training.planning.recipes import recipe_named
    >>> Classification(recipe_named("paper-classifier")).batch_sizes(labels=True)
    (0, 60)
    """

    learns_from = "labels"

    def batch_sizes(self, labels: bool) -> tuple[int, int]:
        return 0, self.recipe.batch

    def source(self, material: Material, batch: int) -> PairSource | None:
        return None

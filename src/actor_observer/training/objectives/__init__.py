"""Objectives: one file for each, and the table of their names.

To add one, write a class in a new file (see `objective.py`) and give it a line in `OBJECTIVES`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from actor_observer.training.objectives.classification import Classification
from actor_observer.training.objectives.contrast import Contrast
from actor_observer.training.objectives.cycle import Cycle
from actor_observer.training.objectives.objective import Objective
from actor_observer.training.objectives.order import Ordered
from actor_observer.training.objectives.soft_dtw import Warping
from actor_observer.training.objectives.triplet import Triplet

if TYPE_CHECKING:
    from actor_observer.training.planning.recipes import Recipe

__all__ = ["OBJECTIVES", "Objective", "objective_of"]

OBJECTIVES: dict[str, type[Objective]] = {
    "triplet": Triplet,
    "contrast": Contrast,
    "cycle": Cycle,
    "soft-dtw": Warping,
    "order": Ordered,
    "classification": Classification,
}


def objective_of(recipe: Recipe) -> Objective:
    """The objective of a recipe.

    >>> from actor_observer.training.planning.recipes import recipe_named
    >>> type(objective_of(recipe_named("quick"))).__name__
    'Contrast'
    """
    return OBJECTIVES[recipe.objective](recipe)

"""Training: recipes, the loop, checkpoints, several processes."""

from actor_observer.training.loop import Stopped
from actor_observer.training.planning.recipes import RECIPES, Optimiser, Recipe, recipe_named
from actor_observer.training.planning.settings import as_yaml, with_settings
from actor_observer.training.run import train

__all__ = ["RECIPES", "Optimiser", "Recipe", "Stopped", "as_yaml", "recipe_named", "train", "with_settings"]

"""Training: recipes, the loop, checkpoints, several processes."""

from actor_observer.training.loop import Stopped
from actor_observer.training.recipes import RECIPES, Optimiser, Recipe, as_yaml, recipe_named, with_settings
from actor_observer.training.run import train

__all__ = ["RECIPES", "Optimiser", "Recipe", "Stopped", "as_yaml", "recipe_named", "train", "with_settings"]

"""The recipe in a run's folder, as plain settings: how the model beside it was trained."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from actor_observer.errors import UserError

__all__ = ["RECIPE", "RENAMED", "recipe_of", "with_new_names"]

RECIPE = "recipe.yaml"
RENAMED = {"rate": "anchor_rate", "frame_rate": "look_rate"}  # settings of runs made before: old name -> new


def recipe_of(run: str | Path) -> dict[str, Any]:
    """The run's recipe as a dictionary; empty for a model that came without one.

    >>> recipe_of("no-such-run")
    {}
    """
    import yaml

    path = Path(run) / RECIPE
    if not path.is_file():
        return {}
    try:
        settings = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError, UnicodeDecodeError, RecursionError):
        raise UserError(f"{path}: cannot be read") from None
    return with_new_names(settings) if isinstance(settings, dict) else {}


def with_new_names(settings: dict[str, Any]) -> dict[str, Any]:
    """A saved recipe's settings under the names that they have now.

    >>> with_new_names({"name": "quick", "frame_rate": 3.0})
    {'name': 'quick', 'look_rate': 3.0}
    """
    return {RENAMED.get(name, name): value for name, value in settings.items()}

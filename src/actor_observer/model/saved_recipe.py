"""The recipe in a run's folder, as plain settings: how the model beside it was trained."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from actor_observer.errors import UserError, first_line

__all__ = ["LATER", "RECIPE", "RENAMED", "parse_recipe", "read_recipe", "recipe_of"]

RECIPE = "recipe.yaml"
RENAMED = {"rate": "anchor_rate", "frame_rate": "look_rate"}  # settings of runs made before: old name -> new
LATER = {"alone": 0.0, "keep": "best"}  # settings that came later, and what says how runs made before did it

MOST_BYTES, MOST_LISTS = 1 << 16, 1000  # of a recipe: far above ours, far below a YAML bomb
TOO_LONG = f"a recipe has less than {MOST_BYTES} bytes"


def recipe_of(run: str | Path) -> dict[str, Any]:
    """The run's recipe as a dictionary; empty for a model that came without one.

    >>> recipe_of("no-such-run")
    {}
    """
    path = Path(run) / RECIPE
    return read_recipe(path) if path.is_file() else {}


def read_recipe(path: Path) -> dict[str, Any]:
    r"""A recipe's file, which a stranger may have written; old settings under the names that they have now.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "recipe.yaml"
    >>> _ = path.write_text("name: quick\nframe_rate: 3.0"); read_recipe(path)
    {'name': 'quick', 'look_rate': 3.0}
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ValueError(TOO_LONG)
        return parse_recipe(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: cannot be read ({first_line(error)})") from None


def parse_recipe(text: str) -> dict[str, Any]:
    r"""A recipe's text, likewise; `ValueError` says why it is none.

    >>> parse_recipe("name: quick\nrate: 1.0")
    {'name': 'quick', 'anchor_rate': 1.0}
    """
    import yaml

    if len(text) > MOST_BYTES:
        raise ValueError(TOO_LONG)
    if text.count("[") + text.count("{") > MOST_LISTS:  # many, one in the other, take hours to read
        raise ValueError(f"a recipe has less than {MOST_LISTS} lists")
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, yaml.SafeLoader)):
            raise ValueError("a recipe does not refer to its own parts")  # a few lines of that can fill any memory
        settings = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(first_line(error)) from None
    named = settings if isinstance(settings, dict) else {}
    return {RENAMED.get(str(name), str(name)): value for name, value in named.items()}

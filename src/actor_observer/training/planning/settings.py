"""Settings as people write them: `name=value` on the command line, YAML beside a run."""

from __future__ import annotations

import contextlib
import difflib
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from actor_observer.console import one_line
from actor_observer.errors import UserError
from actor_observer.model.saved_recipe import RENAMED
from actor_observer.training.planning.from_box import follow_box
from actor_observer.training.planning.recipes import OF_THE_DATA, Recipe

__all__ = ["as_yaml", "with_settings"]

OF_THE_RECIPE = ("size", "crop")  # network settings that come from the recipe's settings of the same name


def with_settings(recipe: Recipe, settings: Sequence[str]) -> Recipe:
    """The recipe with some settings changed, each `name=value`; lists have commas.

    >>> from actor_observer.training.planning.recipes import recipe_named
    >>> changed = with_settings(recipe_named("quick"), ["seed=3", "optimiser.lr=1e-2", "network.heads=separate"])
    >>> changed.seed, changed.optimiser.lr, changed.network.heads
    (3, 0.01, 'separate')
    """
    import tyro

    arguments: list[str] = []
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise UserError(f"--set {setting}: write it as name=value")
        if name in RENAMED:
            raise UserError(f"--set {name}: it is called {RENAMED[name]} now")
        if name.removeprefix("network.") in OF_THE_DATA and name != "pairs":
            raise UserError(f"--set {name}: the data decides it")
        if name.startswith("network.") and name.removeprefix("network.") in OF_THE_RECIPE:
            raise UserError(f"--set {name}: set {name.removeprefix('network.')} instead")
        if name not in (known := _names(asdict(recipe))):
            likely = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {likely[0]}?" if likely else "see --print-recipe"
            raise UserError(f"--set {name}: there is no such setting; {hint}")
        value = value.capitalize() if value in ("true", "false") else value  # as YAML writes them
        listed = name in ("labelled_apart", "network.context", "network.naming_context") or name.startswith("crops.")
        arguments += [f"--{name}", *(filter(None, value.split(",")) if listed else [value])]
    complaint = io.StringIO()
    try:
        with contextlib.redirect_stderr(complaint):
            made = tyro.cli(Recipe, default=recipe, args=arguments, config=(tyro.conf.FlagConversionOff,))
    except SystemExit:
        raise UserError(f"--set {one_line(complaint.getvalue()).removeprefix('--')} (see --print-recipe)") from None
    except ValueError as error:
        raise UserError(f"--set: {error}") from None
    followed, names = follow_box(made), {setting.partition("=")[0] for setting in settings}
    for change in differences(as_plain(followed), as_plain(made)):
        if change.split(" ")[0] in names:
            name, _, value = change.partition(", there")[0].partition(" is ")
            raise UserError(f"--set {name}: a run that starts from the box has the box's own, {value}")
    return followed


def as_yaml(recipe: Recipe) -> str:
    """All settings as YAML, as they are saved with a run.

    >>> from actor_observer.training.planning.recipes import recipe_named
    >>> print(as_yaml(recipe_named("quick")).splitlines()[0])
    name: quick
    """
    import yaml

    settings = as_plain(recipe)
    return yaml.safe_dump(settings, sort_keys=False, allow_unicode=True, width=120)


def as_plain(recipe: Recipe) -> dict[str, Any]:
    """The settings as dictionaries, lists, numbers and strings.

    >>> as_plain(Recipe())["labelled_apart"]
    ['clip', 'subject', 'script']
    """
    settings = asdict(recipe)
    for name in (*OF_THE_DATA, *OF_THE_RECIPE):
        del settings["network"][name]
    return {key: _plain(value) for key, value in settings.items()}


def differences(ours: dict[str, Any], theirs: dict[str, Any], prefix: str = "") -> Iterator[str]:
    """What differs between two recipes as dictionaries, a phrase each.

    >>> list(differences({"seed": 1, "a": {"b": 2}}, {"seed": 0, "a": {"b": 2}}))
    ['seed is 1, there 0']
    """
    for key in dict.fromkeys([*ours, *theirs]):
        mine, other = ours.get(key, "not set"), theirs.get(key, "not set")
        if isinstance(mine, dict) and isinstance(other, dict):
            yield from differences(mine, other, f"{prefix}{key}.")
        elif mine != other:
            yield f"{prefix}{key} is {mine}, there {other}"


def assignments(settings: dict[str, Any], names: Sequence[str]) -> str:
    """These settings of a saved recipe as --set takes them; nothing where one is missing, or cannot be written so.

    >>> assignments({"refit": True, "optimiser": {"lr": 0.1}}, ["refit", "optimiser.lr"])
    'refit=true optimiser.lr=0.1'
    """
    written = []
    for name in names:
        value: Any = settings
        for part in name.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        if isinstance(value, bool):
            value = str(value).lower()
        if isinstance(value, list):
            value = ",".join(map(str, value))
        if not isinstance(value, (str, int, float)) or re.search(r"[^\w.,:/+-]", str(value)):
            return ""
        written.append(f"{name}={value}")
    return " ".join(written)


def _names(settings: dict[str, Any], prefix: str = "") -> list[str]:
    """How all settings are called on the command line."""
    inner = ((f"{prefix}{name}", value) for name, value in settings.items())
    return [one for name, value in inner for one in (_names(value, f"{name}.") if isinstance(value, dict) else [name])]


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, (tuple, list)) else value

"""A run's folder: whose it is, and why another run may not have it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from actor_observer.errors import UserError
from actor_observer.model.pretrained import write_whole
from actor_observer.training.material import Material
from actor_observer.training.recipes import Recipe, as_yaml, differences, with_new_names

__all__ = ["RunFolder", "recipe_of"]

RECIPE, RUN = "recipe.yaml", "run.json"
# what may change between a run and its resumption without changing a number
FREE = ("workers", "save_minutes", "log_every")


@dataclass(frozen=True)
class RunFolder:
    """Where a run keeps everything.

    >>> RunFolder(Path("no-such-run")).started
    False
    """

    path: Path

    @property
    def started(self) -> bool:
        """Whether a run began here."""
        return (self.path / RUN).exists()

    def start(self, recipe: Recipe, material: Material) -> None:
        """Write down whose folder this is. The thread count decides the last digits of sums: it is kept too."""
        identity = {"threads": torch.get_num_threads(), **_takes(material)}
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            write_whole(self.path / RECIPE, as_yaml(recipe).encode())
            write_whole(self.path / RUN, (json.dumps(identity, indent=1) + "\n").encode())
        except OSError as error:
            raise UserError(f"{self.path}: cannot be written ({error.strerror or error})") from error

    def threads(self) -> int:
        """How many threads the run started with."""
        return int(self._identity()["threads"])

    def check_recipe(self, recipe: Recipe) -> None:
        """Refuse another recipe than the run's."""
        import yaml

        try:
            theirs = yaml.safe_load((self.path / RECIPE).read_text(encoding="utf-8"))
        except (OSError, yaml.YAMLError) as error:
            raise UserError(f"{self.path / RECIPE}: cannot be read; use another run folder") from error
        ours = yaml.safe_load(as_yaml(recipe))  # through the same form: floats and lists compare alike
        theirs = with_new_names(theirs) if isinstance(theirs, dict) else {}
        found = [text for text in differences(ours, theirs) if text.split(" ")[0] not in FREE]
        if found:
            more = f" (and {len(found) - 3} more)" if len(found) > 3 else ""
            raise UserError(
                f"{self.path} holds a run of another recipe: {'; '.join(found[:3])}{more}; use another --out"
            )

    def check_takes(self, material: Material) -> None:
        """Refuse other takes than the run's."""
        ours, theirs = _takes(material), self._identity()
        for kind in ("train", "pairs", "validation"):
            mine, other = list(ours[kind]), list(theirs.get(kind, []))
            if mine == other:
                continue
            new, gone = sorted(set(mine) - set(other)), sorted(set(other) - set(mine))
            what = [f"{len(ids)} {word} ({ids[0]}, …)" for word, ids in (("new", new), ("gone", gone)) if ids]
            what = what or ["their order"]
            name = {"train": "training takes", "pairs": "training pairs", "validation": "validation takes"}[kind]
            raise UserError(f"{self.path} holds a run with other {name}: {' and '.join(what)}; use another --out")

    def _identity(self) -> dict[str, Any]:
        try:
            found: dict[str, Any] = json.loads((self.path / RUN).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise UserError(f"{self.path / RUN}: cannot be read; use another run folder") from error
        return found


def _takes(material: Material) -> dict[str, list[str]]:
    return {
        "train": [f"{take.id} {take.length:.3f}" for take in material.takes],
        "pairs": [pair.id for pair in material.pairs],
        "validation": [f"{take.id} {take.length:.3f}" for take in material.validation_takes],
    }


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
    except (OSError, yaml.YAMLError, UnicodeDecodeError):
        raise UserError(f"{path}: cannot be read") from None
    return with_new_names(settings) if isinstance(settings, dict) else {}

"""A job in stages, each done once: what a stage is, and the file that says it is done."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from actor_observer.disk import write_whole
from actor_observer.errors import UserError
from actor_observer.model.saved_recipe import LATER, parse_recipe
from actor_observer.training.planning.settings import differences

__all__ = ["Stage", "claim", "run_stages", "seconds_of"]

DONE, IDENTITY = "done", "reproduce.json"


@dataclass(frozen=True)
class Stage:
    """One piece of work, which all processes do together. Killed, it is started again and finds what it had done."""

    name: str  # of its file in done/
    what: str
    work: Callable[[], object]


def run_stages(
    stages: Sequence[Stage], folder: Path, first: bool = True, say: Callable[[str], object] = lambda line: None
) -> None:
    """Do what is not done yet, in order. Only the `first` process of several writes.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for _ in range(2):
    ...     run_stages([Stage("count", "count to one", lambda: print("one"))], folder)
    one
    >>> seconds_of(folder, "count") is not None
    True
    """
    left = [stage for stage in stages if seconds_of(folder, stage.name) is None]  # before any of them ends
    for number, stage in enumerate(stages, 1):
        if stage not in left:
            continue
        say(f"{number} of {len(stages)}, {stage.name}: {stage.what}")
        started = time.monotonic()
        stage.work()
        if first:
            _write(folder / DONE / f"{stage.name}.json", {"seconds": round(time.monotonic() - started, 1)})


def seconds_of(folder: Path, stage: str) -> float | None:
    """How long a stage took (after it was last started); None if it is not done.

    >>> seconds_of(Path("no-such-folder"), "judge") is None
    True
    """
    path = folder / DONE / f"{stage}.json"
    try:
        return float(json.loads(path.read_text(encoding="utf-8"))["seconds"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise UserError(f"{path}: cannot be read; delete it to do the stage again") from error


def claim(folder: Path, identity: dict[str, Any], first: bool = True) -> None:
    """Take a folder for a job, or refuse one that holds another; `identity` says what the job is, in plain values.

    Recipes in it are dictionaries by name; those of a folder that an earlier version began count as they were meant.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> claim(folder, {"quick": True}); claim(folder, {"quick": True}); claim(folder, {"quick": False})
    Traceback (most recent call last):
    actor_observer.errors.UserError: /...: holds another job (quick is False, there True); use another --out
    """
    path = folder / IDENTITY
    try:
        theirs = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(theirs, dict):
            raise ValueError("no settings")
        theirs["recipes"] = {name: _as_meant(recipe) for name, recipe in dict(theirs.get("recipes", {})).items()}
    except FileNotFoundError:
        if first:
            _write(path, identity)
        return
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise UserError(f"{path}: cannot be read; use another --out") from error
    for difference in differences(identity, {name: theirs.get(name, "not known") for name in identity}):
        raise UserError(f"{folder}: holds another job ({difference}); use another --out")


def _as_meant(recipe: Any) -> Any:
    """A recipe as a folder has it: in an old one it is text, without the settings that came later."""
    settings = parse_recipe(recipe) if isinstance(recipe, str) else recipe
    return {**LATER, **settings} if isinstance(settings, dict) else settings


def _write(path: Path, content: dict[str, Any]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror or error})") from error

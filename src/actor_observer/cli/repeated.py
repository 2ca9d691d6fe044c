"""An option given several times: its values add up where it takes several; else it is refused.

The parser itself would keep the last one, without a word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import get_args, get_origin, get_type_hints

from tyro.conf import Positional, UseAppendAction

from actor_observer.errors import UserError

__all__ = ["add_up", "options_of", "refuse_twice"]

_OPTION = re.compile(r"--?[A-Za-z]")


def add_up(verb: Callable[..., object], arguments: Sequence[str]) -> list[str]:
    """A verb's arguments with each option at most once, as the parser wants them.

    >>> def train(recipe: Positional[str], set: tuple[str, ...] = (), seed: int = 0) -> None: ...
    >>> add_up(train, ["--set", "epochs=1", "--seed", "2", "--set", "batch=60", "quick"])
    ['--seed', '2', '--set', 'epochs=1', 'batch=60', 'quick']
    >>> add_up(train, ["quick", "--seed", "1", "--seed=2"])
    Traceback (most recent call last):
    actor_observer.errors.UserError: --seed: given 2 times; give it once
    """
    several = options_of(verb)
    end = arguments.index("--") if "--" in arguments else len(arguments)
    names = [_name(word) for word in arguments[:end]]
    made = list(arguments)
    for name, count in Counter(name for name in names if name in several).items():
        if count > 1 and several[name] == "once":
            raise UserError(f"{name}: given {count} times; give it once")
        if count > 1 and several[name] == "several":
            made = _gathered(made, name)
    return made


def options_of(verb: Callable[..., object]) -> dict[str, str]:
    """A verb's options by name, and how often each may be given, read where the parser reads it: its signature.

    "once" is a flag or takes as many values as it wants, "several" takes all up to the next option, "repeated" is made
    to be given again.

    >>> def index(video: Positional[str], view: str, json: bool = False) -> None: ...
    >>> options_of(index)
    {'--view': 'once', '--json': 'once'}
    """
    kinds = {}
    for name, hint in get_type_hints(verb, include_extras=True).items():
        marks = getattr(hint, "__metadata__", ())
        plain = get_args(hint)[0] if marks else hint
        if name == "return" or Positional in marks:
            continue
        many = get_origin(plain) is list or (get_origin(plain) is tuple and get_args(plain)[-1] is Ellipsis)
        kind = ("repeated" if UseAppendAction in marks else "several") if many else "once"
        kinds[f"--{name.replace('_', '-')}"] = kind
    return kinds


def refuse_twice(settings: Sequence[str]) -> None:
    """Refuse a setting that is given two values.

    >>> refuse_twice(["epochs=1", "batch=60", "epochs=2"])
    Traceback (most recent call last):
    actor_observer.errors.UserError: --set epochs: given 2 times; give it once
    """
    for name, count in Counter(setting.partition("=")[0] for setting in settings).items():
        if count > 1:
            raise UserError(f"--set {name}: given {count} times; give it once")


def _gathered(arguments: Sequence[str], name: str) -> list[str]:
    """The values of every `name` in the place of the last one, before what follows it."""
    kept: list[str] = []
    values: list[str] = []
    place, inside = 0, False
    for number, word in enumerate(arguments):
        if word == "--":
            kept += arguments[number:]
            break
        if _name(word) == name:
            place, inside = len(kept), True
            values += [word.partition("=")[2]] if "=" in word else []
        elif inside and not _OPTION.match(word):
            values.append(word)
        else:
            inside = False
            kept.append(word)
    return [*kept[:place], name, *values, *kept[place:]]


def _name(word: str) -> str:
    """The option that a word names, if it does; `_` may stand for `-`.

    >>> _name("--max_offset=2"), _name("head.mp4")
    ('--max-offset', '')
    """
    return word.partition("=")[0].replace("_", "-") if word.startswith("--") else ""

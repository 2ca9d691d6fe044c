"""An option given twice: the values add up, or one line refuses it. Over all commands."""

import contextlib
import functools
import inspect
import re
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tyro.conf import Positional

from actor_observer.cli import VERBS, main
from actor_observer.cli.repeated import add_up

VALUES = {int: ("3", "4"), float: ("1.5", "2.5")}


def options() -> Iterator[tuple[str, str]]:
    """Every option of every command, as its help names it."""
    for verb, call in VERBS.items():
        for name, hint in get_type_hints(call, include_extras=True).items():
            if name != "return" and Positional not in getattr(hint, "__metadata__", ()):
                yield verb, name


def called(verb: str, arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What a command would have been called with."""
    seen: dict[str, Any] = {}

    @functools.wraps(VERBS[verb])
    def noted(*given: Any, **named: Any) -> None:
        seen.update(inspect.signature(VERBS[verb]).bind(*given, **named).arguments)

    with monkeypatch.context() as patch:
        patch.setitem(VERBS, verb, noted)
        main([verb, *arguments])
    return seen


def two_values(verb: str, name: str) -> tuple[list[str], list[str]]:
    """Two ways to give an option; a flag has no value."""
    hint = get_type_hints(VERBS[verb])[name]
    kind = next((part for part in get_args(hint) if get_origin(part) is Literal), hint)
    if get_origin(kind) is Literal:
        return [get_args(kind)[0]], [get_args(kind)[-1]]
    if hint is bool:
        return [], []
    if get_origin(hint) is tuple and get_args(hint)[-1] is not Ellipsis:  # so many values, always
        return tuple([VALUES[one][way] for one in get_args(hint)] for way in range(2))  # type: ignore[return-value]
    inner = get_args(hint)[0] if get_args(hint) else hint
    return tuple([value] for value in VALUES.get(inner, ("a=1", "b=2")))  # type: ignore[return-value]


def needed(verb: str, but: str) -> list[str]:
    """What else the command must be given."""
    words = []
    for name, parameter in inspect.signature(VERBS[verb]).parameters.items():
        if parameter.default is inspect.Parameter.empty and name != but:
            hint = get_type_hints(VERBS[verb], include_extras=True)[name]
            words += ["x"] if Positional in hint.__metadata__ else [f"--{name}", *two_values(verb, name)[0]]
    return words


@pytest.mark.parametrize("verb", VERBS)
def test_a_repeated_option_adds_up_or_is_refused(
    verb: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for of, name in options():
        if of != verb:
            continue
        option, (one, two) = f"--{name.replace('_', '-')}", two_values(verb, name)
        arguments = [*needed(verb, but=name), option, *one, f"--{name}", *two]
        with contextlib.suppress(SystemExit):
            seen = called(verb, arguments, monkeypatch)
            assert isinstance(seen[name], tuple), f"{verb} {option} kept {seen[name]}"
            assert [str(value) for value in seen[name]] == one + two
            continue
        said = capsys.readouterr().err
        assert re.fullmatch(rf"actor-observer: {option}: given 2 times; .*\n", said), said
        assert Ellipsis not in get_args(get_type_hints(VERBS[verb])[name])


def test_settings_add_up_wherever_they_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments in (
        ["quick", "--set", "epochs=1", "--set", "batch=60", "far=2"],
        ["--set", "epochs=1", "--json", "--set=batch=60", "far=2", "quick"],
        ["quick", "--set", "epochs=1", "batch=60", "--json", "--set", "far=2", "--videos", "v", "--videos", "w"],
    ):
        seen = called("train", arguments, monkeypatch)
        assert (seen["recipe"], seen["set"]) == ("quick", ("epochs=1", "batch=60", "far=2"))


@given(st.lists(st.sampled_from(["--set", "a=1", "--", "--json", "--videos", "-3", "x"]), max_size=8))
def test_what_is_given_once_stays_as_it_is(words: list[str]) -> None:
    if "--" not in words and max((words.count(option) for option in ("--set", "--json")), default=0) < 2:
        assert add_up(VERBS["train"], words) == words
    after = ["--", *words, "--set", "--set"]
    assert add_up(VERBS["train"], after) == after


def test_one_setting_has_one_value(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["--set", "epochs=1", "epochs=2"], ["--set", "epochs=1", "--set", "epochs=2"]):
        for verb in (["train", "quick"], ["reproduce", "no-such-data"]):
            with pytest.raises(SystemExit):
                main([*verb, *arguments])
            assert "--set epochs: given 2 times" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["train", "quick", "--set", "init=random", "--init", "box"])
    assert "--set init: given 2 times" in capsys.readouterr().err

"""What is written stays true: links lead somewhere, and every public name shows how it is used."""

import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

import actor_observer
from actor_observer.cli import main

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
MODULES = [name for _, name, _ in pkgutil.walk_packages(actor_observer.__path__, "actor_observer.")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} points to {target}"


def test_every_page_is_in_the_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text()
    for page in ROOT.glob("docs/*.md"):
        assert page.name == "index.md" or f"({page.name})" in index, f"docs/index.md does not name {page.name}"


@pytest.mark.parametrize("name", MODULES)
def test_modules_say_what_they_are_for(name: str) -> None:
    if name.split(".")[-1] == "__main__":
        return
    module = importlib.import_module(name)
    assert module.__doc__, f"{name} has no docstring"
    for public in getattr(module, "__all__", ()):
        thing = getattr(module, public)
        if inspect.isfunction(thing) and thing.__module__ == name:
            assert thing.__doc__, f"{name}.{public} has no docstring"


@pytest.mark.parametrize("package", ["pairs", "frames", "sampling"])
def test_public_functions_show_an_example(package: str) -> None:
    module = importlib.import_module(f"actor_observer.{package}")
    for public in module.__all__:
        thing = getattr(module, public)
        if inspect.isfunction(thing):
            assert ">>>" in (thing.__doc__ or ""), f"{package}.{public} shows no example"


def commands() -> list[tuple[str, str]]:
    """Every `actor-observer VERB …` that a page tells people to type, with the page's name."""
    lines = [(page.name, line.strip()) for page in PAGES for line in page.read_text().splitlines()]
    shown = [(page, re.sub(r"\s+#.*|\s*\\$", "", line)) for page, line in lines if line.startswith("actor-observer ")]
    return [(page, line.removeprefix("actor-observer ")) for page, line in shown]


def test_commands_in_the_pages_have_the_options_that_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    typed: dict[str, dict[str, str]] = {}  # verb -> option -> a page that names it
    for page, command in commands():
        verb, *words = command.split()
        typed.setdefault(verb, {}).update({word: page for word in words if word.startswith("--")})
    assert len(typed) > 12
    unknown = []
    for verb, options in typed.items():
        with pytest.raises(SystemExit):
            main([verb, "--help"])
        known = set(re.findall(r"--[a-z-]+", capsys.readouterr().out))
        unknown += [
            f"{page}: {verb} {option}" for option, page in options.items() if option not in known and verb != "--help"
        ]
    assert unknown == []

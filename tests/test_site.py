"""The site: every page is in its table of contents, links lead to the repository, examples are shown as code."""

import importlib.util
import re
import sys
import tomllib
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
import yaml

ROOT = Path(__file__).parents[1]


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / "site" / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_page_is_in_the_table_of_contents() -> None:
    listed = re.findall(r": ([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), flags=re.MULTILINE)
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in ROOT.glob("docs/**/*.md")}
    assert set(listed) == pages and len(listed) == len(pages)


@pytest.mark.parametrize(
    ("page", "text", "expected"),
    [
        ("training.md", "[b](../bench/real.py)", "[b](https://host/x/blob/HEAD/bench/real.py)"),
        ("results/robots.md", "[l](../../LICENSE)", "[l](https://host/x/blob/HEAD/LICENSE)"),
        ("results/robots.md", "[r](../results.md#top) [w](https://a.b/c)", "[r](../results.md#top) [w](https://a.b/c)"),
        ("index.md", "[no](../no-such-file)", "[no](../no-such-file)"),  # mkdocs complains about this one
    ],
)
def test_links_out_of_the_docs_lead_to_the_repository(
    page: str, text: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REPOSITORY", "https://host/x.git")
    hooks = script("hooks")
    assert hooks.on_page_markdown(text, SimpleNamespace(file=SimpleNamespace(src_uri=page))) == expected


def test_without_a_repository_the_file_itself_is_linked(monkeypatch: pytest.MonkeyPatch) -> None:
    hooks = script("hooks")
    monkeypatch.setattr(hooks, "repository", lambda: None)
    page = SimpleNamespace(file=SimpleNamespace(src_uri="results/robots.md"))
    assert hooks.on_page_markdown("[l](../../LICENSE)", page) == "[l](../files/LICENSE.txt)"


def test_the_reference_has_every_module_once() -> None:
    hooks = script("hooks")
    modules = [module for modules in hooks.rooms().values() for module in modules]
    assert len(modules) == len(set(modules))
    assert {"actor_observer", "actor_observer.pairs.clock", "actor_observer.model.losses.triplet"} <= set(modules)
    page = hooks.reference("sampling", hooks.rooms()["sampling"])
    assert page.count("members: false") == 1  # of the package itself: its names follow, module by module
    assert "members: false" not in hooks.reference("actor_observer", hooks.rooms()["actor_observer"])


def test_figures_in_tables_stay_on_one_line() -> None:
    unbroken = script("hooks").unbroken
    assert unbroken("| a, b | 1.5 [-1.2, 1.9] | ≥ 75 % |") == "| a, b | 1.5\xa0[-1.2,\xa01.9] | ≥\xa075\xa0% |"
    assert unbroken("In prose 1.5 [1.2, 1.9] may break.") == "In prose 1.5 [1.2, 1.9] may break."


def test_examples_are_fenced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "griffe", SimpleNamespace(Extension=object))  # type: ignore[arg-type]
    fenced = script("examples").fenced
    assert fenced("Add.\n\n>>> 1 + 1\n2\n\nEnd.") == "Add.\n\n```pycon\n>>> 1 + 1\n2\n```\n\nEnd."
    assert fenced("No example.") == "No example."


def test_the_citation_is_of_this_version_and_names_the_paper() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert (citation["version"], citation["license"]) == (project["version"], project["license"])
    (paper,) = citation["references"]
    assert paper["title"].startswith("Actor and Observer") and len(paper["authors"]) == 5 and paper["year"] == 2018


def test_the_packages_of_the_site_are_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert all("==" in requirement for requirement in project["optional-dependencies"]["docs"])


def test_the_site_is_built_strictly() -> None:
    (line,) = re.findall(r"^\t.*mkdocs build.*$", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    assert "--strict" in line and "--quiet" not in line  # quiet drops the warnings before strict can count them

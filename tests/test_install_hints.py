"""There is one way to name an extra: `pip install '.[NAME]'`, in pages and in error messages."""

import re
import tomllib
from pathlib import Path

from actor_observer.errors import missing_extra

ROOT = Path(__file__).parents[1]
EXTRAS = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"])
PAGES = [path for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")) if path.name != "CHANGELOG.md"]
CODE = [path for folder in ("src", "bench", "scripts", "examples") for path in ROOT.glob(f"{folder}/**/*.py")]


def test_every_hint_in_the_pages_names_an_extra_that_there_is() -> None:
    found = [(path.name, said) for path in PAGES for said in re.findall(r"pip install ([^`\n#]*)", path.read_text())]
    known = {".", "'.[NAME]'", *(f"'.[{extra}]'" for extra in EXTRAS)}
    assert len(found) > 5
    assert [(page, said) for page, said in found if said.strip() not in known and not said.startswith(". ")] == []


def test_code_says_it_in_one_place() -> None:
    assert [path.name for path in CODE if "pip install" in path.read_text()] == ["errors.py"]
    said = re.compile(r"""missing_extra\(f?["'][^"']*["'], ["'](\w+)["']\)""")
    named = {extra for path in CODE for extra in said.findall(path.read_text())}
    silent = {"bench", "dev", "docs", "tensorboard"}  # without them no command lacks anything
    assert named == EXTRAS - silent, "an extra that no message names, or a name that is no extra"


def test_the_table_of_extras_is_complete() -> None:
    page = (ROOT / "docs" / "install.md").read_text()
    assert set(re.findall(r"^\| `(\w+)` \|", page, flags=re.MULTILINE)) == EXTRAS
    assert "pip install '.[web]'" in str(missing_extra("the studio", "web"))

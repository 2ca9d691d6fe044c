"""The page on the architecture is true: its rooms are the package's, in import order, and its files exist."""

import re
from pathlib import Path

import pytest

from test_import_order import FLOW, PACKAGE, SIDE

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text()
TABLE = PAGE.partition("| room |")[2].partition("\n\n")[0]
ROOMS = [part for part in FLOW if (PACKAGE / part).is_dir() or (PACKAGE / f"{part}.py").is_file()]
WORDS = ["take", "pair", "clock", "moment", "weight", "quad", "recipe", "φ", "selector", "box", "rate", "run"]


def test_the_table_lists_every_room_in_the_order_of_imports() -> None:
    assert re.findall(r"^\| `(\w+)` \|", TABLE, flags=re.MULTILINE) == ROOMS


def test_rooms_beside_the_flow_are_named() -> None:
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and not path.name.startswith("__")}
    assert all(f"`{name}`" in PAGE for name in folders | set(SIDE))


def test_contributing_has_the_same_order() -> None:
    (line,) = re.findall(r"^`(errors, .*?)`", (ROOT / "CONTRIBUTING.md").read_text(), flags=re.MULTILINE)
    assert [part for part in re.split(r"[^a-z]+", line) if part] == ROOMS


@pytest.mark.parametrize("name", sorted(set(re.findall(r"[a-z_]+/[a-z_/]*(?:\.py)?", PAGE))))
def test_what_is_named_exists(name: str) -> None:
    if name.split("/")[0] != "actor_observer":
        assert (PACKAGE / name).exists(), f"docs/architecture.md names {name}"


def test_the_files_that_decode_are_those_listed() -> None:
    table = PAGE.partition("These files decode")[2].partition("```")[0]
    cells = re.findall(r"^\| (`.*?) \|", table, flags=re.MULTILINE)
    named = {name for cell in cells for name in re.findall(r"`(.*?)`", cell)}
    opening = re.compile(r"\b(open_video|open_media)\(|av\.open\((?!str\(part\))")  # a .part is written, not read
    decoding = {str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py") if opening.search(path.read_text())}
    assert named == decoding - {"pairs/probe.py"}


def test_only_what_meets_the_same_takes_again_keeps_their_features() -> None:
    using = {path.relative_to(PACKAGE).parts[0] for path in PACKAGE.rglob("*.py") if "FeatureCache" in path.read_text()}
    assert using == {"features", "evaluation", "training"}


@pytest.mark.parametrize("word", WORDS)
def test_the_glossary_has_the_words_we_use(word: str) -> None:
    glossary = (ROOT / "docs" / "index.md").read_text().partition("## Glossary")[2]
    assert re.search(rf"^\| \*\*(the )?{word}\*\* \|", glossary, flags=re.MULTILINE)

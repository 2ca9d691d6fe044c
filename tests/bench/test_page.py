"""Sections of the pages of results are replaced without touching their neighbours."""

from pathlib import Path

import pytest

from page import RESULTS, page_of, write_section


def test_a_section_is_replaced_where_it_is_and_nothing_else_changes(tmp_path: Path) -> None:
    page = tmp_path / "robots.md"
    page.write_text("# Robots\n\nProse.\n\n<!-- one -->\nold\n<!-- /one -->\n\nMore.\n<!-- two -->\nx\n<!-- /two -->\n")
    assert write_section("one", "new", "make one", tmp_path) == page
    write_section("two", "| a |\n|---|\n| 2 |", "make two", tmp_path)
    assert page.read_text() == (
        "# Robots\n\nProse.\n\n<!-- one -->\nnew\n\nMade by `make one`.\n<!-- /one -->\n\nMore.\n"
        "<!-- two -->\n| a |\n|---|\n| 2 |\n\nMade by `make two`.\n<!-- /two -->\n"
    )


def test_a_new_section_gets_a_page_of_its_own(tmp_path: Path) -> None:
    for text in ("first", "second"):
        page = write_section("speed", text, "make speed", tmp_path)
        assert page == tmp_path / "speed.md"
        assert page.read_text() == (
            f"# Results: speed\n\n<!-- speed -->\n{text}\n\nMade by `make speed`.\n<!-- /speed -->\n"
        )


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [("No Name", "x", "lower case"), ("one", "a <!-- /one --> b", "own marks"), ("open", "x", "does not end")],
)
def test_what_would_break_the_page_is_refused(tmp_path: Path, name: str, text: str, complaint: str) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- open -->\n")
    with pytest.raises(ValueError, match=complaint):
        write_section(name, text, "make", tmp_path)
    assert page.read_text() == "<!-- open -->\n"
    assert list(tmp_path.iterdir()) == [page]


def test_the_sections_that_benches_write_have_a_page() -> None:
    pages = {"real": "robots", "paper": "paper-recipes", "playhouse": "rendered", "align": "alignment"}
    assert {name: page_of(name).stem for name in pages} == pages


def test_every_section_names_its_command() -> None:
    for page in RESULTS.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        names = [line[5:-4] for line in text.splitlines() if line.startswith("<!-- ") and not line.startswith("<!-- /")]
        assert names, page
        for name in names:
            section = text.partition(f"<!-- {name} -->")[2].partition(f"<!-- /{name} -->")[0]
            assert section.rstrip().splitlines()[-1].startswith("Made by `"), (page, name)

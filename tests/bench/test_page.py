"""Sections of the page of results come and go without touching their neighbours."""

from pathlib import Path

import pytest

from page import PAGE, write_section


def test_a_section_is_made_then_replaced_and_nothing_else_changes(tmp_path: Path) -> None:
    page = tmp_path / "results.md"
    page.write_text("# Results\n\nWords of ours.\n")
    write_section("one", "first", "make one", page)
    write_section("two", "| a |\n|---|\n| 2 |", "make two", page)
    write_section("one", "first, again", "make one", page)
    assert page.read_text() == (
        "# Results\n\nWords of ours.\n\n"
        "<!-- one -->\nfirst, again\n\nMade by `make one`.\n<!-- /one -->\n\n"
        "<!-- two -->\n| a |\n|---|\n| 2 |\n\nMade by `make two`.\n<!-- /two -->\n"
    )


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [("No Name", "x", "small letters"), ("one", "a <!-- /one --> b", "own marker"), ("open", "x", "does not end")],
)
def test_what_would_break_the_page_is_refused(tmp_path: Path, name: str, text: str, complaint: str) -> None:
    page = tmp_path / "results.md"
    page.write_text("<!-- open -->\n")
    with pytest.raises(ValueError, match=complaint):
        write_section(name, text, "make", page)
    assert page.read_text() == "<!-- open -->\n"


def test_every_section_of_the_page_names_its_command() -> None:
    text = PAGE.read_text(encoding="utf-8")
    names = [line[5:-4] for line in text.splitlines() if line.startswith("<!-- ") and not line.startswith("<!-- /")]
    assert names
    for name in names:
        section = text.partition(f"<!-- {name} -->")[2].partition(f"<!-- /{name} -->")[0]
        assert section.rstrip().splitlines()[-1].startswith("Made by `")

"""docs/results.md is made of sections, and each is written by the command that measured it."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["PAGE", "write_section"]

PAGE = Path(__file__).parent.parent / "docs" / "results.md"


def write_section(name: str, markdown: str, command: str, page: Path = PAGE) -> None:
    """Put text between `<!-- name -->` and `<!-- /name -->`, at the end of the page if it has no such place yet.

    The section ends with the command that made it.
    """
    if not re.fullmatch(r"[a-z][a-z0-9-]*", name):
        raise ValueError(f"a section's name is a word of small letters, not {name!r}")
    start, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    if start in markdown or end in markdown:
        raise ValueError(f"the text of section {name!r} holds its own marker")
    section = f"{start}\n{markdown.strip()}\n\nMade by `{command}`.\n{end}"
    text = page.read_text(encoding="utf-8") if page.exists() else "# Results\n"
    before, found, rest = text.partition(start)
    if not found:
        page.write_text(f"{text.rstrip()}\n\n{section}\n", encoding="utf-8")
        return
    _, closed, after = rest.partition(end)
    if not closed:
        raise ValueError(f"{page}: section {name!r} begins but does not end; put {end} where it should")
    page.write_text(before + section + after, encoding="utf-8")

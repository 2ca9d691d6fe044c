"""Sections of the pages in docs/results/, each written by the command that measured it."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["RESULTS", "page_of", "write_section"]

RESULTS = Path(__file__).parent.parent / "docs" / "results"


def page_of(name: str, folder: Path = RESULTS) -> Path:
    """The page that holds a section; if none does, a page of the section's own name."""
    for page in sorted(folder.glob("*.md")):
        if f"<!-- {name} -->" in page.read_text(encoding="utf-8"):
            return page
    return folder / f"{name}.md"


def write_section(name: str, markdown: str, command: str, folder: Path = RESULTS) -> Path:
    """Put text between `<!-- name -->` and `<!-- /name -->` on the page that has these marks; returns the page.

    A section that is on no page yet gets a page of its own. It ends with the command that made it.
    """
    if not re.fullmatch(r"[a-z][a-z0-9-]*", name):
        raise ValueError(f"a section's name is one word in lower case, not {name!r}")
    start, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    if start in markdown or end in markdown:
        raise ValueError(f"the text of section {name!r} contains the section's own marks")
    section = f"{start}\n{markdown.strip()}\n\nMade by `{command}`.\n{end}"
    page = page_of(name, folder)
    text = page.read_text(encoding="utf-8") if page.exists() else f"# Results: {name}\n\n{start}\n{end}\n"
    before, _, rest = text.partition(start)
    _, closed, after = rest.partition(end)
    if not closed:
        raise ValueError(f"{page}: section {name!r} begins but does not end; put {end} where it should")
    page.write_text(before + section + after, encoding="utf-8")
    return page

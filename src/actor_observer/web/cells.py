"""Text that people typed, as a cell of a CSV file that somebody will open in a spreadsheet."""

from __future__ import annotations

__all__ = ["plain"]


def plain(text: str) -> str:
    """The text, with a quote before it where a spreadsheet would take it for a formula and run it.

    >>> plain("=HYPERLINK(1)"), plain("a kitchen"), plain("-")
    ("'=HYPERLINK(1)", 'a kitchen', "'-")
    """
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text

"""Show a docstring's examples as code: Markdown would take `>>>` for a quotation."""

from __future__ import annotations

from typing import Any

import griffe


def fenced(text: str) -> str:
    r"""Put a fence around each example, from its first `>>>` to the next empty line.

    >>> print(fenced("Add.\n\n>>> 1 + 1\n2\n\nThat is all.").replace("`", "'"))
    Add.
    <BLANKLINE>
    '''pycon
    >>> 1 + 1
    2
    '''
    <BLANKLINE>
    That is all.
    """
    lines: list[str] = []
    inside = False
    for line in [*text.splitlines(), ""]:
        if line.lstrip().startswith(">>>") and not inside:
            lines, inside = [*lines, "```pycon"], True
        elif inside and not line.strip():
            lines, inside = [*lines, "```"], False
        lines.append(line.strip() if inside and line.lstrip().startswith((">>>", "...")) else line)
    return "\n".join(lines[:-1])


class Examples(griffe.Extension):
    """Applies `fenced` to every docstring that mkdocstrings collects."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        """Rewrite one object's docstring."""
        if obj.docstring and ">>>" in obj.docstring.value:
            obj.docstring.value = fenced(obj.docstring.value)

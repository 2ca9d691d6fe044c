"""The list of scripts: from a CSV of text and classes, or from Charades' own."""

from __future__ import annotations

import re
from pathlib import Path

from actor_observer.errors import UserError
from actor_observer.pairs.table import parse_actions, read_table
from actor_observer.web.settings import ScriptRow

__all__ = ["read_class_names", "read_scripts"]

LONGEST = 2000  # characters of a script


def read_scripts(path: Path) -> tuple[ScriptRow, ...]:
    """Scripts with their classes: columns `text` and `classes` (`c001;c002`), or Charades' `script` and `actions`.

    >>> read_scripts(Path("no-such.csv"))
    Traceback (most recent call last):
    actor_observer.errors.UserError: no-such.csv: no such file
    """
    rows = read_table(path)
    if not rows:
        raise UserError(f"{path}: no scripts below its header")
    column = next((name for name in ("text", "script") if name in rows[0]), None)
    if column is None:
        raise UserError(f"{path}: needs a column text (or script, as Charades has it); it has {', '.join(rows[0])}")
    found: dict[str, ScriptRow] = {}
    for row in rows:
        text = " ".join(row[column].split())[:LONGEST]
        if text:
            found.setdefault(text, ScriptRow(text, _classes(row), row.get("objects", "")))
    return tuple(found.values())


def read_class_names(path: Path) -> dict[str, str]:
    """Names of classes from the `classes.txt` beside a file of scripts: `c001 Opening a door` on each line.

    >>> read_class_names(Path("no-such-folder") / "scripts.csv")
    {}
    """
    names: dict[str, str] = {}
    for name in ("classes.txt", "Charades_v1_classes.txt"):
        place = path.parent / name
        if place.is_file():
            for line in place.read_text(encoding="utf-8", errors="replace").splitlines():
                label, _, rest = line.strip().partition(" ")
                if label:
                    names.setdefault(label, rest.strip() or label)
    return names


def _classes(row: dict[str, str]) -> tuple[str, ...]:
    if row.get("classes"):
        parts = re.split(r"[;,]", row["classes"])
        return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))
    actions, _ = parse_actions(row.get("actions", ""))
    return tuple(dict.fromkeys(action.label for action in actions))

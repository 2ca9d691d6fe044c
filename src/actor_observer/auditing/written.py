"""An audit as files: audit.csv for people and spreadsheets, audit.json for programs and the studio."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

from actor_observer.auditing.audit import Audit
from actor_observer.disk import write_whole
from actor_observer.errors import UserError

__all__ = ["COLUMNS", "write_files"]

COLUMNS = ("take", "kind", "severity", "recordings", "offset", "error", "start", "end", "takes", "text")


def write_files(found: Audit, folder: Path) -> list[Path]:
    """Write both into a folder; what was written is returned.

    >>> import tempfile
    >>> [path.name for path in write_files(Audit("DATA", (), {}, ()), Path(tempfile.mkdtemp()))]
    ['audit.csv', 'audit.json']
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in found.rows():
        plain = {name: " ".join(value) if isinstance(value, list) else value for name, value in row.items()}
        writer.writerow({name: _harmless(value) for name, value in plain.items()})
    contents = {
        "audit.csv": text.getvalue(),
        "audit.json": json.dumps(found.to_dict(), indent=1, ensure_ascii=False) + "\n",
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            write_whole(folder / name, content.encode())
    except OSError as error:
        raise UserError(f"{folder}: cannot be written ({error.strerror or error})") from error
    return [folder / name for name in contents]


def _harmless(value: object) -> object:
    """A cell that no spreadsheet takes for a formula.

    >>> _harmless("=1+1"), _harmless(-0.5), _harmless(None)
    ("'=1+1", -0.5, '')
    """
    if value is None:
        return ""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@") else value

"""Everything of a studio in one file, and back."""

from __future__ import annotations

import json
import tempfile
import zipfile
from pathlib import Path

from actor_observer.errors import UserError
from actor_observer.web.store.database import FILE, Database

__all__ = ["write_backup"]

LEFT_OUT = ("cache", "uploads", "tables")  # can be made again, is not whole, or is of an older backup
TABLES = (
    "people",
    "marks",
    "hand_clocks",
    "queue",
    "queue_turns",
    "reviews",
    "tags",
    "views",
    "studies",
    "study_tasks",
    "study_answers",
    "scripts",
    "assignments",
    "consents",
    "recordings",
)


def write_backup(keep: Path, out: Path) -> int:
    """A zip of the database, the recordings and every table as JSON, also while the studio runs; returns its files.

    >>> write_backup(Path("no-such-studio"), Path("backup.zip"))
    Traceback (most recent call last):
    actor_observer.errors.UserError: no-such-studio: no studio there
    """
    if not (keep / FILE).is_file():
        raise UserError(f"{keep}: no studio there")
    part = out.with_name(out.name + ".part")
    try:
        with tempfile.TemporaryDirectory() as place, zipfile.ZipFile(part, "w", zipfile.ZIP_STORED) as bundle:
            copy = Path(place) / FILE
            running = Database(keep)
            running.copy_to(copy)
            running.close()
            bundle.write(copy, FILE)
            database = Database(Path(place))
            for table in TABLES:
                rows = [dict(row) for row in database.read(f"SELECT * FROM {table}")]
                bundle.writestr(f"tables/{table}.json", json.dumps(rows, indent=1, ensure_ascii=False))
            database.close()
            for path in sorted(keep.rglob("*")):
                inside = path.relative_to(keep)
                kept = path.is_file() and inside.parts[0] not in LEFT_OUT and not path.name.startswith(FILE)
                if kept and path.suffix not in (".part", ".pem"):
                    bundle.write(path, inside.as_posix())
            count = len(bundle.namelist())
        part.replace(out)
    except OSError as error:
        raise UserError(f"{out}: cannot be written ({error.strerror or error})") from None
    finally:
        part.unlink(missing_ok=True)
    return count

"""Write a data set's tables again, for recordings that lie elsewhere now."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path

from actor_observer.disk import write_whole
from actor_observer.errors import UserError
from actor_observer.pairs.manifest import VIEWS, Manifest
from actor_observer.pairs.table import read_table

__all__ = ["write_moved"]

BESIDE = (".csv", ".txt", ".json")  # what may belong to a data set besides its recordings
LARGEST = 64 << 20  # bytes; anything larger is something else


def write_moved(data: Path, manifest: Manifest, out: Path, places: Mapping[str, str]) -> None:
    """Copy the tables of DATA into the folder `out`. `places` says where each take (by id) is, relative to it.

    A `pairs.csv` names its recordings, so its cells change; Charades' files name ids, which stay as they are.

    >>> import tempfile
    >>> data, out = Path(tempfile.mkdtemp()), Path(tempfile.mkdtemp())
    >>> _ = (data / "classes.txt").write_text("c000 Sit")
    >>> write_moved(data, Manifest({}), out, {})
    >>> [path.name for path in out.iterdir()]
    ['classes.txt']
    """
    folder = data if data.is_dir() else data.parent
    if out.resolve() == folder.resolve():
        raise UserError(f"{out}: is the data set itself; use another --out")
    named = data if data.is_file() else folder / "pairs.csv"
    for file in sorted(folder.iterdir()):
        if (
            file.name.startswith(".")
            or file.suffix.lower() not in BESIDE
            or not file.is_file()
            or file.stat().st_size > LARGEST
        ):
            continue
        if file == named and "third" in (rows := read_table(file) or [{}])[0]:
            write_whole(out / "pairs.csv", _moved(rows, folder, manifest, places))
        elif file.name != "pairs.csv":
            write_whole(out / file.name, file.read_bytes())


def _moved(rows: list[dict[str, str]], folder: Path, manifest: Manifest, places: Mapping[str, str]) -> bytes:
    """The rows with the new places; a recording that could not be read keeps its cell, and is missed there too."""
    ids = {(take.view, str(take.path)): id for id, take in manifest.takes.items()}
    for row in rows:
        for view in VIEWS:
            id = ids.get((view, str(folder / row[view]))) if row.get(view) else None
            row[view] = places.get(id, row[view]) if id else row.get(view, "")
        if "frame_rate" in row:
            row["frame_rate"] = ""  # fps.txt says it
    text = io.StringIO()
    writer = csv.DictWriter(text, [*rows[0]], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()

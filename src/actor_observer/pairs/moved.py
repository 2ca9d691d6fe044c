"""Write a data set's tables again, for recordings that lie elsewhere now."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from actor_observer.disk import write_whole
from actor_observer.errors import UserError
from actor_observer.pairs.manifest import VIEWS, Manifest, Take
from actor_observer.pairs.table import columns_of, read_table

__all__ = ["write_moved"]

BESIDE = (".csv", ".txt", ".json")  # what may belong to a data set besides its recordings
LARGEST = 64 << 20  # bytes; anything larger is something else


def write_moved(data: Path, manifest: Manifest, out: Path, places: Mapping[str, str]) -> None:
    """Copy the tables of DATA into the folder `out`. `places` says where each take (by id) is, relative to it.

    A `pairs.csv` names its recordings, so its cells change; Charades' files name ids, which stay as they are. Of any
    other kind of data set, a `pairs.csv` says what was read.

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
    if manifest.takes and not any("id" in columns_of(file) for file in folder.glob("*.csv")):
        write_whole(out / "pairs.csv", _as_csv(_listed(manifest, places)))


def _listed(manifest: Manifest, places: Mapping[str, str]) -> list[dict[str, str]]:
    """A row for each pair in which one person acts, and for each take without one."""
    pairs = [(pair.id, [pair.third, pair.first], str(pair.clock)) for pair in manifest.pairs if pair.same_person]
    paired = {id for _, ids, _ in pairs for id in ids}
    pairs += [(id, [id], "") for id in manifest.takes if id not in paired]
    return [_row(id, [manifest.takes[take] for take in ids], clock, places) for id, ids, clock in pairs]


def _row(id: str, takes: Sequence[Take], clock: str, places: Mapping[str, str]) -> dict[str, str]:
    one = takes[0]  # of a pair, the third-person take, in whose time a row's actions are
    actions = (f"{act.label.replace(';', ',')} {act.start:.3f} {act.end:.3f}" for act in one.actions)
    there = {take.view: places.get(take.id, "") for take in takes}
    facts = {"subject": one.subject, "script": one.script, "scene": one.scene, "split": one.split or ""}
    return {
        "id": id,
        **{view: there.get(view, "") for view in VIEWS},
        **facts,
        "actions": ";".join(actions),
        "clock": clock,
    }


def _moved(rows: list[dict[str, str]], folder: Path, manifest: Manifest, places: Mapping[str, str]) -> bytes:
    """The rows with the new places; a recording that could not be read keeps its cell, and is missed there too."""
    ids = {(take.view, str(take.path)): id for id, take in manifest.takes.items()}
    for row in rows:
        for view in VIEWS:
            id = ids.get((view, str(folder / row[view]))) if row.get(view) else None
            row[view] = places.get(id, row[view]) if id else row.get(view, "")
        if "frame_rate" in row:
            row["frame_rate"] = ""  # fps.txt says it
    return _as_csv(rows)


def _as_csv(rows: Sequence[Mapping[str, str]]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, [*rows[0]], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()

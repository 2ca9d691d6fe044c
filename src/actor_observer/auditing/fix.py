"""Write what an audit corrected: clocks as a pairs.csv, or a LeRobot data set whose cameras are in step."""

from __future__ import annotations

import csv
import io
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from actor_observer.auditing.audit import Audit
from actor_observer.auditing.clocks import Late, late_cameras, offset_of
from actor_observer.auditing.measuring.events import Event
from actor_observer.console import counted
from actor_observer.disk import write_whole
from actor_observer.errors import UserError
from actor_observer.pairs.lerobot.layout import INFO, read_layout
from actor_observer.pairs.lerobot.shift import write_shifted
from actor_observer.pairs.table import path_in_csv

__all__ = ["check_fix", "write_fixed"]

COLUMNS = ("id", "third", "first", "subject", "script", "clock")


def write_fixed(found: Audit, data: Path, out: Path, force: bool = False, copy: bool = False) -> list[str]:
    """Write corrected clocks into a folder that is a data set itself; a line for each thing that was done.

    The data set is never touched. Of LeRobot v3 a copy is made, its windows moved by whole frames, its videos linked
    (`copy`: copied); of v2 a table of offsets; of all others, and of v2, a pairs.csv with the clocks.
    """
    told = late_cameras(found)
    check_fix(data, out, force)
    _clear(out)
    said = []
    if (data / INFO).is_file():
        late = {key: one.seconds for key, one in told.items()}
        done = write_shifted(data, out, late, copy)
        said.append(f"{done.path}: {counted(len(done.moved), 'camera')} moved")
        left = [one for one in done.moved if abs(one.remainder) > 1e-4]
        if left:
            most = max(abs(one.remainder) for one in left)
            said.append(f"{out}: whole frames only; up to {most:.3f} s are left")
        said += [f"{name}: {counted(rows, 'row')} shorter" for name, rows in done.shortened.items()]
        said += [str(fault) for fault in done.refused]
        if read_layout(data).joined:
            return said
    try:
        out.mkdir(parents=True, exist_ok=True)
        write_whole(out / "pairs.csv", _pairs(found, told, out).encode())
    except OSError as error:
        raise UserError(f"{out}: cannot be written ({error.strerror or error})") from error
    return [*said, f"{out / 'pairs.csv'}: {counted(len(told), 'camera')} corrected"]


def check_fix(data: Path, out: Path, force: bool) -> None:
    """Refuse the data set itself, and what is there already; `force` lets what an earlier fix wrote be written over.

    >>> check_fix(Path(), Path(), force=True)
    Traceback (most recent call last):
    actor_observer.errors.UserError: .: the data set is never written to; choose another --fix
    """
    home = (data if data.is_dir() else data.parent).resolve()
    if out.resolve() == home or (home in out.resolve().parents and (data / INFO).is_file()):
        raise UserError(f"{out}: the data set is never written to; choose another --fix")
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    ours = out.is_dir() and ((out / INFO).is_file() or (out / "pairs.csv").is_file())
    if not force or not ours:
        hint = "choose another --fix, or say --force" if ours else "it is not what --fix wrote; choose another --fix"
        raise UserError(f"{out}: there is something already; {hint}")


def _clear(out: Path) -> None:
    """Remove what an earlier fix wrote."""
    if (out / INFO).is_file():
        shutil.rmtree(out)
    else:
        for name in ("pairs.csv", "offsets.csv"):
            (out / name).unlink(missing_ok=True)


def _pairs(found: Audit, told: Mapping[tuple[str, str], Late], out: Path) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    crossed = {one.take for one in found.findings if one.kind == "exchanged"}
    for line in found.lines:
        event = found.events.get(line["id"])
        if event is None:
            continue
        views: dict[str, list[str]] = {"third": [], "first": []}
        for name, take in event.cameras:
            if name in line["cameras"]:
                views[take.view].append(name)
        for third in views["third"]:
            for first in views["first"]:
                more = [name for name, some in ((third, views["third"]), (first, views["first"])) if len(some) > 1]
                by = offset_of(told, event.id, third, first)
                writer.writerow(_row(event, ".".join((event.id, *more)), third, first, by, out, event.id in crossed))
    return text.getvalue()


def _row(event: Event, id: str, third: str, first: str, late: float, out: Path, crossed: bool) -> dict[str, Any]:
    """A pair with its corrected clock; cameras that were exchanged are put back."""
    takes = dict(event.cameras)
    stated = event.stated(third, first)
    anchors = [(float(stated.to_third(end)) + late, end) for end in (0.0, takes[first].length)]
    paths = [path_in_csv(os.path.relpath(takes[name].path.absolute(), out.absolute())) for name in (third, first)]
    if crossed:
        paths, anchors = paths[::-1], [(b, a) for a, b in anchors]
    clock = ";".join(f"{a:.4f}:{b:.4f}" for a, b in anchors)
    subject, script = takes[third].subject or takes[first].subject, takes[third].script or takes[first].script
    return dict(zip(COLUMNS, (id, *paths, subject, script, clock), strict=True))

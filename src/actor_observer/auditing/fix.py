"""Write what an audit corrected: the clocks of all pairs as a pairs.csv beside which every command works again."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from actor_observer.auditing.audit import Audit
from actor_observer.auditing.events import Event
from actor_observer.auditing.judge_offsets import SURE
from actor_observer.disk import write_whole
from actor_observer.errors import UserError
from actor_observer.pairs.table import path_in_csv

__all__ = ["corrections", "write_fixed"]

COLUMNS = ("id", "third", "first", "subject", "script", "clock")
OFFSETS = ("take", "one", "other", "offset", "error", "why")


def corrections(found: Audit) -> dict[tuple[str, str, str], tuple[float, float, str]]:
    """For each take and two of its recordings: seconds by which one is late, the error, and why it is believed.

    A take that differs has its own offset; the others the one that all share, where it is a finding; else none.
    """
    shared = {one.recordings: one for one in found.findings if one.kind == "shared delay"}
    own = {(one.take, *one.recordings): one for one in found.findings if one.kind == "late"}
    told: dict[tuple[str, str, str], tuple[float, float, str]] = {}
    for line in found.lines:
        for two in line["offsets"]:
            names = two["one"], two["other"]
            key = (line["id"], *names)
            if key in own:
                told[key] = two["lag"], two["error"], "this take's own"
            elif names in shared and two["confidence"] >= SURE:
                told[key] = found.usuals[names].delay, found.usuals[names].error, "shared by all takes"
            else:
                told[key] = 0.0, two["error"], "as stated"
    return told


def write_fixed(found: Audit, data: Path, out: Path, force: bool = False) -> list[Path]:
    """Write pairs.csv and offsets.csv into a folder; what was written is returned. The data set is not touched."""
    if out.exists() and not force and (not out.is_dir() or any(out.iterdir())):
        raise UserError(f"{out}: there is something already; choose another --fix, or say --force")
    home = data if data.is_dir() else data.parent
    if out.resolve() == home.resolve():
        raise UserError(f"{out}: this is the data set itself, which is never written to; choose another --fix")
    told = corrections(found)
    files = {"pairs.csv": _pairs(found, told, out), "offsets.csv": _offsets(told)}
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            write_whole(out / name, content.encode())
    except OSError as error:
        raise UserError(f"{out}: cannot be written ({error.strerror or error})") from error
    return [out / name for name in files]


def _pairs(found: Audit, told: Mapping[tuple[str, str, str], tuple[float, float, str]], out: Path) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    crossed = {one.take for one in found.findings if one.kind == "exchanged"}
    for line in found.lines:
        event = found.events.get(line["id"])
        if event is None:
            continue
        thirds = [name for name, take in event.cameras if take.view == "third" and name in line["cameras"]]
        firsts = [name for name, take in event.cameras if take.view == "first" and name in line["cameras"]]
        for third in thirds:
            for first in firsts:
                more = [name for name, some in ((third, thirds), (first, firsts)) if len(some) > 1]
                by = told.get((event.id, third, first), (0.0, 0.0, ""))[0]
                writer.writerow(_row(event, ".".join((event.id, *more)), third, first, by, out, event.id in crossed))
    return text.getvalue()


def _row(event: Event, id: str, third: str, first: str, late: float, out: Path, crossed: bool) -> dict[str, Any]:
    """A pair with its corrected clock; cameras that were exchanged are put back."""
    takes = dict(event.cameras)
    stated = event.stated(third, first)
    ends = (0.0, takes[first].length)
    clock = ";".join(f"{float(stated.to_third(end)) + late:.4f}:{end:.4f}" for end in ends)
    paths = [path_in_csv(os.path.relpath(takes[name].path.absolute(), out.absolute())) for name in (third, first)]
    if crossed:
        paths = paths[::-1]
        clock = ";".join(":".join(reversed(anchor.split(":"))) for anchor in clock.split(";"))
    subject, script = takes[third].subject or takes[first].subject, takes[third].script or takes[first].script
    return dict(zip(COLUMNS, (id, *paths, subject, script, clock), strict=True))


def _offsets(told: Mapping[tuple[str, str, str], tuple[float, float, str]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(OFFSETS)
    for (take, one, other), (late, error, why) in told.items():
        writer.writerow((take, one, other, f"{late:.4f}", f"{error:.4f}", why))
    return text.getvalue()

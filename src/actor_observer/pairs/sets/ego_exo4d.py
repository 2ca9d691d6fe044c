"""Read Ego-Exo4D as it is downloaded: `takes.json`, and each take's frame-aligned videos, in full size or in 448."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from actor_observer.errors import UserError, first_line
from actor_observer.pairs.events import in_step, pairs_of_events
from actor_observer.pairs.manifest import Fault, Split, View
from actor_observer.pairs.media import Draft, settle
from actor_observer.pairs.reader import Asked, Reader, Recorded
from actor_observer.pairs.table import is_safe_id

__all__ = ["READER"]

LIST = "takes.json"
ALIGNED = "frame_aligned_videos"
SMALL = "downscaled/448"  # taken where there are both: as much as a network looks at, and quick to decode
ABOUT = ("participant_uid", "physical_setting_name", "task_name")  # subject, scene, script
MOST_BYTES = 1 << 30  # of a JSON file, which is read whole
CAMERAS: tuple[tuple[str, View], ...] = ((r"aria\d+_214-1", "first"), (r"(cam|gp)\d+", "third"))
_SPLITS: dict[str, Split] = {"train": "train", "val": "validation", "test": "test"}


def _tables(place: Path) -> list[Path]:
    found = place / LIST if place.is_dir() else place
    return [found] if found.name == LIST and found.is_file() else []


def _read(tables: Sequence[Path], asked: Asked) -> Recorded:
    rows, folder, splits = _list_of(tables[0]), tables[0].parent, _splits(tables[0].parent)
    drafts: list[Draft] = []
    faults: list[Fault] = []
    missing = 0
    for number, row in enumerate(rows):
        name, root = row.get("take_name"), str(row.get("root_dir") or f"takes/{row.get('take_name')}")
        if not isinstance(name, str) or not is_safe_id(name):
            faults.append(Fault(f"{tables[0]} take {number}", f"{str(name)[:40]!r} cannot be a take's name", True))
        elif PurePosixPath(root).is_absolute() or ".." in PurePosixPath(root).parts:
            faults.append(Fault(f"{tables[0]}: {name}", f"root_dir {root[:80]!r} leaves the data set's folder", True))
        elif not (folder / root / ALIGNED).is_dir():
            missing += 1
        else:
            some = [*_drafts(folder / root, name, row, splits)]
            drafts += some
            faults += [Fault(str(folder / root / ALIGNED), f"no {lacks} in it") for lacks in _lacking(some)]
    takes, more = settle(drafts)
    if not drafts and not faults:
        raise UserError(f"{folder}: none of the {len(rows)} takes of {LIST} has videos here (takes/NAME/{ALIGNED})")
    notes = [f"{missing} of the {len(rows)} takes of {LIST} have no videos here"] if missing else []
    return Recorded(takes, pairs_of_events(takes.values(), in_step), [*faults, *more], notes)


def _drafts(folder: Path, name: str, row: Mapping[str, Any], splits: Mapping[str, Split]) -> Iterator[Draft]:
    """The takes of one event, by the names of their files."""
    place = folder / ALIGNED / SMALL if any((folder / ALIGNED / SMALL).glob("*.mp4")) else folder / ALIGNED
    subject, scene, script = ("" if row.get(key) is None else str(row[key]) for key in ABOUT)
    for path in sorted(place.glob("*.mp4")):
        view = next((view for pattern, view in CAMERAS if re.fullmatch(pattern, path.stem)), None)
        if view is not None:
            split = splits.get(str(row.get("take_uid")))
            yield Draft(f"{name}.{path.stem}", view, path, subject, scene, script, split=split, event=name)


def _lacking(drafts: Sequence[Draft]) -> list[str]:
    views = {draft.view for draft in drafts}
    names = {"first": "head camera's video (ariaNN_214-1.mp4)", "third": "other camera's video (camNN.mp4, gpNN.mp4)"}
    return [name for view, name in names.items() if view not in views]


def _list_of(path: Path) -> list[dict[str, Any]]:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise UserError(f"{path}: too large to be a list of takes")
        rows = json.loads(path.read_bytes())
    except (ValueError, RecursionError, OSError) as error:
        raise UserError(f"{path}: not a list of takes ({first_line(error)[:80]})") from None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows) or not rows:
        raise UserError(f"{path}: not a list of takes")
    return rows


def _splits(folder: Path) -> dict[str, Split]:
    """The published splits, by a take's uid, where they were downloaded too."""
    try:
        told = json.loads((folder / "annotations" / "splits.json").read_bytes())["take_uid_to_split"]
        return {str(uid): _SPLITS[split] for uid, split in told.items() if split in _SPLITS}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


READER = Reader("Ego-Exo4D (takes.json)", _tables, _read)

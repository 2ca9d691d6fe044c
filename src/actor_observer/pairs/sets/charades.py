"""Read Charades-Ego (v1, v0, and the one-view files) and Charades, as published."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from actor_observer.errors import UserError
from actor_observer.pairs.clock import Clock
from actor_observer.pairs.manifest import Fault, Pair, Split, View
from actor_observer.pairs.media import Draft, find_media, settle
from actor_observer.pairs.people import different_person_pair
from actor_observer.pairs.reader import Asked, Reader, Recorded
from actor_observer.pairs.table import columns_of, is_safe_id, parse_actions, parse_length, read_table

__all__ = ["READER", "Recordings", "charades_files", "read_charades"]

EGO = "EGO"  # a first-person take's id is the third-person id + EGO
_NAME = re.compile(
    r"(?P<set>charades(ego)?)_v\d+_(?P<ego>egocentric_)?(?P<split>train|test)(?P<only>_only(1st|3rd))?\.csv",
    re.IGNORECASE,
)


@dataclass
class Recordings:
    """What the rows say: takes to look for, ids of third- and first-person takes that form pairs, and faults."""

    drafts: list[Draft] = field(default_factory=list)
    same_person: list[tuple[str, str]] = field(default_factory=list)  # (third id, first id)
    different_persons: list[tuple[str, str]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def charades_files(folder: Path) -> list[Path]:
    """The annotation files of a folder. A one-view file (`_only1st`, `_only3rd`) counts only without its full file.

    >>> charades_files(Path("no-such-folder"))
    []
    """
    names = {path.name: _NAME.fullmatch(path.name) for path in sorted(folder.glob("*.csv"))}
    full = {(m["set"], m["split"]) for m in names.values() if m and not m["only"] and not m["ego"]}
    wanted = [name for name, m in names.items() if m and (not m["only"] or (m["set"], m["split"]) not in full)]
    return [folder / name for name in wanted]


def read_charades(files: Sequence[Path], media: Mapping[str, Path]) -> Recordings:
    """Rows of all files as drafts of takes, joined with the recordings on disk."""
    result = Recordings()
    rows: dict[str, dict[str, str]] = {}
    # Test rows first: an id that is in both files stays out of training. Of v0's test files the one with the labels
    # of first-person videos comes first; the other has many of their rows too, blank.
    for path in sorted(files, key=lambda path: (_split_of(path) != "test", not _is_egocentric(path))):
        for number, row in enumerate(read_table(path, required=("id",)), start=2):
            id = row["id"]
            if _is_egocentric(path) and id and not id.endswith(EGO):
                id = row["id"] = id + EGO
            place = f"{path.name} line {number}"
            if not is_safe_id(id):
                result.faults.append(Fault(place, f"{id!r} cannot be an id", left_out=True))
            elif id in rows and rows[id]["egocentric file"] and _split_of(path) == "test":
                rows[id] = {**row, **{name: value for name, value in rows[id].items() if value}}
            elif id in rows:
                other = rows[id]["place"]
                result.faults.append(Fault(place, f"id {id} appears twice, first in {other}", left_out=True))
            else:
                labelled = "yes" if _is_egocentric(path) else ""
                rows[id] = row | {"place": place, "split": _split_of(path), "set": _set_of(path)}
                rows[id]["egocentric file"] = labelled
    _add_unlisted(rows, media)
    _inherit(rows)
    for id, row in rows.items():
        _add_take(result, id, row, media)
    _join(result, rows, media)
    return result


def _add_unlisted(rows: dict[str, dict[str, str]], media: Mapping[str, Path]) -> None:
    """Add takes that are only known from their video on disk: v0 lists few first-person ids."""
    for id, row in list(rows.items()):
        other = id.removesuffix(EGO) if id.endswith(EGO) else id + EGO
        if other not in rows and other in media and row["set"] == "charadesego":
            rows[other] = {"id": other, "place": row["place"], "split": row["split"], "set": row["set"]}


def _inherit(rows: dict[str, dict[str, str]]) -> None:
    """Fill subject, scene and script of blank rows from the other view of their pair."""
    for id, row in rows.items():
        other = rows.get(id.removesuffix(EGO) if id.endswith(EGO) else id + EGO, {})
        for column in ("subject", "scene", "script", "charades_video"):
            row[column] = row.get(column) or other.get(column, "")


def _add_take(result: Recordings, id: str, row: Mapping[str, str], media: Mapping[str, Path]) -> None:
    if id not in media:
        if row.get("actions") or row.get("length"):  # v0 has many blank rows without a recording
            result.faults.append(Fault(f"{row['place']}: {id}", "no video or folder of frames of this id", True))
        return
    view: View = "first" if id.endswith(EGO) else "third"
    actions, complaints = parse_actions(row.get("actions", ""))
    stated = row.get("egocentric", "").lower()
    if stated in ("yes", "no") and (stated == "yes") != (view == "first"):
        complaints.append(f"egocentric says {stated}, the id says {view} person; the id is used")
    split: Split = "test" if row["split"] == "test" else "train"
    draft = Draft(id, view, media[id], row["subject"], row["scene"], row["script"], split=split)
    length = parse_length(row.get("length", ""))
    if length is None and row.get("length"):
        complaints.append(f"a length of {row['length'][:20]!r} cannot be; the file's is used")
    result.drafts.append(replace(draft, length=length, actions=tuple(actions), complaints=tuple(complaints)))


def _join(result: Recordings, rows: Mapping[str, Mapping[str, str]], media: Mapping[str, Path]) -> None:
    """Pairs: ID with IDEGO, and IDEGO with the Charades video its script comes from (another actor's)."""
    known = {draft.id for draft in result.drafts}
    missing: set[str] = set()
    for id in sorted(id for id in known if id.endswith(EGO)):
        third, other = id.removesuffix(EGO), rows[id]["charades_video"]
        if third in known:
            result.same_person.append((third, id))
        if not other or other == third:
            continue
        if other not in known and other in media and is_safe_id(other):
            # On disk without a Charades row: who acts is unknown, but it is not this actor.
            split: Split = "test" if rows[id]["split"] == "test" else "train"
            result.drafts.append(Draft(other, "third", media[other], script=rows[id]["script"], split=split))
            known.add(other)
        if other in known:
            result.different_persons.append((other, id))
        else:
            missing.add(other)
    if missing:
        result.notes.append(
            f"{len(missing)} Charades videos named in charades_video are not on disk; "
            "add their folder with --videos to get those different-person pairs"
        )


def _split_of(path: Path) -> str:
    match = _NAME.fullmatch(path.name)
    return match["split"].lower() if match else ("test" if "test" in path.name.lower() else "train")


def _set_of(path: Path) -> str:
    match = _NAME.fullmatch(path.name)
    return match["set"].lower() if match else "charadesego"


def _is_egocentric(path: Path) -> bool:
    """Whether all rows of a file are first-person videos (`CharadesEgo_v0_egocentric_test.csv`)."""
    match = _NAME.fullmatch(path.name)
    return bool(match and match["ego"])


def _tables(place: Path) -> list[Path]:
    """The annotation files of a folder; or a CSV file of any name with rows of single takes."""
    if place.is_dir():
        return charades_files(place)
    return [place] if place.suffix.lower() == ".csv" and "id" in columns_of(place) else []


def _read(tables: Sequence[Path], asked: Asked) -> Recorded:
    folder = tables[0].parent
    roots = [
        *(root for root in (folder / "videos", folder / "frames", folder / "shards") if root.is_dir()),
        *asked.videos,
    ]
    if not roots:
        raise UserError(f"{folder}: no videos/ or frames/ in it; say where they are with --videos DIR")
    recordings = read_charades(tables, find_media(roots))
    takes, faults = settle(recordings.drafts)

    def here(ids: tuple[str, str]) -> bool:
        return ids[0] in takes and ids[1] in takes

    pairs = []
    for third, first in filter(here, recordings.same_person):
        pairs.append(Pair(third, third, first, Clock.scaled(takes[third].length, takes[first].length)))
    for third, first in filter(here, recordings.different_persons):
        pairs.append(different_person_pair(takes[third], takes[first]))
    return Recorded(takes, pairs, recordings.faults + faults, recordings.notes)


READER = Reader("Charades-Ego CSV files (CharadesEgo_v1_train.csv, …)", _tables, _read)

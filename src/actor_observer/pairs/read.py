"""Read `DATA` into a manifest: a `pairs.csv`, a folder with one, or a folder with Charades-Ego's files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from actor_observer.errors import UserError
from actor_observer.pairs.charades import charades_files, read_charades
from actor_observer.pairs.clock import Clock
from actor_observer.pairs.manifest import SPLITS, Fault, Manifest, Pair, Split, Take
from actor_observer.pairs.media import find_media, settle
from actor_observer.pairs.pairs_csv import read_pairs_csv
from actor_observer.pairs.people import different_person_pair, pairs_across_people
from actor_observer.pairs.splits import split_pairs, split_takes
from actor_observer.pairs.table import read_table

__all__ = ["read_manifest"]


def read_manifest(data: str | Path, videos: Sequence[str | Path] = (), seed: int = 0) -> Manifest:
    """Read a data set: its takes, pairs, clocks, splits, and everything wrong with it.

    `videos` adds folders to search for recordings by id; `seed` decides splits that the data does not define.

    >>> read_manifest("no-such-folder")
    Traceback (most recent call last):
    actor_observer.errors.UserError: no-such-folder: no such file or folder
    """
    place = Path(data)
    if not place.exists():
        raise UserError(f"{place}: no such file or folder")
    table = place / "pairs.csv" if place.is_dir() else place
    if place.is_dir() and not table.exists():
        return _from_charades(place, charades_files(place), videos, seed)
    if table.suffix.lower() != ".csv":
        raise UserError(f"{place}: DATA is a pairs.csv, or a folder with one or with Charades-Ego's CSV files")
    if "third" not in _columns(table) and "id" in _columns(table):
        return _from_charades(table.parent, [table], videos, seed)
    takes, pairs, faults = read_pairs_csv(table)
    return _assemble(table.parent, takes, pairs, faults, [], seed)


def _from_charades(folder: Path, files: Sequence[Path], videos: Sequence[str | Path], seed: int) -> Manifest:
    if not files:
        raise UserError(f"{folder}: neither a pairs.csv nor Charades-Ego CSV files (CharadesEgo_v1_train.csv, …) in it")
    own = [root for root in (folder / "videos", folder / "frames", folder / "shards") if root.is_dir()]
    roots = own + [Path(root) for root in videos]
    if not roots:
        raise UserError(f"{folder}: no videos/ or frames/ in it; say where they are with --videos DIR")
    recordings = read_charades(files, find_media(roots))
    takes, faults = settle(recordings.drafts)

    def here(ids: tuple[str, str]) -> bool:
        return ids[0] in takes and ids[1] in takes

    pairs = []
    for third, first in filter(here, recordings.same_person):
        pairs.append(Pair(third, third, first, Clock.scaled(takes[third].length, takes[first].length)))
    for third, first in filter(here, recordings.different_persons):
        pairs.append(different_person_pair(takes[third], takes[first]))
    return _assemble(folder, takes, pairs, recordings.faults + faults, recordings.notes, seed)


def _assemble(
    folder: Path, takes: Mapping[str, Take], pairs: list[Pair], faults: list[Fault], notes: list[str], seed: int
) -> Manifest:
    """The steps for both kinds of data: splits, different-person pairs, class names."""
    same = [(pair.third, pair.first) for pair in pairs if pair.same_person]
    takes, split_notes = split_takes(takes, same, seed, _subject_splits(folder / "splits.csv"))
    takes, pairs, pair_notes = split_pairs(takes, pairs)
    settled = {pair.first for pair in pairs if not pair.same_person}
    across = pairs_across_people(takes, seed, settled)
    takes, across, _ = split_pairs(takes, across)
    classes, class_faults = _classes(folder, takes)
    return Manifest(
        takes=takes,
        pairs=(*pairs, *sorted(across, key=lambda pair: pair.first)),
        classes=classes,
        faults=(*faults, *class_faults),
        notes=(*notes, *split_notes, *pair_notes),
    )


def _columns(table: Path) -> set[str]:
    try:
        with table.open(encoding="utf-8-sig", errors="replace") as file:
            return {name.strip().strip('"') for name in file.readline().split(",")}
    except OSError as error:
        raise UserError(f"{table}: cannot be read ({error.strerror})") from None


def _subject_splits(path: Path) -> dict[str, Split]:
    """`splits.csv` (subject,split), if the data has one: the split of some subjects."""
    if not path.exists():
        return {}
    splits: dict[str, Split] = {split: split for split in SPLITS}
    rows = read_table(path, required=("subject", "split"))
    wrong = sorted({row["split"] for row in rows} - splits.keys())
    if wrong:
        raise UserError(f"{path}: split is {wrong[0]!r}; use train, validation or test")
    return {row["subject"]: splits[row["split"]] for row in rows}


def _classes(folder: Path, takes: Mapping[str, Take]) -> tuple[dict[str, str], list[Fault]]:
    """Label -> name: from `classes.txt` (`c000 Name…`, a line each), else the labels themselves."""
    used = sorted({action.label for take in takes.values() for action in take.actions})
    files = sorted(folder.glob("*classes.txt"))
    if not files:
        return {label: label for label in used}, []
    named = {}
    for line in files[0].read_text(encoding="utf-8", errors="replace").splitlines():
        match = re.fullmatch(r"(\S+)\s+(.*\S)\s*", line)
        if match:
            named[match[1]] = match[2]
    unnamed = [label for label in used if label not in named]
    faults = [Fault(str(files[0]), f"no name for class {label}, which the data uses") for label in unnamed]
    return named | {label: label for label in unnamed}, faults

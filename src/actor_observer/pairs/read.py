"""Read `DATA` into a manifest, whatever kind of data set it is.

Another kind is a file in `pairs/sets/` with a `READER` (see `pairs/reader.py`), and a line in `READERS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path

from actor_observer.errors import UserError
from actor_observer.pairs.manifest import SPLITS, Fault, Manifest, Pair, Split, Take, View
from actor_observer.pairs.people import pairs_across_people
from actor_observer.pairs.reader import Asked, Reader, SignalTable
from actor_observer.pairs.splits import split_pairs, split_takes
from actor_observer.pairs.table import read_table

__all__ = ["READERS", "is_data", "open_signals", "read_manifest", "takes_in"]

READERS = (  # files of `pairs/sets/`; the first that knows a data set reads it
    "pairs_csv",
    "charades",
    "lerobot",
    "ego_exo4d",
    "take_folders",
)


def read_manifest(
    data: str | Path, videos: Sequence[str | Path] = (), seed: int = 0, first: str | None = None
) -> Manifest:
    """Read a data set: its takes, pairs, clocks, splits, and everything wrong with it.

    `videos` adds folders to search for recordings by id; `seed` decides splits that the data does not define; `first`
    says which camera is the actor's, for data sets that only name their cameras.

    >>> read_manifest("no-such-folder")
    Traceback (most recent call last):
    actor_observer.errors.UserError: no-such-folder: no such file or folder
    """
    place = Path(data)
    if not place.exists():
        raise UserError(f"{place}: no such file or folder")
    reader, tables = _reader_of(place)
    if first and not reader.asks_first:
        raise UserError(f"--first {first}: {reader.what} says itself which recordings are first-person")
    found = reader.read(tables, Asked(tuple(Path(folder) for folder in videos), first or ""))
    return _assemble(tables[0].parent, found.takes, found.pairs, found.faults, found.notes, seed)


def open_signals(data: str | Path) -> Callable[[str], SignalTable] | None:
    """A function that gives what was measured beside the cameras of an event (`Take.event`).

    None where data sets of this kind have no signals. An event whose table cannot be read is a `TakeError`.

    >>> from actor_observer.pairs import ROBOTS
    >>> open_signals(ROBOTS) is None
    True
    """
    reader, tables = _reader_of(Path(data))
    return reader.signals(tables) if reader.signals else None


def _reader_of(place: Path) -> tuple[Reader, list[Path]]:
    for reader in _readers():
        if tables := reader.tables(place):
            return reader, tables
    there = f"neither {' nor '.join(reader.what for reader in _readers())}"
    raise UserError(f"{place}: {there} in it" if place.is_dir() else f"{place}: {there}, nor a folder with them")


def takes_in(
    data: str | Path, view: View | None = None, first: str | None = None
) -> tuple[list[Take], tuple[Fault, ...]]:
    """All takes of a data set, or those of one view, and the faults of those that were left out.

    >>> from actor_observer.pairs import ROBOTS
    >>> len(takes_in(ROBOTS)[0]), len(takes_in(ROBOTS, "first")[0])
    (150, 75)
    """
    manifest = read_manifest(data, first=first)
    takes = [take for take in manifest.takes.values() if view in (None, take.view)]
    if not takes:
        raise UserError(f"{data}: no takes{f' of the {view}-person view' if view else ''} that can be read")
    return takes, tuple(fault for fault in manifest.faults if fault.left_out)


def is_data(place: Path) -> bool:
    """Whether a path is a data set that one of the readers knows, not a video or a folder of them.

    >>> is_data(Path("pairs.csv")), is_data(Path("room.mp4")), is_data(Path("no-such-folder"))
    (True, False, False)
    """
    return any(reader.tables(place) for reader in _readers())


def _readers() -> list[Reader]:
    return [import_module(f"actor_observer.pairs.sets.{name}").READER for name in READERS]


def _assemble(
    folder: Path, takes: Mapping[str, Take], pairs: list[Pair], faults: list[Fault], notes: list[str], seed: int
) -> Manifest:
    """The steps for all kinds of data: splits, different-person pairs, class names."""
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

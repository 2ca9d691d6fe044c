"""Read a folder with a folder for each take: `TAKE/first.mp4`, `TAKE/third.mp4`, `TAKE/third-2.mp4`, …"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from actor_observer.pairs.events import pairs_of_events, scaled
from actor_observer.pairs.manifest import VIEWS, Fault
from actor_observer.pairs.media import Draft, settle
from actor_observer.pairs.probe import VIDEO_SUFFIXES
from actor_observer.pairs.reader import Asked, Reader, Recorded
from actor_observer.pairs.table import is_safe_id

__all__ = ["READER"]

SIGNALS = frozenset((".csv", ".tsv", ".npz", ".parquet"))  # files of numbers; a .txt is more often a note


def _tables(place: Path) -> list[Path]:
    """The folders of takes, if at least one has both views."""
    try:
        inside = sorted(Path(entry.path) for entry in os.scandir(place) if entry.is_dir())
    except OSError:
        return []
    some = [folder for folder in inside if any((folder / f"first{suffix}").is_file() for suffix in VIDEO_SUFFIXES)]
    return some if any(len(_by_view(folder)) == len(VIEWS) for folder in some) else []


def _by_view(folder: Path) -> dict[str, list[Path]]:
    videos = [
        path for path in sorted(folder.iterdir(), key=lambda path: path.stem) if path.suffix.lower() in VIDEO_SUFFIXES
    ]
    found = {view: [path for path in videos if path.stem.startswith(view)] for view in VIEWS}
    return {view: paths for view, paths in found.items() if paths}


def _read(tables: Sequence[Path], asked: Asked) -> Recorded:
    drafts: list[Draft] = []
    faults: list[Fault] = []
    for folder in tables:
        views = _by_view(folder)
        if not is_safe_id(folder.name):
            faults.append(Fault(str(folder), f"{folder.name!r} cannot be a take's name", left_out=True))
            continue
        if "third" not in views:
            faults.append(Fault(str(folder), "no third*.mp4 beside first.mp4: a take without a partner"))
        for view in VIEWS:
            drafts += [
                Draft(f"{folder.name}.{path.stem}", view, path, event=folder.name) for path in views.get(view, ())
            ]
    takes, more = settle(drafts)
    pairs = [
        replace(pair, signals=_signals(takes[pair.third].path.parent))
        for pair in pairs_of_events(takes.values(), scaled)
    ]
    return Recorded(takes, pairs, [*faults, *more])


def _signals(folder: Path) -> tuple[Path, ...]:
    return tuple(sorted(path for path in folder.iterdir() if path.suffix.lower() in SIGNALS and path.is_file()))


READER = Reader("folders of takes (TAKE/first.mp4, TAKE/third.mp4)", _tables, _read)

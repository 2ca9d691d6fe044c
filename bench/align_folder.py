"""Clips cut at random out of your own synchronous recordings, put in step again, and judged.

    python bench/align.py cuts FOLDER... [--cuts 4] [--first 'head*' 'gopro*'] [--strangers 1] [--wide]

A folder's sub-folders are takes, each with all cameras of one event; a folder of files is one take. All files of a take
began at the same moment (cut them so first: `align --trim`). Files called head*, first*, ego* or wrist* are a head
camera's, all others a room camera's; `--first` names other patterns. Two files are cut at random, matched and
mismatched (bench/known_cuts.py), and compared by motion alone: sound that all cameras heard would tell too easily, and
what the network sees is left out. The error is that of the clock at the middle of the other clip; brackets are 95 %
intervals over takes. Motion is measured once for each file, and kept in the user's cache.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from fnmatch import fnmatch
from functools import partial
from pathlib import Path

import known_cuts
from actor_observer.alignment.calibration import NAMES
from actor_observer.alignment.looking import look_at_readable
from actor_observer.alignment.recordings.recording import Recording, open_recording
from actor_observer.console import progress
from actor_observer.errors import UserError
from actor_observer.pairs.manifest import View
from actor_observer.pairs.probe import VIDEO_SUFFIXES
from align_events import HEAD, row
from motion_set import Event, EventTake

FIRST = ("head*", "first*", "ego*", "wrist*")
FEW = 3  # takes: of so few, each is cut more often
MORE = 5  # times


def judge_folders(folders: Sequence[Path], count: int, first: Sequence[str], strangers: int, wide: bool) -> None:
    """Cut, compare, count, print."""
    known_cuts.WIDE = 1.0 if wide else 0.0
    lines = [HEAD]
    for folder in folders:
        events = read_folder(folder, first)
        films = known_cuts.filmed(events)
        print(f"{folder.name}: {said(events)}", file=sys.stderr)
        for views, title in NAMES.items():
            cuts = count * MORE if len(films) <= FEW else count
            found = [*known_cuts.pairs_of(films, views, cuts, 5, strangers)]
            if found:
                lines.append(f"| {folder.name}: {title} | " + " | ".join(row(found)) + " |")
    if len(lines) == 1:
        raise UserError(f"nothing to cut: clips are made of takes that last {known_cuts.SHORTEST:g} s or more")
    print("\n".join(lines))


def read_folder(folder: Path, first: Sequence[str] = FIRST) -> list[Event]:
    """Every take of a folder that two or more cameras recorded, their motion measured."""
    if not folder.is_dir():
        raise UserError(
            f"{folder}: no such folder; give one with the synchronous recordings of a take in each sub-folder"
        )
    places = sorted(path for path in folder.iterdir() if path.is_dir() and len(videos_in(path)) > 1)
    places = places or [folder]
    files = {place: videos_in(place) for place in places}
    if max(map(len, files.values())) < 2:
        raise UserError(f"{folder}: no take with two or more videos in it")
    events = []
    with progress("measuring motion", sum(map(len, files.values()))) as step:
        for place, videos in files.items():
            openers = [partial(open_recording, path, view_of(path, first), None) for path in videos]
            takes = []
            for path, one in zip(videos, look_at_readable(openers, step, step.part), strict=True):
                if isinstance(one, Recording):
                    takes.append(
                        EventTake(path.stem, one.view, path.stem if one.view == "first" else "", 0.0, 1.0, one.motion)
                    )
                else:
                    print(f"left out: {one}", file=sys.stderr)
            events.append(Event(place.name, "test", "", 1, tuple(takes)))
    return events


def videos_in(folder: Path) -> list[Path]:
    """The videos in a folder, by name."""
    return sorted(path for path in folder.iterdir() if path.is_file() and path.suffix.lower() in VIDEO_SUFFIXES)


def view_of(path: Path, first: Sequence[str] = FIRST) -> View:
    """Whose camera a file is, by its name.

    >>> view_of(Path("Head2.MP4")), view_of(Path("room.mp4")), view_of(Path("room.mp4"), ["room*"])
    ('first', 'third', 'first')
    """
    return "first" if any(fnmatch(path.name.lower(), pattern.lower()) for pattern in first) else "third"


def said(events: Sequence[Event]) -> str:
    """What was found, in words."""
    views = [take.view for event in events for take in event.takes]
    return f"{len(events)} takes, {views.count('third')} room and {views.count('first')} head recordings"

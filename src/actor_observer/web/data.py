"""What the studio shows: one data set or folder of videos, any number of runs, an index."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from actor_observer.errors import UserError
from actor_observer.pairs.clock import Clock
from actor_observer.pairs.manifest import Manifest, Pair, Take, View
from actor_observer.pairs.media import Draft, settle
from actor_observer.pairs.probe import VIDEO_SUFFIXES
from actor_observer.pairs.read import is_data, read_manifest
from actor_observer.pairs.window import file_of, stem_of
from actor_observer.searching.engines import is_index

__all__ = ["Places", "open_data", "sort_places"]

_THIRD = ("third", "observer", "room", "exo", "3rd")
_FIRST = ("first", "actor", "head", "ego", "1st")


@dataclass(frozen=True)
class Places:
    """What was named on the command line, by kind."""

    data: tuple[Path, ...] = ()  # a data set, a folder of videos, or two videos; empty: what is collected here
    runs: tuple[Path, ...] = ()
    index: Path | None = None

    @property
    def home(self) -> Path:
        """The folder that the data lies in."""
        if not self.data:
            return Path.cwd()
        return self.data[0] if self.data[0].is_dir() else self.data[0].parent


def sort_places(places: Sequence[Path]) -> Places:
    """Tell data sets, runs and indexes apart by what lies in them.

    >>> sort_places([Path("no-such-folder")])
    Traceback (most recent call last):
    actor_observer.errors.UserError: no-such-folder: no such file or folder
    """
    data: list[Path] = []
    runs: list[Path] = []
    indexes: list[Path] = []
    for place in places:
        if not file_of(place).exists():
            raise UserError(f"{place}: no such file or folder")
        if is_index(place):
            indexes.append(place)
        elif any((place / name).is_file() for name in ("model.safetensors", "recipe.yaml", "report.html")):
            runs.append(place)
        else:
            data.append(place)
    videos = [place for place in data if file_of(place).suffix.lower() in VIDEO_SUFFIXES]
    if len(data) > 1 and not (len(videos) == len(data) == 2):
        raise UserError(f"{data[1]}: the studio shows one data set at a time; start another one with --port")
    if len(videos) == 1 and len(data) == 1:
        raise UserError(f"{data[0]}: one video alone; name the other view's video too, or the folder of both")
    if len(indexes) > 1:
        raise UserError(f"{indexes[1]}: name one index only")
    return Places(tuple(data), tuple(runs), indexes[0] if indexes else None)


def open_data(data: Sequence[Path], videos: Sequence[Path] = (), seed: int = 0, first: str | None = None) -> Manifest:
    """The manifest of a data set, or one made up for a plain folder of videos or two videos.

    >>> open_data([Path("no-such-folder")])
    Traceback (most recent call last):
    actor_observer.errors.UserError: no-such-folder: no such file or folder
    """
    if not data:
        return Manifest({})
    if len(data) == 2:
        return _of_files(list(data), in_order=True)
    place = data[0]
    if place.is_dir() and not is_data(place):
        files = sorted(path for path in place.iterdir() if path.suffix.lower() in VIDEO_SUFFIXES)
        if not files:
            raise UserError(f"{place}: neither a data set nor a folder of videos (see docs/data.md)")
        return _of_files(files, in_order=len(files) == 2)
    return read_manifest(place, videos, seed, first)


def _of_files(files: list[Path], in_order: bool) -> Manifest:
    """Takes of plain files; pairs by their names, or the two of them."""
    views = {path: _view_of(path) for path in files}
    if in_order and {views[path] for path in files} != {"third", "first"}:
        views = {files[0]: "third", files[1]: "first"}
    drafts = [Draft(path.name, view or "third", path) for path, view in views.items()]
    takes, faults = settle(drafts)
    pairs = []
    for third in (take for take in takes.values() if take.view == "third"):
        partner = _partner(third, takes, in_order)
        if partner:
            clock = Clock.scaled(third.length, partner.length)
            pairs.append(Pair(stem_of(third.path), third.id, partner.id, clock))
    notes = ("pairs were told by the files' names; a pairs.csv says it for certain (see docs/data.md)",)
    return Manifest(takes, tuple(pairs), faults=tuple(faults), notes=notes)


def _partner(third: Take, takes: dict[str, Take], only_two: bool) -> Take | None:
    firsts = [take for take in takes.values() if take.view == "first"]
    if only_two:
        return firsts[0] if firsts else None
    return next((take for take in firsts if _plain(take.path) == _plain(third.path)), None)


def _view_of(path: Path) -> View | None:
    words = _words(path)
    if any(word in _FIRST for word in words):
        return "first"
    return "third" if any(word in _THIRD for word in words) else None


def _plain(path: Path) -> str:
    return " ".join(word for word in _words(path) if word not in _THIRD + _FIRST)


def _words(path: Path) -> list[str]:
    stem = re.sub(r"EGO$", " ego", file_of(path).stem)
    return [word for word in re.split(r"[^a-z0-9]+", stem.lower()) if word]

"""Read LeRobot data sets (v2.0, v2.1, v3.0) as they are: an episode is an event, its cameras are its takes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from actor_observer.errors import TakeError, UserError
from actor_observer.pairs.events import in_step, pairs_of_events
from actor_observer.pairs.lerobot.cameras import first_cameras, short_name
from actor_observer.pairs.lerobot.episodes import Episode, Window, read_episodes
from actor_observer.pairs.lerobot.layout import INFO, Layout, read_layout, read_small, whole
from actor_observer.pairs.lerobot.parquet import read_columns
from actor_observer.pairs.lerobot.signals import signals_of, task_stretches
from actor_observer.pairs.manifest import Action, Fault, Split, View
from actor_observer.pairs.media import Draft, settle
from actor_observer.pairs.probe import probe
from actor_observer.pairs.reader import Asked, Reader, Recorded, SignalTable
from actor_observer.pairs.table import is_safe_id
from actor_observer.pairs.window import with_window

__all__ = ["READER"]

_SPLITS: dict[str, Split] = {"train": "train", "val": "validation", "validation": "validation", "test": "test"}


def _tables(place: Path) -> list[Path]:
    """The folder `meta`, which makes a folder a LeRobot data set."""
    return [place / "meta"] if (place / INFO).is_file() else []


def _read(tables: Sequence[Path], asked: Asked) -> Recorded:
    layout = read_layout(tables[0].parent)
    if not layout.cameras:
        why = f" ({layout.left_out[0]})" if layout.left_out else ""
        raise UserError(f"{layout.folder}: none of its features is a video{why}")
    first = first_cameras(layout.cameras, asked.first)
    episodes, faults = read_episodes(layout)
    faults += [Fault(str(layout.folder / INFO), line, left_out=True) for line in layout.left_out]
    drafts, more = _drafts(layout, episodes, first)
    takes, others = settle(drafts)
    pairs = pairs_of_events(takes.values(), in_step)
    return Recorded(takes, pairs, [*faults, *more, *others], _notes(layout, first, episodes))


def _drafts(layout: Layout, episodes: Sequence[Episode], first: Sequence[str]) -> tuple[list[Draft], list[Fault]]:
    tasks, splits, lengths = _task_names(layout), _splits(layout), _Lengths()
    drafts, faults = [], []
    for episode in episodes:
        actions, complaints = _actions(layout, episode, tasks)
        for camera in layout.cameras:
            view: View = "first" if camera in first else "third"
            id, window = f"{episode.name}.{short_name(camera)}", episode.windows[camera]
            if not is_safe_id(id):
                faults.append(Fault(str(layout.folder / INFO), f"{camera!r} cannot be part of an id", left_out=True))
                continue
            try:
                path, length = lengths.within(window, episode, layout.fps)
            except TakeError as error:
                faults.append(Fault(error.path, error.fault, left_out=True))
                continue
            script, split = " ".join(episode.tasks), splits.get(episode.index)
            about = {"script": script, "length": length, "actions": actions, "split": split, "event": episode.name}
            drafts.append(Draft(id, view, path, complaints=complaints, **about))  # type: ignore[arg-type]
            complaints = ()
    return drafts, list(dict.fromkeys(faults))


class _Lengths:
    """Stretches of files that hold many episodes: each file is opened once."""

    def __init__(self) -> None:
        self._known: dict[Path, float | TakeError] = {}

    def within(self, window: Window, episode: Episode, fps: float) -> tuple[Path, float]:
        """The path of a take and its seconds; a window that is not in its file is a `TakeError`."""
        if episode.frames < 2:
            raise TakeError(window.file, f"{episode.name} has a single frame: a picture, not a video")
        if window.end == float("inf"):
            return window.file, episode.frames / fps
        path = with_window(window.file, window.start, window.end)
        if window.file not in self._known:
            try:
                self._known[window.file] = probe(window.file).length
            except TakeError as error:
                self._known[window.file] = error
        lasts = self._known[window.file]
        if isinstance(lasts, TakeError):
            raise TakeError(path, lasts.fault)
        if window.end > lasts + 0.5 / fps:
            raise TakeError(path, f"{episode.name} ends at {window.end:.2f} s, but the file lasts {lasts:.2f} s")
        return path, window.end - window.start


def _actions(layout: Layout, episode: Episode, tasks: Mapping[int, str]) -> tuple[tuple[Action, ...], tuple[str, ...]]:
    """What was done, by name: one task all the time, or each from when to when by the rows."""
    if len(episode.tasks) < 2:
        return tuple(Action(task, 0.0, episode.frames / layout.fps) for task in episode.tasks), ()
    try:
        stretches = task_stretches(layout, episode)
    except TakeError as error:
        return (), (f"{episode.name} has several tasks, and their times cannot be read: {error}",)
    return tuple(Action(tasks[task], start, end) for task, start, end in stretches if task in tasks), ()


def _task_names(layout: Layout) -> dict[int, str]:
    """The tasks by number; none where they cannot be read: the episodes name theirs."""
    meta = layout.folder / "meta"
    try:
        if layout.joined:
            columns = read_columns(meta / "tasks.parquet", ["task", "__index_level_0__", "task_index"])
            texts = columns.get("task") or columns.get("__index_level_0__") or []
            rows = [
                {"task_index": number, "task": text} for number, text in zip(columns["task_index"], texts, strict=True)
            ]
        else:
            rows = [json.loads(line) for line in read_small(meta / "tasks.jsonl").splitlines() if line.strip()]
        found = {whole(row.get("task_index")): row.get("task") for row in rows if isinstance(row, dict)}
    except (TakeError, UserError, ValueError, KeyError, RecursionError):
        return {}
    return {number: text for number, text in found.items() if number is not None and isinstance(text, str)}


def _splits(layout: Layout) -> dict[int, Split]:
    """The split of each episode where the data set has a test part; else it is left to others."""
    stated = layout.info.get("splits")
    ranges: dict[Split, range] = {}
    for name, text in stated.items() if isinstance(stated, dict) else ():
        match = re.fullmatch(r"(\d{1,9}):(\d{1,9})", str(text))
        if match and name in _SPLITS:
            ranges[_SPLITS[name]] = range(int(match[1]), int(match[2]))
    if ranges.keys() <= {"train"}:
        return {}
    return {index: split for split, some in ranges.items() for index in some[: 10**7]}


def _notes(layout: Layout, first: Sequence[str], episodes: Sequence[Episode]) -> list[str]:
    notes = []
    named = ", ".join(map(short_name, layout.cameras))
    if not first:
        notes.append(
            f"no camera is the actor's by its name ({named}), so there are no pairs: say which, --first CAMERA"
        )
    elif len(first) == len(layout.cameras):
        notes.append(f"all cameras are the actor's ({named}), so there are no pairs: --first CAMERA leaves the others")
    stated = whole(layout.info.get("total_episodes"))
    if stated is not None and stated != len(episodes):
        notes.append(f"{INFO} counts {stated} episodes; {len(episodes)} of them are listed and have frames")
    return notes


def _signals(tables: Sequence[Path]) -> Callable[[str], SignalTable]:
    layout = read_layout(tables[0].parent)
    episodes = {episode.name: episode for episode in read_episodes(layout)[0]}

    def of(event: str) -> SignalTable:
        if event not in episodes:
            raise UserError(f"{layout.folder}: no {event} in it")
        return signals_of(layout, episodes[event])

    return of


READER = Reader("a LeRobot data set (meta/info.json)", _tables, _read, asks_first=True, signals=_signals)

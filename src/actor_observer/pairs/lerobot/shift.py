"""A copy of a LeRobot data set in which cameras that were late are in step: windows moved by whole frames.

Version 3 says for each episode and camera from when to when its pictures lie in a file, so a camera is put right by
moving that window; videos stay as they are. A window never reaches into a neighbour's pictures: where it would, the
episode loses those rows at its start or end, in all cameras. Version 2 has no windows: there a table says it.
"""

from __future__ import annotations

import csv
import io
import json
import math
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from actor_observer.disk import write_whole
from actor_observer.errors import UserError
from actor_observer.pairs.lerobot.cameras import camera_named, short_name
from actor_observer.pairs.lerobot.episodes import Episode, read_episodes
from actor_observer.pairs.lerobot.layout import INFO, Layout, read_layout
from actor_observer.pairs.lerobot.rewrite import Kept, rewrite_episodes, rewrite_rows
from actor_observer.pairs.manifest import Fault

__all__ = ["Moved", "Shifted", "write_shifted"]

FEWEST = 2  # rows that an episode must keep
OFFSETS = "offsets.csv"


@dataclass(frozen=True)
class Moved:
    """One camera of one episode."""

    event: str
    camera: str  # its key
    late: float  # seconds, as it was said
    frames: int  # by which its window was moved, later where above zero
    remainder: float  # seconds that are left: late less the frames


@dataclass(frozen=True)
class Shifted:
    """What `write_shifted` wrote."""

    path: Path  # a data set (version 3), or a table (version 2)
    moved: tuple[Moved, ...]
    shortened: Mapping[str, int]  # event -> rows that it lost
    refused: tuple[Fault, ...]  # episodes that are as they were, and why


def write_shifted(
    data: str | Path, out: str | Path, late: Mapping[tuple[str, str], float], copy: bool = False
) -> Shifted:
    """Write a copy of a data set with its cameras put right; the data set itself is not touched.

    Args:
        data: a LeRobot data set.
        out: the folder to make. Its videos are links, and so are its rows where none was lost.
        late: by how many seconds the pictures of a camera come late, by event and camera
            (`("episode_000007", "cam_wrist")`); below zero, they come early.
        copy: copy videos and rows instead of linking them.
    """
    layout, out = read_layout(Path(data)), Path(out)
    _refuse_place(layout.folder, out)
    episodes = {episode.name: episode for episode in read_episodes(layout)[0]}
    moved = [_moved(layout, episodes, *key, seconds) for key, seconds in late.items()]
    if not layout.joined:
        return Shifted(_write_offsets(out, moved), tuple(moved), {}, ())
    kept, refused = _plan(episodes, moved)
    done = [one for one in moved if one.event in kept]
    part = out.with_name(f".{out.name}.part")
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        rows = {episodes[name].index: window for name, window in kept.items()}
        _write(layout, part, [*episodes.values()], rows, copy)
        if out.exists():
            out.rmdir()  # empty
        part.rename(out)
    except OSError as error:
        raise UserError(f"{out}: cannot be written ({error.strerror or error})") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    lost = {name: episodes[name].frames - (window.end - window.start) for name, window in kept.items()}
    return Shifted(out, tuple(done), {name: rows for name, rows in lost.items() if rows}, tuple(refused))


def _refuse_place(data: Path, out: Path) -> None:
    here, there = data.resolve(), out.resolve()
    if here == there or here in there.parents or there in here.parents:
        raise UserError(f"{out}: the data set is never written to, nor anything around it; choose another place")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UserError(f"{out}: there is something already; choose another place")


def _moved(layout: Layout, episodes: Mapping[str, Episode], event: str, camera: str, late: float) -> Moved:
    if event not in episodes:
        raise UserError(f"{layout.folder}: no {event} in it")
    if not math.isfinite(late):
        raise UserError(f"{event}: {camera} cannot be {late} s late")
    key = camera_named(layout.cameras, camera)
    if key is None:
        raise UserError(f"{layout.folder}: no camera {camera} in it")
    frames = round(late * layout.fps)
    return Moved(event, key, late, frames, late - frames / layout.fps)


def _plan(episodes: Mapping[str, Episode], moved: list[Moved]) -> tuple[dict[str, Kept], list[Fault]]:
    """Which rows each episode keeps, and where each camera's pictures of them begin, in frames of its window."""
    frames: dict[str, dict[str, int]] = {}
    for one in moved:
        frames.setdefault(one.event, {})[one.camera] = one.frames
    kept, refused = {}, []
    for name, its in frames.items():
        start, end = max(0, *(-number for number in its.values())), episodes[name].frames
        end -= max(0, *its.values())
        if end - start < FEWEST:
            left = f"{max(0, end - start)} of its {episodes[name].frames} rows"
            refused.append(Fault(name, f"{left} would be left: it stays as it is"))
        else:
            kept[name] = Kept(start, end, {camera: start + its.get(camera, 0) for camera in episodes[name].windows})
    return kept, refused


def _write(layout: Layout, part: Path, episodes: Sequence[Episode], kept: Mapping[int, Kept], copy: bool) -> None:
    starts = rewrite_episodes(layout, part, kept)
    lost = starts.total < sum(starts.frames.values())
    large = {window.file for episode in episodes for window in episode.windows.values()}
    large |= set() if lost else {episode.data for episode in episodes}
    small = {path for path in (*layout.folder.iterdir(), *(layout.folder / "meta").rglob("*")) if path.is_file()}
    for path in sorted({file for file in large if file.is_file()} | small):
        place = part / path.relative_to(layout.folder)
        if place.exists():
            continue  # written above
        place.parent.mkdir(parents=True, exist_ok=True)
        if copy or path in small:
            shutil.copyfile(path, place)
        else:
            place.symlink_to(path.resolve())
    if lost:
        rewrite_rows(layout, part, kept, starts)
        told = {**layout.info, "total_frames": starts.total}
        write_whole(part / INFO, json.dumps(told, indent=4, ensure_ascii=False).encode())


def _write_offsets(out: Path, moved: list[Moved]) -> Path:
    """Version 2: a table, for whoever reads the data set."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("event", "camera", "late", "frames", "remainder"))
    for one in moved:
        writer.writerow((one.event, short_name(one.camera), f"{one.late:.6f}", one.frames, f"{one.remainder:.6f}"))
    try:
        out.mkdir(parents=True, exist_ok=True)
        write_whole(out / OFFSETS, text.getvalue().encode())
    except OSError as error:
        raise UserError(f"{out}: cannot be written ({error.strerror or error})") from error
    return out / OFFSETS

"""Data sets of others in miniature, LeRobot, Ego-Exo4D, folders of takes; their videos are the package's robots."""

from __future__ import annotations

import functools
import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import av
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from actor_observer.frames.frame_index import index_video
from actor_observer.pairs import ROBOTS, Pair, Take, read_manifest

FPS = 12  # of the robots' videos
CAMERAS = {"observation.images.cam_exterior": "third", "observation.images.cam_wrist": "first"}  # as in a real set
JOINTS = [f"joint_{n}" for n in range(1, 8)] + ["gripper_width"]
NUMBERS = ("timestamp", "frame_index", "episode_index", "index", "task_index")


@functools.cache
def robots(count: int) -> list[tuple[Pair, dict[str, Take]]]:
    """The first so many pairs of the robots, and their two takes by view."""
    manifest = read_manifest(ROBOTS)
    return [
        (pair, {"third": manifest.takes[pair.third], "first": manifest.takes[pair.first]})
        for pair in [pair for pair in manifest.pairs if pair.same_person][:count]
    ]


def info_of(version: str, episodes: int, frames: int, cameras: Mapping[str, str] = CAMERAS) -> dict[str, Any]:
    """`meta/info.json`, with everything that a real one has."""
    joined = version.startswith("v3")
    numbers = {name: {"dtype": "int64", "shape": [1], "names": None} for name in NUMBERS[1:]}
    pictures = {
        "dtype": "video",
        "shape": [168, 224, 3],
        "names": ["height", "width", "channels"],
        "info": {"video.fps": float(FPS), "video.codec": "h264", "video.is_depth_map": False, "has_audio": False},
    }
    return {
        "codebase_version": version,
        "robot_type": "robot",
        "total_episodes": episodes,
        "total_frames": frames,
        "total_tasks": 2,
        **({"data_files_size_in_mb": 100, "video_files_size_in_mb": 200} if joined else {"total_chunks": 1}),
        "chunks_size": 1000,
        "fps": FPS,
        "splits": {"train": f"0:{episodes}"},
        "data_path": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
        if joined
        else "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet",
        "video_path": "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4"
        if joined
        else "videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4",
        "features": {
            "action": {"dtype": "float32", "shape": [8], "names": JOINTS},
            "observation.state": {"dtype": "float32", "shape": [8], "names": {"motors": JOINTS}},
            **dict.fromkeys(cameras, pictures),
            "timestamp": {"dtype": "float32", "shape": [1], "names": None},
            **numbers,
        },
    }


def rows_of(episode: int, frames: int, start: int, task: Sequence[int]) -> pa.Table:
    """An episode's rows: joints that move, and the numbers that count."""
    moved = np.cumsum(np.random.default_rng(episode).normal(size=(frames, 8)), axis=0).astype(np.float32)
    lists = pa.FixedSizeListArray.from_arrays(pa.array(moved.ravel()), 8)
    stamps = pa.array((np.arange(frames) / FPS).astype(np.float32))
    numbers = [np.arange(frames), np.full(frames, episode), np.arange(start, start + frames), np.array(task)]
    columns = [lists, lists, stamps, *(pa.array(values.astype(np.int64)) for values in numbers)]
    return pa.table(dict(zip(("observation.state", "action", *NUMBERS), columns, strict=True)))


def write_lerobot(folder: Path, episodes: int = 4, version: str = "v2.1", a_file: int = 3) -> Path:
    """A LeRobot data set; in version 3, so many episodes lie in one file. The last episode has two tasks."""
    pairs, joined, start = robots(episodes), version.startswith("v3"), 0
    rows, tables, tasks = [], [], ["do it", "do it again"]
    for number, (_, takes) in enumerate(pairs):
        frames = len(index_video(takes["third"].path).times)
        second = number == episodes - 1
        task = [0] * (frames // 2) + [int(second)] * (frames - frames // 2)
        tables.append(rows_of(number, frames, start, task))
        rows.append({"episode_index": number, "tasks": tasks if second else tasks[:1], "length": frames})
        rows[-1] |= {"dataset_from_index": start, "dataset_to_index": start + frames} if joined else {}
        start += frames
    meta = folder / "meta"
    meta.mkdir(parents=True)
    (meta / "info.json").write_text(json.dumps(info_of(version, episodes, start), indent=4))
    if joined:
        _write_joined(folder, [takes for _, takes in pairs], rows, tables, a_file)
        named = pa.table({"task_index": [0, 1], "__index_level_0__": tasks})
        pq.write_table(named, meta / "tasks.parquet")
        return folder
    (meta / "episodes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (meta / "tasks.jsonl").write_text(
        "".join(json.dumps({"task_index": n, "task": t}) + "\n" for n, t in enumerate(tasks))
    )
    for number, ((_, takes), table) in enumerate(zip(pairs, tables, strict=True)):
        for camera, view in CAMERAS.items():
            place = folder / f"videos/chunk-000/{camera}/episode_{number:06d}.mp4"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(takes[view].path)
        place = folder / f"data/chunk-000/episode_{number:06d}.parquet"
        place.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, place)
    return folder


def _write_joined(
    folder: Path, takes: Sequence[dict[str, Take]], rows: list[dict[str, Any]], tables: Sequence[pa.Table], a_file: int
) -> None:
    for file, first in enumerate(range(0, len(takes), a_file)):
        some = range(first, min(first + a_file, len(takes)))
        for camera, view in CAMERAS.items():
            place = folder / f"videos/{camera}/chunk-000/file-{file:03d}.mp4"
            starts = join_videos([takes[number][view].path for number in some], place)
            for number, start, end in zip(some, starts, starts[1:], strict=False):
                ends = {"chunk_index": 0, "file_index": file, "from_timestamp": start, "to_timestamp": end}
                rows[number] |= {f"videos/{camera}/{name}": value for name, value in ends.items()}
        place = folder / f"data/chunk-000/file-{file:03d}.parquet"
        place.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.concat_tables([tables[number] for number in some]), place)
        for number in some:
            rows[number] |= {"data/chunk_index": 0, "data/file_index": file, "stats/action/count": [33]}
    place = folder / "meta/episodes/chunk-000/file-000.parquet"
    place.parent.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows), place)


def join_videos(paths: Sequence[Path], out: Path) -> list[float]:
    """One file with the packets of several, one after the other; when each starts, and when the last ends."""
    out.parent.mkdir(parents=True, exist_ok=True)
    starts, late = [0.0], 0
    with av.open(str(out), "w") as target:
        copy = None
        for path in paths:
            with av.open(str(path)) as source:
                stream = source.streams.video[0]
                copy = copy or target.add_stream_from_template(stream)
                for packet in source.demux(stream):
                    if packet.pts is not None and packet.dts is not None:
                        packet.pts, packet.dts, packet.stream = packet.pts + late, packet.dts + late, copy
                        target.mux(packet)
                late += round(len(index_video(path).times) / FPS / stream.time_base)  # type: ignore[operator]
                starts.append(late * float(stream.time_base or 0))
    return starts


def write_ego_exo(folder: Path, takes: int = 2, small: bool = True) -> Path:
    """An Ego-Exo4D look-alike: a head camera and two others for each take, as downloaded in full size or in 448."""
    told = []
    for number, ((_, first), (_, other)) in enumerate(zip(robots(takes), robots(2 * takes)[takes:], strict=True)):
        name = f"sfu_cooking_{number:03d}"
        facts = {"task_name": "Making tea", "physical_setting_name": "sfu_kitchen", "duration_sec": 2.75}
        told.append(
            {
                "take_name": name,
                "take_uid": f"u{number}",
                "root_dir": f"takes/{name}",
                "participant_uid": 100 + number,
                **facts,
            }
        )
        place = folder / f"takes/{name}/frame_aligned_videos" / ("downscaled/448" if small else "")
        place.mkdir(parents=True)
        files = {
            "aria01_214-1": first["first"],
            "cam01": first["third"],
            "gp02": other["third"],
            "aria01_1201-1": first["first"],
        }
        for file, take in files.items():
            shutil.copy(take.path, place / f"{file}.mp4")
    (folder / "takes.json").write_text(json.dumps(told))
    return folder


def write_takes(folder: Path, takes: int = 3) -> Path:
    """A folder for each take, with the head camera's video and one or two others'."""
    for number, (_, its) in enumerate(robots(takes)):
        place = folder / f"take {number}"
        place.mkdir(parents=True)
        shutil.copy(its["first"].path, place / "first.mp4")
        for name in ("third", "third-2")[: 1 + number % 2]:
            shutil.copy(its["third"].path, place / f"{name}.mp4")
    return folder

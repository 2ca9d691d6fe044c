"""Audit a LeRobot data set, correct it, and read the result back; needs the extra `data` (pyarrow).

python examples/audit_lerobot.py            # a small v3 data set made of the package's robot clips, one camera late
python examples/audit_lerobot.py DATA OUT   # yours: DATA is only read, OUT is made
"""

import json
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

FPS, EPISODES, CLIPS, LATE = 12, 8, 6, 3  # clips stitched together for an episode; frames by which one camera is late
CAMERAS = {"observation.images.cam_exterior": "third", "observation.images.cam_wrist": "first"}


def make(folder: Path) -> Path:
    """A LeRobot v3 data set of real clips, six to an episode; in episode 2 the outside camera's window is wrong."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    from actor_observer.frames import frames_at
    from actor_observer.frames.frame_index import index_video
    from actor_observer.frames.writing.write_mp4 import VideoWriter
    from actor_observer.pairs import ROBOTS, read_manifest

    manifest = read_manifest(ROBOTS)
    pairs = [pair for pair in manifest.pairs if pair.same_person][: EPISODES * CLIPS]
    lengths = [len(index_video(manifest.takes[pair.third].path).times) for pair in pairs]
    for camera, view in CAMERAS.items():
        place = folder / f"videos/{camera}/chunk-000/file-000.mp4"
        place.parent.mkdir(parents=True)
        with VideoWriter(place, Fraction(FPS), threads=1) as writer:
            for pair, length in zip(pairs, lengths, strict=True):
                take = manifest.takes[pair.third if view == "third" else pair.first]
                for frame in frames_at(take, (np.arange(length) + 0.5) / FPS, threads=1):
                    writer.add(np.ascontiguousarray(frame.permute(1, 2, 0).numpy()))
    rows, table, start = [], [], 0
    for episode in range(EPISODES):
        count = sum(lengths[episode * CLIPS : (episode + 1) * CLIPS])
        row = {"episode_index": episode, "tasks": ["insert it"], "length": count, "dataset_from_index": start}
        row |= {"dataset_to_index": start + count, "data/chunk_index": 0, "data/file_index": 0}
        for camera in CAMERAS:
            late = LATE / FPS if episode == 2 and "exterior" in camera else 0.0
            ends = {"from_timestamp": start / FPS - late, "to_timestamp": (start + count) / FPS - late}
            row |= {
                f"videos/{camera}/{name}": value for name, value in (ends | {"chunk_index": 0, "file_index": 0}).items()
            }
        rows.append(row)
        table += [(n / FPS, n, episode, start + n, 0) for n in range(count)]
        start += count
    (folder / "meta/episodes/chunk-000").mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows), folder / "meta/episodes/chunk-000/file-000.parquet")
    pq.write_table(pa.table({"task_index": [0], "task": ["insert it"]}), folder / "meta/tasks.parquet")
    (folder / "data/chunk-000").mkdir(parents=True)
    names = ("timestamp", "frame_index", "episode_index", "index", "task_index")
    columns = {name: pa.array(values) for name, values in zip(names, zip(*table, strict=True), strict=True)}
    pq.write_table(pa.table(columns), folder / "data/chunk-000/file-000.parquet")
    numbers = {name: {"dtype": "int64", "shape": [1], "names": None} for name in names}
    video = {"dtype": "video", "shape": [168, 224, 3], "names": ["height", "width", "channels"]}
    info = {
        "codebase_version": "v3.0",
        "fps": FPS,
        "total_episodes": EPISODES,
        "total_frames": start,
        "chunks_size": 1000,
    }
    info |= {"data_path": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"}
    info |= {"video_path": "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4"}
    info |= {"splits": {"train": f"0:{EPISODES}"}, "features": numbers | dict.fromkeys(CAMERAS, video)}
    (folder / "meta/info.json").write_text(json.dumps(info, indent=4))
    return folder


if __name__ == "__main__":
    import actor_observer as ao
    from actor_observer.auditing.fix import write_fixed

    work = Path(tempfile.mkdtemp())
    data, out = map(Path, sys.argv[1:3]) if len(sys.argv) > 2 else (make(work / "data"), work / "fixed")
    found = ao.audit(data)
    print(found)
    for one in found.findings:
        print(f"  {one}")
    for line in write_fixed(found, data, out):
        print(line)
    again = ao.audit(out)
    print(again)
    for one in again.findings:
        print(f"  {one}")

"""Data sets for the studio's measurements: very many pairs, and very long videos."""

from __future__ import annotations

import csv
import os
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np

__all__ = ["write_four", "write_long", "write_many"]


def write_many(folder: Path, mini: Path, pairs: int) -> Path:
    """So many pairs in Charades-Ego's form; their videos are links to those of the mini set."""
    (folder / "videos").mkdir()
    with (mini / "CharadesEgo_v1_train.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    both = {row["id"]: row for row in rows}
    thirds = [row for row in rows if not row["id"].endswith("EGO") and f"{row['id']}EGO" in both]
    with (folder / "CharadesEgo_v1_train.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        for number in range(pairs):
            third = thirds[number % len(thirds)]
            for old, new in ((third["id"], f"{number:05d}"), (f"{third['id']}EGO", f"{number:05d}EGO")):
                own = {"id": new, "subject": f"P{number % 80:02d}", "charades_video": ""}
                own["script"] = f"{both[old]['script']} ({number})"  # else every script would pair across people
                writer.writerow(both[old] | own)
                os.link(mini / "videos" / f"{old}.mp4", folder / "videos" / f"{new}.mp4") if _same_disk(
                    mini, folder
                ) else (folder / "videos" / f"{new}.mp4").symlink_to(mini / "videos" / f"{old}.mp4")
    (folder / "classes.txt").write_text((mini / "classes.txt").read_text())
    return folder


def write_long(folder: Path, minutes: float = 10.0, fps: int = 25, size: tuple[int, int] = (1920, 1080)) -> Path:
    """A pair of long videos: ten seconds of moving pictures, over and over."""
    for name, seed in (("room", 0), ("head", 1)):
        clip = folder / f"{name}-clip.mp4"
        _write_clip(clip, seed, 10 * fps, fps, size)
        _repeat(clip, folder / f"{name}.mp4", round(minutes * 6))
        clip.unlink()
    end = 60 * minutes
    clock = f"0:1.2;{end / 3:.1f}:{end / 3 + 2.2:.1f};{end - 5:.1f}:{end - 4.5:.1f}"
    (folder / "pairs.csv").write_text(f"id,third,first,clock\nlong,room.mp4,head.mp4,{clock}\n")
    return folder


def _write_clip(path: Path, seed: int, frames: int, fps: int, size: tuple[int, int]) -> None:
    rng = np.random.default_rng(seed)
    wide = np.repeat(np.repeat(rng.integers(0, 255, (68, 200, 3), dtype=np.uint8), 16, axis=0), 16, axis=1)
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("libx264", rate=fps)
        stream.width, stream.height, stream.pix_fmt, stream.gop_size = *size, "yuv420p", fps
        stream.options = {"preset": "ultrafast", "crf": "26", "bf": "0"}
        for number in range(frames):
            left = number * 4 % 1200
            frame = av.VideoFrame.from_ndarray(
                np.ascontiguousarray(wide[: size[1], left : left + size[0]]), format="rgb24"
            )
            frame.pts, frame.time_base = number, Fraction(1, fps)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


def _repeat(clip: Path, out: Path, times: int) -> None:
    """The clip's packets again and again, later each time."""
    with av.open(str(out), "w", options={"movflags": "+faststart"}) as target:
        made: Any = None
        shift = 0
        for _ in range(times):
            end = 0
            with av.open(str(clip)) as source:
                stream = source.streams.video[0]
                made = made or target.add_stream_from_template(stream)
                for packet in source.demux(stream):
                    if packet.dts is None or packet.pts is None:
                        continue
                    end = max(end, packet.pts + (packet.duration or 0))
                    packet.pts, packet.dts, packet.stream = packet.pts + shift, packet.dts + shift, made
                    target.mux(packet)
            shift += end


def _same_disk(one: Path, other: Path) -> bool:
    return one.stat().st_dev == other.stat().st_dev


def write_four(folder: Path, seconds: int = 80, fps: int = 25, size: tuple[int, int] = (1280, 720)) -> Path:
    """One event: two cameras in the room, two that are worn; each pair with a clock of its own, a signal beside one."""
    for seed, name in enumerate(("room", "door", "head", "other")):
        clip = folder / f"{name}-clip.mp4"
        _write_clip(clip, seed, 10 * fps, fps, size)
        _repeat(clip, folder / f"{name}.mp4", seconds // 10)
        clip.unlink()
    rows = (
        "rh,room.mp4,head.mp4,0:1.2;60:61.5,imu.csv",
        "dh,door.mp4,head.mp4,0:0.4;60:60.4,",
        "ro,room.mp4,other.mp4,2:0;62:60,",
    )
    (folder / "pairs.csv").write_text("\n".join(("id,third,first,clock,signals", *rows)) + "\n")
    times = np.arange(0, seconds, 0.01)
    table = np.c_[times, np.sin(2 * times), np.cos(3 * times)]
    np.savetxt(folder / "imu.csv", table, "%.4f", ",", header="time,gyro_x,gyro_y", comments="")
    return folder

"""Tiny recordings and data sets that look like the real ones, made on the spot.

Every frame carries its number in its pixels, so that a test can tell which frame it was given.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

CHARADES = ["id", "subject", "scene", "quality", "relevance", "verified", "script", "objects", "descriptions"]
CHARADES += ["actions", "length"]
EGO_V1 = [*CHARADES, "egocentric", "charades_video"]
BITS = 12  # a row of so many black and white cells, as wide as the picture, spells the frame number


def numbered_frame(number: int, width: int = 96, height: int = 48) -> NDArray[np.uint8]:
    """An (H, W, 3) picture: its number in the top row of cells, something that moves below."""
    frame = np.full((height, width, 3), 90, dtype=np.uint8)
    spell(number, frame)
    place = number * 3 % (width - 16)
    frame[height // 2 :, place : place + 16] = (200, number * 5 % 256, 40)
    return frame


def spell(number: int, frame: NDArray[np.uint8]) -> None:
    """Write the number into the top row of cells of an (H, W, 3) picture."""
    cell = frame.shape[1] // BITS
    for bit in range(BITS):
        frame[:cell, bit * cell : (bit + 1) * cell] = 255 * (number >> bit & 1)


def number_of(frame: Any) -> int:
    """The number in a (3, H, W) tensor or (H, W, 3) array."""
    pixels = np.asarray(frame)
    pixels = pixels.transpose(1, 2, 0) if pixels.shape[0] == 3 else pixels
    cell = pixels.shape[1] / BITS
    cells = [pixels[int(cell / 2), int((bit + 0.5) * cell)].mean() for bit in range(BITS)]
    return sum(1 << bit for bit, cell in enumerate(cells) if cell > 128)


def write_video(
    path: Path,
    frames: int = 24,
    fps: int = 12,
    codec: str = "libx264",
    pix_fmt: str = "yuv420p",
    stamps: Sequence[int] | None = None,  # of each frame in 1/1000 s, for a variable rate
    rotation: int = 0,
    gop: int = 12,
    options: dict[str, str] | None = None,
    container_options: dict[str, str] | None = None,
    size: tuple[int, int] = (96, 48),
    metadata: dict[str, str] | None = None,
) -> Path:
    """A video whose frame n shows the number n."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w", container_options=container_options or {}) as container:
        container.metadata.update(metadata or {})
        stream: Any = container.add_stream(codec, rate=fps)
        stream.width, stream.height, stream.pix_fmt, stream.gop_size = *size, pix_fmt, gop
        stream.options = options or {}
        if rotation:
            stream.set_display_rotation(rotation)
        base = Fraction(1, 1000) if stamps is not None else Fraction(1, fps)
        stream.codec_context.time_base = base
        for number in range(frames):
            frame = av.VideoFrame.from_ndarray(numbered_frame(number, *size), format="rgb24")
            frame.pts, frame.time_base = (stamps[number] if stamps is not None else number), base
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def write_frames(folder: Path, frames: int = 24) -> Path:
    """A folder of numbered JPEGs as Charades has them: ID/ID-000001.jpg, …"""
    folder.mkdir(parents=True, exist_ok=True)
    encoder: Any = av.CodecContext.create("mjpeg", "w")
    encoder.width, encoder.height, encoder.pix_fmt, encoder.time_base = 96, 48, "yuvj420p", Fraction(1, 24)
    encoder.options = {"qmin": "2", "qmax": "2"}
    for number in range(frames):
        frame = av.VideoFrame.from_ndarray(numbered_frame(number), format="rgb24").reformat(format="yuvj420p")
        frame.pts = number
        (packet,) = encoder.encode(frame)
        (folder / f"{folder.name}-{number + 1:06d}.jpg").write_bytes(bytes(packet))
    return folder


def write_csv(path: Path, rows: Iterable[dict[str, object]], columns: Sequence[str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, restval="", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return path


def charades_rows(pairs: int, seconds: float, prefix: str = "T", subjects: int = 6) -> list[dict[str, object]]:
    """Rows of `pairs` look-alike pairs: third-person and EGO, actions in both, scripts of their own."""
    rng = np.random.default_rng(pairs)
    rows: list[dict[str, object]] = []
    for number in range(pairs):
        start, end = float(rng.uniform(0, seconds / 2)), seconds / 6
        id = f"{prefix}{number:04d}"
        row: dict[str, object] = {
            "id": id,
            "subject": f"{prefix}S{number % subjects}",
            "scene": ("Kitchen", "Living room", "Office")[number % 3],
            "script": f"A person of set {prefix} does thing number {number}, and smiles.",
            "actions": f"c{number % 5:03d} {start:.2f} {start + end:.2f};c{(number + 2) % 5:03d} 0.00 {end:.2f}",
            "length": f"{seconds:.2f}",
            "egocentric": "No",
            "charades_video": f"C{id}",
        }
        rows += [row, row | {"id": id + "EGO", "egocentric": "Yes", "actions": f"c{number % 5:03d} 0.00 {end:.2f}"}]
    return rows


def write_charades_ego(folder: Path, train: int = 12, test: int = 4, seconds: int = 24, fps: int = 8) -> Path:
    """A Charades-Ego v1 look-alike: CSVs with all columns, classes.txt, and mp4 files."""
    for split, pairs, prefix in (("train", train, "T"), ("test", test, "U")):
        rows = charades_rows(pairs, seconds, prefix)
        write_csv(folder / f"CharadesEgo_v1_{split}.csv", rows, EGO_V1)
        others = [row | {"id": row["charades_video"], "subject": f"X{row['subject']}"} for row in rows[::2]]
        write_csv(folder / f"Charades_v1_{split}.csv", others, CHARADES)
        for row in (*rows, *others):
            write_video(folder / "videos" / f"{row['id']}.mp4", seconds * fps, fps)
    names = ("take a cup", "put a cup", "open a door", "read a book", "sit down")
    (folder / "classes.txt").write_text("".join(f"c{n:03d} {name}\n" for n, name in enumerate(names)))
    return folder


def audio_only(path: Path) -> None:
    """A file with sound and no picture."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=44100)
        frame = av.AudioFrame(format="fltp", layout="mono", samples=1024)
        frame.sample_rate, frame.pts = 44100, 0
        for plane in frame.planes:
            plane.update(bytes(plane.buffer_size))
        container.mux(stream.encode(frame))
        container.mux(stream.encode())

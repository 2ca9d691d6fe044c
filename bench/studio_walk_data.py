"""A small data set for walks through the studio, made on the spot: clocks, sound, four cameras, signals, doubts."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np

from actor_observer.disk.sealed_json import sealed_json
from actor_observer.web.media.cache import key_of
from actor_observer.web.seen import Seen

__all__ = ["fake_sight", "write_data", "write_film"]

FPS = 25
ROWS = (  # id, third, first, clock, signals
    ("cup", "cup-room.mp4", "cup-head.mp4", "4.3:0", ""),
    ("book", "book-room.mp4", "book-head.mp4", "", ""),
    ("event", "room.mp4", "head.mp4", "0:1.2;8:9.3", "imu.csv"),
    ("event-door", "door.mp4", "head.mp4", "0:0.4;8:8.4", ""),
    ("event-other", "room.mp4", "other.mp4", "1:0;8:7", ""),
)


def write_data(folder: Path) -> Path:
    """The data set, with what `pair` and `audit` were not sure of beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    names = dict.fromkeys(name for _, third, first, *_ in ROWS for name in (third, first))
    for seed, name in enumerate(names):
        write_film(folder / name, seed)
    lines = ["id,third,first,subject,script,actions,clock,split,signals"]
    for number, (id, third, first, clock, signals) in enumerate(ROWS):
        who = "S0" if id.startswith("event") else f"S{number}"
        what = "event" if id.startswith("event") else id
        lines.append(f"{id},{third},{first},{who},Somebody takes a {what}.,take 1 4;put 5 7,{clock},test,{signals}")
    (folder / "pairs.csv").write_text("\n".join(lines) + "\n")
    times = np.arange(0, 9, 0.01)
    table = np.c_[times, np.sin(2 * times), np.cos(3 * times) * np.exp(-times / 9)]
    np.savetxt(folder / "imu.csv", table, "%.4f", ",", header="time,gyro_x,gyro_y", comments="")
    doubtful = {"third": "cup-room.mp4", "first": "book-head.mp4", "clock": "0:0.5", "confidence": 0.4}
    (folder / "pairing.json").write_text(json.dumps({"doubtful": [doubtful]}))
    finding = {"take": "book", "severity": "check", "text": "the actor's camera comes 2 frames late"}
    (folder / "audit.json").write_text(json.dumps({"findings": [finding]}))
    return folder


def write_film(path: Path, seed: int, seconds: float = 10.0, size: tuple[int, int] = (640, 360)) -> None:
    """A square on a moving ground, with sound that swells: 16:9."""
    rng = np.random.default_rng(seed)
    ground = np.repeat(np.repeat(rng.integers(60, 200, (12, 40, 3), dtype=np.uint8), 32, 0), 32, 1)
    with av.open(str(path), "w") as container:
        film: Any = container.add_stream("libx264", rate=FPS)
        film.width, film.height, film.pix_fmt, film.gop_size = *size, "yuv420p", FPS
        film.options = {"preset": "ultrafast", "crf": "28"}
        sound: Any = container.add_stream("aac", rate=16000, layout="mono")
        for number in range(round(seconds * FPS)):
            left = 2 * number % 600
            picture = np.ascontiguousarray(ground[: size[1], left : left + size[0]])
            at = round(120 + 100 * np.sin(number / 11 + seed))
            picture[at : at + 70, 3 * at % 500 :][:, :70] = (230, 60 + 20 * seed % 150, 40)
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, FPS)
            container.mux(film.encode(frame))
        container.mux(film.encode())
        time = np.arange(round(seconds * 16000)) / 16000
        tone = (np.sin(2 * np.pi * 300 * time) * np.abs(np.sin(time + seed)) * 12000).astype(np.int16)
        for start in range(0, len(tone), 1024):
            piece = av.AudioFrame.from_ndarray(tone[None, start : start + 1024], format="s16", layout="mono")
            piece.rate, piece.pts, piece.time_base = 16000, start, Fraction(1, 16000)
            container.mux(sound.encode(piece))
        container.mux(sound.encode())


def fake_sight(keep: Path, data: Path, id: str, verdict: str, counted: bool = False) -> None:
    """What a model would have said of a pair, in the studio's cache: a verdict, scores by kind, the wearer's boxes.

    For walks that ask what the page does with an answer; the walk of item 4 lets the real model look as well.
    """
    row = next(one for one in ROWS if one[0] == id)
    seen = Seen(keep / "cache" / "seen")
    place = seen.path(key_of(data / row[1]), key_of(data / row[2]), None)
    offsets = np.arange(-8, 8.01, 0.1)
    bumps = {
        "motion": np.exp(-((offsets - 1) ** 2) / 0.1) * 6,
        "learned motion": np.exp(-((offsets - 1) ** 2)) * 4,
        "sound": np.exp(-((offsets + 3) ** 2) / 0.2) * 2,
    }
    belief = np.exp(sum(bumps.values()))
    scores = {
        "offsets": offsets.round(2).tolist(),
        "belief": (belief / belief.sum()).tolist(),
        "kinds": {name: part.tolist() for name, part in bumps.items()},
    }
    curve = {"times": [0.0, 5.0, 10.0], "weight": [0.2, 1.0, 0.4]}
    align = {
        "clock": "1:0;11:10",
        "offset": 1.0,
        "offset_error": 0.04,
        "rate": 1.0,
        "confidence": 0.97 if verdict == "in step" else 0.4,
        "verdict": verdict,
        "counted": counted,
        "scores": scores,
        "candidates": [{"offset": 1.0, "rate": 1.0, "share": 0.8}, {"offset": -3.0, "rate": 1.0, "share": 0.1}],
        "wearer": [{"time": second + 0.5, "box": [0.3, 0.2, 0.6, 0.9], "share": 0.8} for second in range(10)],
    }
    drawn = {"rows": 2, "columns": 2, "levels": "00ff80c0"} if counted else None
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(sealed_json({"third": curve, "first": curve, "map": drawn, "align": align, "says": ""}))

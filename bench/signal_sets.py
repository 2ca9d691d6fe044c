"""Recordings whose cameras and signals are in step by construction: Kinova's joints, and the heads of rendered events.

Kinova: a folder with pairs.csv, its videos, and `lerobot/data/episode_NNNNNN.parquet`, row for frame. Of its rows 1, 4,
7 … are the test part, the others for training. Rendered: what bench/gyro_set.py made. Clips are cut at random; a
stranger is the signal of another episode of the same task.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from actor_observer.alignment.recordings.recording import Recording, Source, open_signal
from actor_observer.features.on_disk.kept_motion import kept_motion
from actor_observer.features.see import open_take
from actor_observer.frames.motion import Motion
from actor_observer.pairs.manifest import Split, View
from actor_observer.playhouse.gyroscope import as_measured
from actor_observer.signals import Signal, make_signal, read_signal
from actor_observer.signals.signal import cut_signal
from cuts import clip
from known_cuts import TwoClips, draw_cut

__all__ = ["Episode", "clip_signal", "cuts_of", "kinova", "rendered", "worn"]

Array = NDArray[np.float64]
Part = Literal["train", "test"]
RATES = (100.0, 200.0, 400.0, 1000.0)  # of gyroscopes


@dataclass(frozen=True, eq=False)
class Episode:
    """One event: motion and signals in seconds of the event."""

    id: str
    cameras: dict[View, Motion]
    signals: tuple[Signal, ...]  # several of one event; the first is compared with cameras
    end: float  # seconds; it begins at 0
    extra: dict[str, float] = field(default_factory=dict)


def kinova(folder: Path, part: Part) -> list[Episode]:
    """The episodes of one part; signals are the joints as they are, and what an IMU on the arm would measure."""
    found = []
    with (folder / "pairs.csv").open(newline="") as lines:
        rows = [*csv.DictReader(lines)]
    for number, row in enumerate(rows):
        if (number % 3 == 1) is not (part == "test"):
            continue
        views: tuple[View, ...] = ("third", "first")
        cameras: dict[View, Motion] = {view: kept_motion(open_take(folder / row[view], view)) for view in views}
        name = Path(row["third"]).name.split(".")[0]
        joints = read_signal(folder / "lerobot" / "data" / f"episode_{name}.parquet")
        rng = np.random.default_rng([7, number])
        end = min([joints.length, *(moved.length for moved in cameras.values())])
        found.append(Episode(name, cameras, (joints, on_arm(joints, rng)), end))
    return found


def on_arm(joints: Signal, rng: np.random.Generator) -> Signal:
    """An IMU somewhere on the arm: three axes, each a mixture of the joints' speeds, with noise, at another rate."""
    group = joints.groups[0]
    mixed = rng.normal(size=(3, len(group.values))) @ np.gradient(group.values.astype(float), joints.times, axis=1)
    return measured(joints.times, mixed.T / max(float(mixed.std()), 1e-9), rng, noise=0.1)


def rendered(folder: Path, split: Split) -> list[Episode]:
    """Rendered events of one split: both cameras, and two gyroscopes on the head, mounted differently."""
    found = []
    for number, path in enumerate(sorted((folder / "gyro").glob("*.npz"))):
        with np.load(path, allow_pickle=False) as file:
            known = {name: file[name] for name in file.files}
        videos = [folder / "videos" / f"{name}.mp4" for name in known["takes"]]
        if str(known["split"]) != split or not all(video.exists() for video in videos):
            continue  # its home belongs to another split, or rendering was stopped
        rng = np.random.default_rng([8, number])
        spans, cameras, gyros = [], {}, []
        for video, named, (offset, rate) in zip(videos, known["views"], known["clocks"], strict=True):
            view: View = "first" if named == "first" else "third"
            moved = kept_motion(open_take(video, view))
            cameras[view] = replace(moved, times=offset + moved.times / rate, length=moved.length / rate)
            spans.append((offset, offset + moved.length / rate))
            if view == "first":
                times, omega = offset + known["times"] / rate, known["omega"] * rate
                gyros = [worn(times, omega, rng), worn(times, omega, rng)]
        start, end = max(span[0] for span in spans), min(span[1] for span in spans)
        shifted = {view: replace(moved, times=moved.times - start) for view, moved in cameras.items()}
        signals = tuple(cut_signal(gyro, start - gyro.first, end - gyro.first) for gyro in gyros)
        found.append(Episode(path.stem, shifted, signals, end - start))
    return found


def worn(times: Array, omega: NDArray[np.floating], rng: np.random.Generator) -> Signal:
    """A gyroscope on a head whose true turning is known: noise, bias, mounted anyhow, 100 to 1000 a second."""
    turned, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return measured(times, omega @ turned.T, rng, noise=float(rng.uniform(0.01, 0.05)))


def measured(times: Array, values: NDArray[np.floating], rng: np.random.Generator, noise: float) -> Signal:
    """As a cheap sensor measures it: at a rate of its own, with jitter, noise and a bias; on the event's clock."""
    rate = float(rng.choice(RATES))
    at, rows = as_measured(times, values, rate, noise, rng)
    found = make_signal(at, {"gyro": rows})
    return replace(found, first=float(at[0]))


def cuts_of(
    episodes: Sequence[Episode], sources: tuple[Source, Source], cuts: int, seed: int, strangers: int = 1
) -> Iterator[TwoClips]:
    """So many matched cuts of each episode, and mismatched ones."""
    for number, episode in enumerate(episodes):
        rng = np.random.default_rng([seed, number, len(sources[0])])
        for _ in range(cuts):
            cut = draw_cut(0.0, episode.end, rng)
            if cut is None:
                continue
            one = clip_signal(episode, sources[0], cut.third, 1)
            yield TwoClips(number, one, clip_signal(episode, "signal", cut.first, 0), cut.offset)
            for _ in range(strangers if len(episodes) > 1 else 0):
                away = episodes[(number + 1 + int(rng.integers(len(episodes) - 1))) % len(episodes)]
                strange = draw_cut(0.0, away.end, rng)
                if strange is not None:
                    yield TwoClips(number, one, clip_signal(away, "signal", strange.first, 0), None)


def clip_signal(episode: Episode, source: Source, span: tuple[float, float], which: int) -> Recording:
    """A stretch of a camera's motion, or of one of the signals."""
    if source == "signal":
        cut = cut_signal(episode.signals[which], *span)
        return replace(open_signal(cut), length=span[1] - span[0])
    return clip(episode.cameras[source], *span, source)

"""Clips cut out of the takes of a synchronous pair and encoded anew, with their motion and φ kept for the next run."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np

from actor_observer.alignment.recordings.recording import Recording, open_recording
from actor_observer.console import progress
from actor_observer.errors import UserError
from actor_observer.features import FeatureCache, Look
from actor_observer.features.on_disk.kept_motion import kept_motion
from actor_observer.features.see import LOOK_RATE
from actor_observer.model import ActorObserverNet
from actor_observer.pairs import Manifest, Pair, Take
from cuts import draw_cuts

__all__ = ["CutPair", "cut_pairs", "look_at"]

GOPS = {"third": 37, "first": 53}  # frames from keyframe to keyframe: they fall together nowhere
TICKS = 90_000  # a second
FORMAT = 1  # of the clips that are kept


@dataclass(frozen=True, eq=False)
class CutPair:
    """Two clips of one pair, and the truth about them."""

    pair: int  # its place in the set
    third: Recording
    first: Recording
    truth: float  # third-person seconds at the middle of the first-person clip


def cut_pairs(manifest: Manifest, pairs: Sequence[tuple[int, Pair]], cuts: int, folder: Path) -> list[CutPair]:
    """`cuts` cuts of each pair, seeded by its place in the set; clips are kept in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    with progress("cutting clips", len(pairs)) as step:
        for number, pair in pairs:
            takes = manifest.takes[pair.third], manifest.takes[pair.first]
            ends = [float(pair.clock.to_third(time)) for time in (0.0, takes[1].length)]
            both = max(0.0, ends[0]), min(takes[0].length, ends[1])
            for cut in draw_cuts(*both, cuts, np.random.default_rng([11, number])):
                third = _clip(takes[0], *cut.third, folder)
                span = [float(pair.clock.to_first(time)) for time in cut.first]
                first = _clip(takes[1], span[0], span[1], folder)
                middle = first[1] + first[0].length / 2
                found.append(CutPair(number, third[0], first[0], float(pair.clock.to_third(middle)) - third[1]))
            step()
    return found


def _clip(take: Take, start: float, end: float, folder: Path) -> tuple[Recording, float]:
    """The clip, and when its first frame is in the take."""
    key = f"{FORMAT} {take.path.resolve()} {take.path.stat().st_size} {start:.6f} {end:.6f}"
    path = folder / f"{take.id}-{hashlib.sha256(key.encode()).hexdigest()[:12]}.mp4"
    begun = path.with_suffix(".txt")
    if not begun.exists():
        began = write_clip(take.path, start, end, path, GOPS[take.view])
        begun.write_text(f"{began!r}\n")
    return open_recording(path, take.view), float(begun.read_text())


def write_clip(source: Path, start: float, end: float, path: Path, gop: int) -> float:
    """Encode the frames from `start` to `end` seconds anew, at their own times; gives the first one's."""
    with av.open(str(source)) as read, av.open(str(path), "w") as written:
        stream = read.streams.video[0]
        out: Any = written.add_stream("libx264", rate=stream.average_rate)
        out.width, out.height, out.pix_fmt, out.gop_size = stream.width, stream.height, "yuv420p", gop
        out.options = {"crf": "23", "preset": "veryfast", "sc_threshold": "0"}
        out.codec_context.time_base = Fraction(1, TICKS)
        zero: float | None = None
        began: float | None = None
        for frame in read.decode(stream):
            zero = frame.time if zero is None else zero
            time = frame.time - zero
            if time < start - 1e-6:
                continue
            if time >= end:
                break
            began = time if began is None else began
            frame = frame.reformat(format="yuv420p")
            frame.pts, frame.time_base, frame.pict_type = round((time - began) * TICKS), Fraction(1, TICKS), 0
            written.mux(out.encode(frame))
        written.mux(out.encode())
    if began is None:
        raise UserError(f"{source}: no frames between {start:.2f} s and {end:.2f} s")
    return began


def look_at(cut: Sequence[CutPair], network: ActorObserverNet, cache: Path) -> None:
    """Fill in motion and φ of all clips, from the cache where it has them."""
    recordings = [one for pair in cut for one in (pair.third, pair.first)]
    with progress("motion", len(recordings)) as step:
        for recording in recordings:
            assert isinstance(recording.video, Take)
            recording.__dict__["motion"] = kept_motion(recording.video, cache)
            step()
    takes = [recording.video for recording in recordings if isinstance(recording.video, Take)]
    named = [Take(str(take.path), take.view, take.path, take.length) for take in takes]
    look = Look.of_network(network.config, LOOK_RATE)
    with progress("features", len(named)) as step:
        phi, faults = FeatureCache(cache).features(network.config.backbone, network.backbone, named, look, "cpu", step)
    for fault in faults.values():
        raise UserError(str(fault))
    for recording in recordings:
        recording.seen[network.backbone, LOOK_RATE] = phi[str(recording.path)]

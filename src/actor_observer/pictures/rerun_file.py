"""An answer for the viewer Rerun: videos, what speaks for each offset, and how sure each moment is, on one timeline."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np

from actor_observer.alignment.cameras.clocked import Clocked, recordings_of
from actor_observer.alignment.cameras.result import Cameras
from actor_observer.alignment.cameras.traces import trace_in
from actor_observer.alignment.result import Alignment
from actor_observer.errors import UserError, missing_extra
from actor_observer.frames.frame_index import index_video
from actor_observer.pairs.frame_files import holds_frames
from actor_observer.pairs.window import file_of, window_of

__all__ = ["check_rerun", "to_rerun", "write_rerun"]

TIME = "common time"  # the timeline: seconds of the common clock


def check_rerun(path: Path, force: bool = False) -> None:
    """Refuse a file that cannot be written, or that is there already, before any slow work.

    >>> check_rerun(Path("out.mp4"))
    Traceback (most recent call last):
    actor_observer.errors.UserError: out.mp4: Rerun's files end with .rrd
    """
    if path.suffix.lower() != ".rrd":
        raise UserError(f"{path}: Rerun's files end with .rrd")
    if path.exists() and not force:
        raise UserError(f"{path}: there is a recording already; --force writes over it")
    _import()


def write_rerun(found: Alignment | Cameras, path: str | Path, anyway: bool = False) -> Path:
    """Write what `align` found as a recording that Rerun opens; it holds the videos themselves."""
    rerun, path = _import(), Path(path)
    half = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        stream = rerun.RecordingStream("actor-observer")
        stream.save(str(half))
        to_rerun(found, stream, anyway)
        stream.flush()
        stream.disconnect()
        half.replace(path)
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror or error})") from error
    finally:
        half.unlink(missing_ok=True)
    return path


def to_rerun(found: Alignment | Cameras, stream: Any = None, anyway: bool = False) -> Any:
    """Log an answer to a stream of Rerun's, or to a new one. Returns the stream; `rr.serve_grpc(recording=…)` shows it.

    Args:
        found: what `align` or `align_many` gave; recordings in step are logged.
        stream: a `rerun.RecordingStream`; None makes one.
        anyway: log all recordings, also those that are not in step, by the best guess.
    """
    rerun = _import()
    stream = stream or rerun.RecordingStream("actor-observer")
    for number, one in enumerate(recordings_of(found, anyway), start=1):
        if not one.time:
            _video(rerun, stream, f"videos/{number}-{one.role}", one)
        _moving(rerun, stream, f"curves/{number}-{one.role}", one)
    stream.log("verdict", rerun.TextDocument(str(found)), static=True)
    if isinstance(found, Alignment):
        _curves(rerun, stream, found)
    return stream


def _video(rerun: Any, stream: Any, place: str, one: Clocked) -> None:
    """A file and, at the common time of each of its frames, which one is shown."""
    if one.recorder or one.path is None or holds_frames(one.path):
        stream.log(place, rerun.TextDocument(f"{one.name}: no video file"), static=True)
        return
    stream.log(place, rerun.AssetVideo(path=str(file_of(one.path))), static=True)
    own, begun = index_video(one.path).times, window_of(one.path)[0]
    when = rerun.TimeColumn(TIME, duration=np.asarray([one.clock.to_third(float(time)) for time in own]))
    shown = rerun.VideoFrameReference.columns_nanos(np.round((begun + own) * 1e9).astype(np.int64))
    stream.send_columns(place, indexes=[when], columns=shown)


def _moving(rerun: Any, stream: Any, place: str, one: Clocked) -> None:
    """How much moves in a recording, 0 to 1, at common times."""
    trace = trace_in(one)
    if trace is not None and len(trace.times):
        when = rerun.TimeColumn(TIME, duration=trace.times)
        stream.send_columns(place, indexes=[when], columns=rerun.Scalars.columns(scalars=trace.values))
        stream.log(place, rerun.SeriesLines(names=f"{one.name}: how much moves"), static=True)


def _curves(rerun: Any, stream: Any, found: Alignment) -> None:
    times = np.asarray([point.third for point in found.path])
    sure = rerun.Scalars.columns(scalars=np.asarray([point.confidence for point in found.path]))
    stream.send_columns("curves/confidence", indexes=[rerun.TimeColumn(TIME, duration=times)], columns=sure)
    if found.scores is not None:
        offsets, belief = found.scores.offsets, found.scores.belief
        stream.log("belief-over-offsets", rerun.BarChart(belief, abscissa=offsets), static=True)


def _import() -> Any:
    try:
        return importlib.import_module("rerun")
    except ImportError as error:
        raise missing_extra("a recording for Rerun", "rerun") from error

"""The telemetry inside a video file: a camera's own gyroscope, accelerometer and satellite time."""

from __future__ import annotations

import contextlib
import datetime
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from actor_observer.errors import TakeError, first_line, missing_extra
from actor_observer.signals.signal import Signal, make_signal

__all__ = ["has_telemetry", "read_telemetry"]

MARKS = (b"GoPro", b"gpmd", b"camm", b"Insta360", b"DJI", b"rtmd", b"INSV")  # of cameras that write telemetry
LOOKED_AT = 1 << 20  # bytes at either end of a file in which one of them stands
FIX, UTC = "0x47505346", "0x47505355"  # GoPro's keys: whether satellites are heard, and the time that they say
SATELLITES = 0.1  # seconds (one sigma), at best: cameras write it once a second, late
FEWEST = 20  # samples


def has_telemetry(path: Path) -> bool:
    """Whether a video file looks as if a camera wrote telemetry into it; a glance at its ends.

    >>> has_telemetry(Path("no-such.mp4"))
    False
    """
    try:
        with path.open("rb") as file:
            ends = file.read(LOOKED_AT)
            file.seek(max(0, path.stat().st_size - LOOKED_AT))
            ends += file.read(LOOKED_AT)
    except OSError:
        return False
    return any(mark in ends for mark in MARKS)


def read_telemetry(path: Path) -> Signal:
    """What the camera measured of itself while it filmed; its time is that of the video.

    >>> read_telemetry(Path("no-such.mp4"))
    Traceback (most recent call last):
    actor_observer.errors.TakeError: no-such.mp4: no such file
    """
    if not path.is_file():
        raise TakeError(path, "no such file")
    try:
        import telemetry_parser
    except ImportError:
        raise missing_extra(f"{path}: reading its telemetry", "telemetry") from None
    try:
        parser = telemetry_parser.Parser(str(path))
        samples = parser.normalized_imu()
        blocks = parser.telemetry(human_readable=True)
    except Exception as error:  # what a parser of strangers' files may raise is not listed anywhere
        raise TakeError(path, f"no telemetry that can be read in it ({first_line(error)[:80]})") from None
    times = np.array([float(one["timestamp_ms"]) / 1000 for one in samples])
    columns = {}
    for name, key in (("gyro", "gyro"), ("accelerometer", "accl")):
        rows = [one.get(key) for one in samples]
        if rows and all(row is not None for row in rows):
            columns[name] = np.array(rows, np.float64)
    if len(times) < FEWEST or not columns or not np.isfinite(times).all() or (np.diff(times) < 0).any():
        raise TakeError(path, "it claims telemetry, and has none that tells when anything moves")
    found = make_signal(times, columns, "its telemetry", {"gyro": "rate", "accelerometer": "acceleration"})
    satellites = _satellite_time(blocks)
    camera = str(parser.model or parser.camera or "")
    said = f"{camera or 'a camera'}: its gyroscope is in step with its own pictures, up to a fixed delay"
    found = replace(found, times=times, notes=(*found.notes, said))
    return replace(found, started=satellites[0], started_error=satellites[1]) if satellites else found


def _satellite_time(blocks: Any) -> tuple[datetime.datetime, float] | None:
    """When the video began by satellites, and how far to trust it (one sigma, seconds).

    >>> block = {"GPS": {"0x47505346": "3", "0x47505355": "2019-11-18 23:45:16.470 UTC", "TimestampUs": "1000000"}}
    >>> _satellite_time([block])
    (datetime.datetime(2019, 11, 18, 23, 45, 15, 470000), 1.0)
    """
    starts = []
    for block in blocks:
        gps = block.get("GPS") if isinstance(block, dict) else None
        if not isinstance(gps, dict) or str(gps.get(FIX, "0")) not in ("2", "3"):  # before a fix cameras write anything
            continue
        with contextlib.suppress(ValueError, KeyError, TypeError, OverflowError):
            told = datetime.datetime.fromisoformat(str(gps[UTC]).removesuffix("UTC").strip())
            starts.append(told - datetime.timedelta(microseconds=float(gps["TimestampUs"])))
    if not starts:
        return None
    apart = np.array([(start - starts[0]).total_seconds() for start in starts])
    middle = float(np.median(apart))
    error = max(SATELLITES, float(np.median(np.abs(apart - middle)))) if len(apart) > 2 else 1.0
    return starts[0] + datetime.timedelta(seconds=middle), error

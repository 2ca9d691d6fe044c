"""Write a timeline that an editor's program opens: .otio, .fcpxml, .xml (Final Cut 7: Premiere, Resolve), .edl."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from actor_observer.alignment.result import write_text
from actor_observer.alignment.timelines.fcpxml import fcpxml_of
from actor_observer.alignment.timelines.tracks import Tracks, Trimmed
from actor_observer.errors import UserError, missing_extra

__all__ = ["check_rates", "check_timeline", "write_timeline"]

ADAPTERS = {".otio": "otio_json", ".xml": "fcp_xml", ".edl": "cmx_3600", ".fcpxml": ""}  # the last is our own
PACKAGES = {".xml": "otio_fcp_adapter", ".edl": "otio_cmx3600_adapter"}
NTSC = Fraction(1000, 1001)
COUNTED = {24 * NTSC, 24, 25, 30 * NTSC, 30, 48 * NTSC, 48, 50, 60 * NTSC, 60}  # frames a second that have a timecode
MARK = "actor-observer"  # under which a timeline keeps what is ours


def check_timeline(path: Path, force: bool = False) -> None:
    """Refuse a timeline that cannot be written, or that is there already, before any slow work.

    >>> check_timeline(Path("edit.aaf"))
    Traceback (most recent call last):
    actor_observer.errors.UserError: edit.aaf: a timeline is written as .otio, .xml, .edl or .fcpxml
    """
    suffix = path.suffix.lower()
    if suffix == ".kdenlive":
        raise UserError(f"{path}: Kdenlive opens .otio by itself, since 25.04: name the timeline so")
    if suffix not in ADAPTERS:
        raise UserError(f"{path}: a timeline is written as {', '.join(list(ADAPTERS)[:-1])} or {list(ADAPTERS)[-1]}")
    if not force and (path.exists() or (suffix == ".edl" and any(path.parent.glob(f"{path.stem}-*.edl")))):
        raise UserError(f"{path}: there is a timeline already; --force writes over it")
    for package in ("opentimelineio", PACKAGES.get(suffix, "")) if ADAPTERS[suffix] else ():
        if package:
            _import(package)


def check_rates(path: Path, files: Mapping[str, Fraction], rate: Fraction | None = None) -> None:
    """Refuse frame rates that a format with timecodes cannot count: of the files, by name, or of the timeline.

    >>> check_rates(Path("edit.edl"), {"phone.mp4": Fraction(120)})
    Traceback (most recent call last):
    actor_observer.errors.UserError: edit.edl: no timecode counts the 120 frames a second of phone.mp4; write .otio or
    .fcpxml, or name what --trim DIR --rate 30 cuts
    """
    if path.suffix.lower() not in PACKAGES:
        return
    for name, fps in files.items():
        if fps not in COUNTED:
            told = f"no timecode counts the {float(fps):.5g} frames a second of {name}"
            raise UserError(f"{path}: {told}; write .otio or .fcpxml, or name what --trim DIR --rate 30 cuts")
    if rate is not None and rate not in COUNTED:
        raise UserError(f"{path}: no timecode counts {float(rate):.5g} frames a second; say another --rate")


def write_timeline(tracks: Tracks, path: Path) -> list[Path]:
    """Write a timeline in the format that its name says; an EDL holds one track, so each recording gets its own.

    Gives the files written.
    """
    suffix = path.suffix.lower()
    if suffix == ".fcpxml":
        write_text(path, fcpxml_of(tracks))
        return [path]
    otio = _import("opentimelineio")
    check_rates(path, {one.name: one.fps for one in tracks.tracks if one.size}, tracks.fps)
    if suffix == ".edl":
        shown = [one for one in tracks.tracks if one.size]
        paths = _apart(path, [Path(one.name).stem for one in shown])
        for one, place in zip(shown, paths, strict=True):
            _write(otio, _edl(otio, tracks, one), place, ".edl", one.fps)
        return paths
    _write(otio, _timeline(otio, tracks), path, suffix, tracks.fps)
    return [path]


def _apart(path: Path, names: Sequence[str]) -> list[Path]:
    """A file for each recording, with a number where two have the same name.

    >>> [place.name for place in _apart(Path("edit.edl"), ["room", "cam", "cam"])]
    ['edit-room.edl', 'edit-cam.edl', 'edit-cam-2.edl']
    """
    counted = [(name, list(names[:place]).count(name)) for place, name in enumerate(names)]
    return [path.with_name(f"{path.stem}-{name}{f'-{more + 1}' if more else ''}.edl") for name, more in counted]


def _write(otio: Any, timeline: Any, path: Path, suffix: str, fps: Fraction) -> None:
    more = {"rate": float(fps)} if suffix == ".edl" else {"indent": 2} if suffix == ".otio" else {}
    try:
        text = otio.adapters.write_to_string(timeline, adapter_name=ADAPTERS[suffix], **more)
    except ValueError as error:
        raise UserError(f"{path}: cannot be written so ({error}); write .otio or .fcpxml") from error
    write_text(path, text)


def _timeline(otio: Any, tracks: Tracks) -> Any:
    """A video track and a sound track for each recording, from the first named at the bottom."""
    made = otio.schema.Timeline(name=tracks.name)
    made.metadata[MARK] = {"notes": list(tracks.notes)}
    for kind in (otio.schema.TrackKind.Video, otio.schema.TrackKind.Audio):
        for one in tracks.tracks:
            if one.size if kind == otio.schema.TrackKind.Video else one.channels:
                track = otio.schema.Track(name=one.name, kind=kind)
                track.append(_clip(otio, one))
                made.tracks.append(track)
    texts = [*tracks.markers, *((0, note) for note in tracks.notes)]
    for frame, text in texts:
        span = otio.opentime.TimeRange(_time(otio, frame, tracks.fps), _time(otio, 1, tracks.fps))
        made.tracks.markers.append(otio.schema.Marker(name=text, marked_range=span))
    return made


def _edl(otio: Any, tracks: Tracks, one: Trimmed) -> Any:
    made = otio.schema.Timeline(name=tracks.name)
    track = otio.schema.Track(name=one.name, kind=otio.schema.TrackKind.Video)
    clip = _clip(otio, one)
    del clip.effects[:]
    clip.metadata["cmx_3600"] = {"comments": list(tracks.notes)}
    track.append(clip)
    made.tracks.append(track)
    return made


def _clip(otio: Any, one: Trimmed) -> Any:
    whole = otio.opentime.TimeRange(_time(otio, one.begin, one.fps), _time(otio, one.frames, one.fps))
    used = otio.opentime.TimeRange(_time(otio, one.begin + one.start, one.fps), _time(otio, one.count, one.fps))
    file = otio.schema.ExternalReference(target_url=one.url, available_range=whole)
    clip = otio.schema.Clip(name=one.name, media_reference=file, source_range=used)
    if one.speed != 1.0:
        clip.effects.append(otio.schema.LinearTimeWarp(name="drift", time_scalar=one.speed))
    return clip


def _time(otio: Any, frames: int, fps: Fraction) -> Any:
    return otio.opentime.RationalTime(frames, float(fps))


def _import(package: str) -> Any:
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise missing_extra("a timeline", "timeline") from error

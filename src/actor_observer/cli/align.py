"""Verbs that put recordings in step: align, pair."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import FlagCreatePairsOff, Positional, UseAppendAction

from actor_observer.cli.argument import arg
from actor_observer.cli.cuts import Cuts
from actor_observer.cli.ends.ending import LEFT_OUT, end, heard
from actor_observer.cli.options import Device, Frozen, Json, LookRate, Model, On, ShardOption, refuse_file
from actor_observer.cli.scale import align_data
from actor_observer.console import counted, print_json, progress, say
from actor_observer.errors import UserError

if TYPE_CHECKING:
    from actor_observer.alignment.cameras.result import Cameras
    from actor_observer.alignment.recordings.recording import Recording
    from actor_observer.alignment.result import Alignment

__all__ = ["align", "pair"]

MaxOffset = Annotated[float | None, arg(metavar="SECONDS", help="No two recordings started further apart.")]
SameSpeed = Annotated[
    FlagCreatePairsOff[bool], arg(help="The cameras' clocks run at exactly the same speed: look for no drift.")
]


def align(
    videos: Annotated[
        Positional[tuple[Path, ...]],
        arg(
            metavar="ROOM… HEAD",
            help="Room cameras' videos, then the head camera's: files, or folders of frames; also a sound recorder's "
            "file (wav, flac, m4a, …), and signals: joints, IMUs (csv, npz, parquet). Or one data set.",
            help_behavior_hint="",
        ),
    ] = (),
    *,
    first: Annotated[
        UseAppendAction[tuple[Path, ...]],
        arg(
            metavar="FILE",
            help="A head camera's, once for each; else those that move like one, or the last. "
            "none: all are room cameras. Of a data set that only names its cameras: a camera.",
        ),
    ] = (),
    out: Annotated[
        Path | None,
        arg(
            metavar="DIR",
            help="Where alignment.json and alignment.png go; of two videos, also anchors.csv. "
            "Of a data set: a file, FILE.jsonl.",
        ),
    ] = None,
    side_by_side: Annotated[
        Path | None, arg(metavar="FILE.mp4", help="Write the videos beside each other, playing in step.")
    ] = None,
    trim: Annotated[
        Path | None, arg(metavar="DIR", help="Write all videos that are in step, cut to the stretch they share.")
    ] = None,
    timeline: Annotated[
        Path | None,
        arg(metavar="FILE", help="Write a timeline for editors: .otio, .fcpxml, .xml (Final Cut 7) or .edl."),
    ] = None,
    labels: Annotated[
        Path | None, arg(metavar="FILE", help="Write the best moment, and --marks, for labelling: .eaf (ELAN) or .csv.")
    ] = None,
    marks: Annotated[
        Path | None,
        arg(metavar="FILE", help="Marks for --timeline and --labels: the studio's marks.csv, or an .eaf, all tiers."),
    ] = None,
    rerun: Annotated[
        Path | None, arg(metavar="FILE.rrd", help="Write the videos in step for the viewer Rerun (extra rerun).")
    ] = None,
    force: Annotated[FlagCreatePairsOff[bool], arg(help="Write over named files that are there already.")] = False,
    rate: Annotated[
        float | None, arg(metavar="N", help="Frames a second of what is cut or shown; else the fastest video's.")
    ] = None,
    anyway: Annotated[
        FlagCreatePairsOff[bool], arg(help="Write all videos, also those that are not in step, by the best guess.")
    ] = False,
    offset: Annotated[
        UseAppendAction[tuple[float, ...]],
        arg(
            metavar="SECONDS",
            help="Cut by a clock that you know, and look for none: observer time = offset + actor time, as in "
            "alignment.json. Of several: once for each but the first room camera, whose clock it is.",
            help_behavior_hint="",
        ),
    ] = (),
    time: Annotated[
        str | None, arg(metavar="COLUMN", help="Of signals: the column that says when; else it is found.")
    ] = None,
    columns: Annotated[
        tuple[str, ...],
        arg(
            metavar="COLUMN…",
            help="Of signals: the columns that count (gyro: gyro_x, gyro_y and gyro_z); else all that move.",
            help_behavior_hint="",
        ),
    ] = (),
    max_offset: MaxOffset = None,
    same_speed: SameSpeed = False,
    look_rate: LookRate = 6.0,
    model: Model = None,
    backbone: Frozen = None,
    device: Device = "auto",
    shard: ShardOption = None,
    on: On = None,
    json: Json = False,
) -> None:
    """Put two or more recordings of one event in step: find the clock between them, and say whether to believe it.

    Try it:  actor-observer align room.mp4 head.mp4 --out aligned --side-by-side both.mp4
    """
    from actor_observer.pairs.read import is_data

    cuts = Cuts(trim, side_by_side, rate, anyway, timeline, force, labels, marks, rerun)
    if len(videos) == 1 and is_data(videos[0]) and not _is_numbers(videos[0]):
        if offset or cuts != Cuts():
            raise UserError("what is cut or shown are recordings, not a data set: name their files")
        align_data(
            videos[0],
            _one_camera(first),
            out,
            max_offset,
            same_speed,
            look_rate,
            model,
            backbone,
            device,
            shard,
            on,
            json,
        )
        return
    if shard or on:
        raise UserError("--shard and --on are for a data set: align DATA --out FILE.jsonl")
    from actor_observer.alignment.asked import check_names
    from actor_observer.alignment.cameras.head import head_cameras

    heads = head_cameras(videos, first or None)
    cuts.check(videos, given=bool(offset))
    refuse_file("--out", out)
    if out or cuts.wanted:
        check_names(videos)
    if offset:
        _cut_by(offset, videos, heads, cuts, out, json)
        return
    found = _found(videos, heads, first, model, backbone, look_rate, max_offset, same_speed, device, time, columns)
    written = [*found.write(out), *_draw(found, out)] if out else []
    files, left_out = cuts.of(found)
    if json:
        print_json(found.to_dict())
    else:
        say(found)
        for path in (*written, *files):
            say(f"written     {path}")
    if left_out:
        end(left_out, LEFT_OUT)


def _is_numbers(path: Path) -> bool:
    """Whether a CSV file is a signal's, and no table of takes: it has neither their ids nor a room camera's videos."""
    from actor_observer.pairs.table import columns_of
    from actor_observer.signals import is_signal

    columns = columns_of(path) if is_signal(path) else set()
    return bool(columns) and not columns & {"id", "third"}


def _found(
    videos: Sequence[Path],
    heads: tuple[int, ...],
    first: tuple[Path, ...],
    model: str | None,
    backbone: str | None,
    look_rate: float,
    max_offset: float | None,
    same_speed: bool,
    device: str,
    time: str | None,
    columns: tuple[str, ...],
) -> Alignment | Cameras:
    """The clock between a room camera and a head camera, or of any other recordings."""
    from actor_observer.alignment.align import align as align_videos
    from actor_observer.alignment.asked import check_asked
    from actor_observer.alignment.cameras.head import head_by_motion
    from actor_observer.alignment.cameras.many import align_many
    from actor_observer.features.models import open_model
    from actor_observer.pairs.probe import only_sound
    from actor_observer.signals import is_signal

    signals = any(map(is_signal, videos))
    if (time or columns) and not signals:
        raise UserError("--time and --columns are about signals (csv, npz, parquet): there is none among these files")
    check_asked(look_rate, max_offset, device)
    with progress("looking at the videos", len(videos)) as step:
        told = step, step.part
        if len(videos) == 2 and len(heads) == 1 and not signals and not any(map(only_sound, videos)):
            network, (head,) = open_model(model, backbone), heads
            named = head
            pair: tuple[Path | Recording, Path | Recording] = videos[1 - head], videos[head]
            if not first:
                named, pair = head_by_motion(videos, head, network, look_rate, step.part)
            if named != head:
                say(f"{videos[named]} moves like a head camera, and is taken for it; --first names another", error=True)
            return align_videos(*pair, network, None, None, look_rate, max_offset, same_speed, device, *told)
        how = model, backbone, look_rate, max_offset, same_speed, device
        return align_many(videos, first or None, *how, *told, time, columns)


def _one_camera(first: tuple[Path, ...]) -> str | None:
    """Of a data set, one camera of each take is the actor's."""
    if len(first) > 1:
        raise UserError("--first: of a data set, name one camera")
    return str(first[0]) if first else None


def _cut_by(
    offset: tuple[float, ...], videos: Sequence[Path], heads: tuple[int, ...], cuts: Cuts, out: Path | None, json: bool
) -> None:
    """Cut by a clock that somebody knows; nothing is looked for."""
    from actor_observer.alignment.cameras.clocked import given_clock
    from actor_observer.pictures.side_by_side import title_of_given

    if out:
        raise UserError("--out keeps what was found; with --offset nothing is looked for")
    recordings = given_clock(videos, heads, offset)
    title = title_of_given(recordings)
    written = cuts.write(recordings, title, notes=[title])
    if json:
        print_json({"written": [str(path) for path in written]})
        return
    for path in written:
        say(f"written     {path}")


def _draw(found: Alignment | Cameras, out: Path) -> list[Path]:
    """The picture of two recordings in step, or of what moves when in several."""
    from actor_observer.pictures.figures.parts.save import save_picture
    from actor_observer.pictures.report.shown_answer import plot

    return [save_picture(plot(found), out / "alignment.png")]


def pair(
    third: Annotated[Positional[Path], arg(metavar="THIRD_DIR", help="A folder of room cameras' videos.")],
    first: Annotated[
        Positional[Path], arg(metavar="FIRST_DIR", help="A folder of head cameras' videos, or of signals.")
    ],
    out: Annotated[Path, arg(metavar="FILE.csv", help="The pairs.csv to write, which every command reads.")],
    max_offset: MaxOffset = None,
    same_speed: SameSpeed = False,
    look_rate: LookRate = 6.0,
    model: Model = None,
    backbone: Frozen = None,
    device: Device = "auto",
    json: Json = False,
) -> None:
    """Find which head recording, or signal, belongs to which room recording, and their clocks. Exit code 3 if some
    cannot be read.

    Try it:  actor-observer pair room-cameras/ head-cameras/ --out pairs.csv
    """
    from actor_observer.alignment.cameras.pairing import check_pairs_csv, name_recordings, signals_beside
    from actor_observer.alignment.cameras.pairing import pair as pair_recordings

    check_pairs_csv(out)
    refuse_file("--out", out.parent)
    sides = name_recordings(third), name_recordings(first)
    for left in (signals_beside(third), signals_beside(first)):
        if left:
            say(
                f"note: {left[0]} and other signals are left out: pair compares a folder of nothing but signals",
                error=True,
            )
    with progress("comparing recordings", 2 * len(sides[0]) + len(sides[1])) as step:

        def each() -> None:
            step()
            heard()

        found = pair_recordings(*sides, model, backbone, look_rate, max_offset, same_speed, device, each)
    found.write_csv(out)
    for fault in found.faults:
        say(fault, error=True)
    if json:
        print_json(found.to_dict())
    else:
        say(found)
        say(f"{out}: {counted(len(found.pairs), 'pair')}")
    if found.faults:
        sys.exit(LEFT_OUT)

"""Verbs that put recordings in step: align, pair."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from tyro.conf import FlagCreatePairsOff, Positional, arg

from actor_observer.cli.ending import LEFT_OUT, heard, warn
from actor_observer.cli.options import Device, Frozen, Json, LookRate, Model, On, ShardOption, refuse_file
from actor_observer.cli.scale import align_data, is_data
from actor_observer.console import counted, print_json, progress, say
from actor_observer.errors import UserError

__all__ = ["align", "pair"]

MaxOffset = Annotated[float | None, arg(metavar="SECONDS", help="Two recordings started no further apart than this.")]
SameSpeed = Annotated[
    FlagCreatePairsOff[bool], arg(help="The cameras' clocks run at exactly the same speed: look for no drift.")
]


def align(
    videos: Annotated[
        Positional[tuple[Path, ...]],
        arg(
            metavar="ROOM… HEAD",
            help="Room cameras' videos, then the head camera's: files, or folders of frames; also a sound recorder's "
            "file (wav, flac, m4a, …). Or one data set.",
            help_behavior_hint="",
        ),
    ] = (),
    *,
    first: Annotated[
        Path | None,
        arg(metavar="FILE", help="Which of them is the head camera's, if not the last; none: all are room cameras."),
    ] = None,
    out: Annotated[
        Path | None,
        arg(metavar="DIR", help="Where alignment.json goes; of two videos, also anchors.csv and alignment.png."),
    ] = None,
    side_by_side: Annotated[
        Path | None, arg(metavar="FILE.mp4", help="Write two videos beside each other, playing in step.")
    ] = None,
    trim: Annotated[
        Path | None, arg(metavar="DIR", help="Write all videos that are in step, cut to the stretch they share.")
    ] = None,
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
    """Put videos of one thing in step: the clock between them, and whether to believe it. Two or more cameras.

    Try it:  actor-observer align room.mp4 head.mp4 --out aligned --side-by-side both.mp4
    """
    if len(videos) == 1 and is_data(videos[0]):
        align_data(videos[0], out, max_offset, same_speed, look_rate, model, backbone, device, shard, on, json)
        return
    if shard or on:
        raise UserError("--shard and --on are for a data set: align DATA --out FILE.jsonl")
    from actor_observer.alignment.align import align as align_videos
    from actor_observer.alignment.cameras.many import Cameras, align_many, head_camera
    from actor_observer.alignment.cameras.side_by_side import check_target
    from actor_observer.alignment.cameras.trim import parts_in_step, trim_targets
    from actor_observer.alignment.cameras.trim import trim as trim_videos
    from actor_observer.alignment.result import Alignment
    from actor_observer.pairs.probe import only_sound

    head = head_camera(videos, first)
    if side_by_side and len(videos) > 2:
        raise UserError(f"--side-by-side shows two videos, not {len(videos)}; --trim writes all of them in step")
    if side_by_side:
        check_target(side_by_side, *videos)
    if trim:
        trim_targets(videos, trim)
    refuse_file("--out", out)
    refuse_file("--trim", trim)
    refuse_file("--side-by-side", side_by_side and side_by_side.parent)
    found: Alignment | Cameras
    with progress("looking at the videos", len(videos)) as step:
        if len(videos) == 2 and head is not None and not any(map(only_sound, videos)):
            pair = videos[1 - head], videos[head]
            found = align_videos(*pair, model, backbone, None, look_rate, max_offset, same_speed, device, step)
        else:
            found = align_many(videos, first, model, backbone, look_rate, max_offset, same_speed, device, step)
    written = found.write(out) if out else []
    if isinstance(found, Alignment):
        written += _draw(found, out, side_by_side)
    if trim:
        parts = parts_in_step(found)
        if len(parts) < 2:
            warn("--trim: nothing was cut, as no two videos are in step")
        else:
            with progress("cutting the videos", len(parts)) as step:
                written += trim_videos(parts, trim, step)
    if json:
        print_json(found.to_dict())
        return
    say(found)
    for path in written:
        say(f"written     {path}")


def _draw(found: object, out: Path | None, side_by_side: Path | None) -> list[Path]:
    """The picture and the video of two recordings in step."""
    from actor_observer.alignment.cameras.side_by_side import write_side_by_side
    from actor_observer.alignment.result import Alignment

    assert isinstance(found, Alignment)
    written = []
    if out:
        from actor_observer.pictures.figures.film_strips import draw_film_strips
        from actor_observer.pictures.figures.save import save_picture

        matrix, best = found.evidence, (found.best.third, found.best.first)
        times, paths = (matrix.third_times, matrix.first_times), (Path(found.third), Path(found.first))
        figure = draw_film_strips(*paths, *times, matrix.distances.T, found.joins, best, found.title)
        save_picture(figure, out / "alignment.png")
        written.append(out / "alignment.png")
    if side_by_side:
        write_side_by_side(found.third, found.first, found.clock, side_by_side, title=found.title)
        written.append(side_by_side)
    return written


def pair(
    third: Annotated[Positional[Path], arg(metavar="THIRD_DIR", help="A folder of room cameras' videos.")],
    first: Annotated[Positional[Path], arg(metavar="FIRST_DIR", help="A folder of head cameras' videos.")],
    out: Annotated[Path, arg(metavar="FILE.csv", help="The pairs.csv to write, which every command reads.")],
    max_offset: MaxOffset = None,
    same_speed: SameSpeed = False,
    look_rate: LookRate = 6.0,
    model: Model = None,
    backbone: Frozen = None,
    device: Device = "auto",
    json: Json = False,
) -> None:
    """Find which head recording belongs to which room recording, and their clocks. Exit code 3 if some cannot be read.

    Try it:  actor-observer pair room-cameras/ head-cameras/ --out pairs.csv
    """
    from actor_observer.alignment.cameras.pairing import name_recordings
    from actor_observer.alignment.cameras.pairing import pair as pair_recordings

    if out.suffix.lower() != ".csv":
        raise UserError(f"{out}: the pairs are written as .csv")
    refuse_file("--out", out.parent)
    sides = name_recordings(third), name_recordings(first)
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

"""Verbs that find moments: index, search."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from tyro.conf import Positional

from actor_observer.cli.argument import arg
from actor_observer.cli.ends.ending import finish, under_way
from actor_observer.cli.options import Device, EngineName, First, Fps, Frozen, Json, Model, On, ShardOption, View
from actor_observer.console import counted, print_json, say, screen

__all__ = ["index", "search"]


def index(
    videos: Annotated[
        Positional[tuple[Path, ...]],
        arg(metavar="VIDEOS…", help="Files, folders of videos or of frames; or one data set.", help_behavior_hint=""),
    ],
    view: View,
    out: Annotated[
        str,
        arg(metavar="INDEX", help="The index's folder, or with lance s3://…; the same command resumes and adds to it."),
    ],
    subject: Annotated[
        str | None, arg(metavar="NAME", help="Who acts in these videos, to search by; else as the index has it.")
    ] = None,
    first: First = None,
    moment_rate: Annotated[float, arg(help="Moments a second.")] = 1.0,
    model: Model = None,
    backbone: Frozen = None,
    fps: Fps = None,
    device: Device = "auto",
    shard: ShardOption = None,
    on: On = None,
    engine: EngineName = "flat",
    json: Json = False,
) -> None:
    """Make videos searchable. The same command resumes after a kill and adds new videos; exit code 3 if some fail.

    Try it:  actor-observer index head-camera/ --view first --out moments
    """
    from actor_observer.cluster.on_ray import extract_on
    from actor_observer.pairs import Fault, Take
    from actor_observer.pairs.read import is_data, takes_in
    from actor_observer.searching.index import index as index_videos
    from actor_observer.searching.named import name_videos
    from actor_observer.shards import Shard

    own = Shard.parse(shard) if shard else None
    wanted: Sequence[Path | Take] = videos
    left_out: tuple[Fault, ...] = ()
    if len(videos) == 1 and is_data(videos[0]):
        wanted, left_out = takes_in(videos[0], view, first)
    names = name_videos(wanted)
    kept = f"{out} holds every video that was done"
    with under_way("indexing", len(own.of(names) if own else names), kept) as step:
        settings = (subject, moment_rate, model, backbone, fps, device)
        done = index_videos(wanted, out, view, *settings, step, step.part, own, extract_on(on), engine)
    done.faults[:0] = left_out
    finish(done, json)


def search(
    index: Annotated[Positional[str], arg(metavar="INDEX", help="What `index` or `convert` made: a folder, or s3://…")],
    query: Annotated[
        Positional[tuple[str, ...]],
        arg(
            metavar="WORDS|IMAGE|VIDEO@TIME…",
            help="What to look for; several: what is near to all of them.",
            help_behavior_hint="",
        ),
    ],
    view: Annotated[
        Literal["third", "first"] | None,
        arg(metavar="VIEW", help="The view of the query; if not given, the one that the index does not hold."),
    ] = None,
    in_view: Annotated[
        Literal["third", "first"] | None, arg(metavar="VIEW", help="Search only moments of this view.")
    ] = None,
    subject: Annotated[str | None, arg(metavar="NAME", help="Search only videos of this person.")] = None,
    video: Annotated[str | None, arg(metavar="NAME", help="Search only this video; * matches anything.")] = None,
    top: Annotated[int, arg(help="How many answers.")] = 10,
    apart: Annotated[float, arg(help="Seconds between two answers from one video.")] = 2.0,
    out: Annotated[Path | None, arg(metavar="DIR", help="Where pictures of the answers go.")] = None,
    model: Model = None,
    backbone: Frozen = None,
    fps: Fps = None,
    device: Device = "auto",
    json: Json = False,
) -> None:
    """Find a moment in other videos, given a picture or a moment of a video, usually of the other view, or words.

    Try it:  actor-observer search moments room.mp4@12.5 --out found
    """
    from rich.markup import escape
    from rich.table import Table

    from actor_observer.searching.search import search as search_index

    found = search_index(index, list(query), view, in_view, subject, video, top, apart, model, backbone, fps, device)
    written = found.save(out) if out else []
    if json:
        print_json(found.to_dict())
        return
    table = Table("", "video", "time (s)", "distance", "view", "subject", box=None)
    for rank, hit in enumerate(found.hits, start=1):
        table.add_row(
            f"{rank}", escape(hit.place), f"{hit.time:.2f}", f"{hit.distance:.3f}", hit.view, escape(hit.subject)
        )
    screen().print(table)
    if found.warning:
        say(found.warning)
    if written:
        say(f"{counted(len(written) - 1, 'picture')} and {written[-1].name} in {out}")

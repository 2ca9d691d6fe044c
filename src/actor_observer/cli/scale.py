"""Verbs for many machines: merge, convert; and aligning a whole data set."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional

from actor_observer.cli.argument import arg
from actor_observer.cli.ends.ending import finish, under_way
from actor_observer.cli.options import EngineName, Json
from actor_observer.console import counted, print_json, say
from actor_observer.errors import UserError
from actor_observer.stopping import keeping

__all__ = ["align_data", "convert", "merge"]


def merge(
    parts: Annotated[
        Positional[tuple[Path, ...]],
        arg(metavar="PARTS…", help="What a command made with --shard 1/N to N/N, in any order.", help_behavior_hint=""),
    ],
    out: Annotated[Path, arg(metavar="OUT", help="The whole: a file or a folder, as the command makes it.")],
    json: Json = False,
) -> None:
    """Put the parts of embed, index, playhouse, align DATA or audit together, as one run would have made them.

    Try it:  actor-observer merge parts/*.safetensors --out all.safetensors
    """
    from actor_observer.cluster.merge import merge as merge_parts

    with keeping("the parts are as they were, and the same command starts anew"):
        merged = merge_parts(parts, out)
    finish(merged, json)


def align_data(
    data: Path,
    first: str | None,
    out: Path | None,
    max_offset: float | None,
    same_speed: bool,
    look_rate: float,
    model: str | None,
    backbone: str | None,
    device: str,
    shard: str | None,
    on: str | None,
    json: bool,
) -> None:
    """Align all pairs of a data set: `align DATA`."""
    from actor_observer.alignment.align_set import align_set
    from actor_observer.cluster.on_ray import for_each_on
    from actor_observer.features.models import open_model
    from actor_observer.pairs import read_manifest
    from actor_observer.shards import Shard

    part = Shard.parse(shard) if shard else None
    if not data.exists():
        raise UserError(f"{data}: no such file or folder")
    if out is None:
        raise UserError(f"{data} is a data set: align needs --out FILE.jsonl for its results")
    manifest = read_manifest(data, first=first)
    many = [pair for pair in manifest.pairs if pair.same_person]
    kept = f"what is done lies in {out}.parts"
    with under_way("aligning", len(part.of(many) if part else many), kept) as step:
        settings = (look_rate, max_offset, same_speed, device)
        done = align_set(open_model(model, backbone), manifest, out, *settings, step, part, for_each_on(on))
    finish(replace(done, faults=(*(fault for fault in manifest.faults if fault.left_out), *done.faults)), json)


def convert(
    index: Annotated[Positional[str], arg(metavar="INDEX", help="What `index` or `convert` made: a folder, or s3://…")],
    engine: EngineName,
    out: Annotated[str, arg(metavar="OUT", help="A folder; with lance also s3://…. An index there is added to.")],
    json: Json = False,
) -> None:
    """Bring an index to another engine; `search` finds the same there. The same command resumes after a kill.

    Try it:  actor-observer convert moments --engine lance --out s3://bucket/moments
    """
    from actor_observer.searching.convert import convert as convert_index

    with keeping(f"{index} is as it was, and the same command goes on with {out}"):
        videos = convert_index(index, out, engine).videos
    moments = sum(entry.rows for entry in videos)
    if json:
        print_json({"index": out, "engine": engine, "videos": len(videos), "moments": moments})
    else:
        say(f"{out}: {counted(len(videos), 'video')}, {counted(moments, 'moment')}, engine {engine}")

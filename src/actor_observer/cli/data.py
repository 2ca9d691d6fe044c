"""Verbs about data: look into it, make it, decode it once."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

from tyro.conf import FlagCreatePairsOff, Positional

from actor_observer.cli.argument import arg
from actor_observer.cli.ends.ending import LEFT_OUT, finish, under_way
from actor_observer.cli.options import Data, First, Json, On, Seed, ShardOption, Videos, refuse_file
from actor_observer.console import counted, print_json, printable, progress, say, screen
from actor_observer.errors import UserError
from actor_observer.stopping import keeping

__all__ = ["frames", "inspect", "playhouse"]


def inspect(
    data: Data,
    videos: Videos = (),
    near: Annotated[float, arg(help="Δ: frames closer than this correspond (third-person seconds).")] = 1.0,
    far: Annotated[float, arg(help="Δ': frames further apart than this do not.")] = 10.0,
    seed: Seed = 0,
    first: First = None,
    json: Json = False,
) -> None:
    """Say what a data set holds and everything wrong with it. Every file is opened and read; exit code 3 if some fail.

    Try it:  actor-observer inspect ~/CharadesEgo --videos ~/Charades_v1_480
    """
    if not 0 < near < far:
        raise UserError(f"--near {near:g} --far {far:g}: need 0 < near < far")
    from actor_observer.frames import check_manifest
    from actor_observer.pairs import read_manifest
    from actor_observer.sampling import take_census
    from actor_observer.sampling.census_table import class_table, split_table

    manifest = read_manifest(data, videos, seed, first)
    with progress("looking into the files", len(manifest.takes)) as step:
        manifest = check_manifest(manifest, step)
    census = take_census(manifest, near, far)
    if json:
        print_json(census.to_dict())
        sys.exit(LEFT_OUT if census.left_out else 0)
    out = screen()
    yellow, plain = ("\x1b[33m", "\x1b[0m") if out.is_terminal else ("", "")
    for fault in census.faults:  # past rich: a data set without its videos has a hundred thousand of them
        print(f"{yellow}{printable(fault)}{plain}")
    out.print(split_table(census))
    if census.classes:
        out.print(class_table(census))
    for note in census.notes:
        out.print(f"note: {printable(note)}", markup=False)
    kept = len(census.faults) - census.left_out
    out.print(f"{counted(len(census.faults), 'fault')}: {census.left_out} left out, {kept} mended or harmless")
    if census.left_out:
        sys.exit(LEFT_OUT)


def playhouse(
    out: Annotated[Positional[Path], arg(metavar="OUT", help="The folder to make; the same command resumes there.")],
    pairs: Annotated[int, arg(help="How many pairs or events: 70 % train, 10 % validation, 20 % test.")] = 20,
    seed: Annotated[int, arg(help="Decides everything: the same seed gives the same set.")] = 0,
    size: Annotated[str, arg(metavar="WIDTHxHEIGHT", help="Size of the videos, in multiples of 4.")] = "224x168",
    fps: Annotated[float, arg(help="Frames per second.")] = 12.0,
    labelled: Annotated[int, arg(help="Third-person takes to add that carry labels and belong to no pair.")] = 0,
    tempo: Annotated[
        Literal["free", "steady"],
        arg(help="Of separate performances: free, as people act; steady, nearly in proportion, as older sets are."),
    ] = "free",
    together: Annotated[
        FlagCreatePairsOff[bool], arg(help="Both cameras record one performance: a pairs.csv.")
    ] = False,
    varied: Annotated[
        FlagCreatePairsOff[bool],
        arg(help="With --together: lenses, shake, bystanders, movement and frame rates drawn for each pair."),
    ] = False,
    events: Annotated[
        FlagCreatePairsOff[bool],
        arg(help="Several room cameras, wearers and people in one event, all varied: an events.csv beside pairs.csv."),
    ] = False,
    rooms: Annotated[tuple[int, int], arg(help="With --events: room cameras, at least and at most.")] = (1, 3),
    wearers: Annotated[tuple[int, int], arg(help="With --events: people with a head camera.")] = (1, 2),
    people: Annotated[tuple[int, int], arg(help="With --events: people in the room.")] = (1, 5),
    shared: Annotated[float, arg(help="With --events: share of its recording each camera has in common.")] = 0.4,
    workers: Annotated[int | None, arg(metavar="N", help="Processes that render; one per core if not given.")] = None,
    shard: ShardOption = None,
    on: On = None,
    json: Json = False,
) -> None:
    """Make paired videos with exact truth: actors perform household scripts in rendered homes (needs the extra `sim`).

    Try it:  actor-observer playhouse OUT --pairs 20 --seed 0
    """
    width, _, height = size.partition("x")
    if not (width.isdecimal() and height.isdecimal()):
        raise UserError(f"--size {size}: give width and height, such as 224x168")
    from actor_observer.playhouse import Events, make
    from actor_observer.shards import Shard

    refuse_file("OUT", out)
    own = Shard.parse(shard) if shard else None
    for_each = None
    if on:
        from actor_observer.cluster.on_ray import for_each_on

        for_each = for_each_on(on, on_gpu=False)
    with keeping(f"every take that is done is kept in {out}, and the same command resumes"):
        made = make(
            out,
            pairs=pairs,
            seed=seed,
            size=(int(width), int(height)),
            fps=fps,
            labelled=labelled,
            tempo=tempo,
            together=together,
            varied=varied,
            events=Events(rooms, wearers, people, shared=shared) if events else None,
            workers=workers,
            shard=own,
            for_each=for_each,
        )
    if json:
        print_json({"path": str(out), "takes": made.takes, "frames": made.frames})
        return
    speed = (
        f"{made.frames} frames at {made.frames_per_second:.0f} a second" if made.frames else "all were there already"
    )
    say(f"{out}: {counted(made.takes, 'take')}, {speed}")


def frames(
    data: Data,
    out: Annotated[Path, arg(metavar="FRAMES", help="The folder to make, itself a data set; the same command resumes")],
    videos: Videos = (),
    recipe: Annotated[
        str, arg(metavar="NAME", help="The recipe that they are for: it decides their size.")
    ] = "paper-correspondence",
    size: Annotated[
        int | None, arg(metavar="PIXELS", help="Pixels of the short side, instead of the recipe's.")
    ] = None,
    frame_rate: Annotated[
        float | None, arg(metavar="N", help="Frames a second at most; else as many as a recording has.")
    ] = None,
    quality: Annotated[int, arg(help="Quality of the JPEGs, 1 to 100.")] = 90,
    tar: Annotated[
        float | None,
        arg(metavar="MB", help="Tar files of about this size, for network disks; else a folder for each take."),
    ] = None,
    workers: Annotated[int | None, arg(metavar="N", help="Threads that decode; one per core if not given.")] = None,
    first: First = None,
    shard: Annotated[
        str | None,
        arg(metavar="N/OF", help="Do only this part, e.g. 3/64 (counted from 1); all parts have the same --out."),
    ] = None,
    json: Json = False,
) -> None:
    """Decode a data set once, into JPEG frames that train, embed and the others read. Exit code 3 if some takes fail.

    Try it:  actor-observer frames ~/CharadesEgo --out ~/CharadesEgo_frames
    """
    from actor_observer.frames.kept.jpegs_of import FrameForm
    from actor_observer.frames.kept.keep import grouped, keep_frames
    from actor_observer.pairs import read_manifest
    from actor_observer.shards import Shard
    from actor_observer.training.planning.recipes import recipe_named

    refuse_file("--out", out)
    part, chosen = Shard.parse(shard) if shard else None, recipe_named(recipe)
    form = FrameForm(size or (chosen.size if chosen.frozen else chosen.decode), frame_rate, quality)
    manifest = read_manifest(data, videos, first=first)
    groups = grouped(manifest, form, tar)
    takes, kept = sum(map(len, part.of(groups) if part else groups)), f"{out} holds every take that was done"
    with under_way("decoding", takes, kept) as step:

        def each(takes: int) -> None:
            for _ in range(takes):
                step()

        done = keep_frames(data, manifest, out, form, tar, part, workers, each)
    finish(done, json)

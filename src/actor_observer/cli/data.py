"""Verbs about data: look into it, make it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from tyro.conf import FlagCreatePairsOff, Positional, arg

from actor_observer.cli.ending import LEFT_OUT
from actor_observer.cli.options import Data, Json, Seed, ShardOption, Videos
from actor_observer.console import counted, print_json, printable, progress, say, screen
from actor_observer.errors import UserError

__all__ = ["inspect", "playhouse"]


def inspect(
    data: Data,
    videos: Videos = (),
    near: Annotated[float, arg(help="Δ: frames closer than this correspond (third-person seconds).")] = 1.0,
    far: Annotated[float, arg(help="Δ': frames further apart than this do not.")] = 10.0,
    seed: Seed = 0,
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

    manifest = read_manifest(data, videos, seed)
    with progress("looking into the files", len(manifest.takes)) as step:
        manifest = check_manifest(manifest, step)
    census = take_census(manifest, near, far)
    if json:
        print_json(census.as_json())
        sys.exit(LEFT_OUT if census.left_out else 0)
    out = screen()
    for fault in census.faults:
        out.print(printable(str(fault)), style="yellow", markup=False)
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
    pairs: Annotated[int, arg(help="How many pairs: 70 % train, 10 % validation, 20 % test.")] = 20,
    seed: Annotated[int, arg(help="Decides everything: the same seed gives the same set.")] = 0,
    size: Annotated[str, arg(metavar="WIDTHxHEIGHT", help="Of the videos, in multiples of 4.")] = "224x168",
    fps: Annotated[float, arg(help="Frames per second.")] = 12.0,
    labelled: Annotated[int, arg(help="Third-person takes to add that carry labels and belong to no pair.")] = 0,
    together: Annotated[
        FlagCreatePairsOff[bool], arg(help="Both cameras record one performance: a pairs.csv.")
    ] = False,
    varied: Annotated[
        FlagCreatePairsOff[bool],
        arg(help="With --together: lenses, shake, bystanders, movement and frame rates drawn for each pair."),
    ] = False,
    workers: Annotated[int | None, arg(metavar="N", help="Processes that render; one per core if not given.")] = None,
    shard: ShardOption = None,
    json: Json = False,
) -> None:
    """Make paired videos with exact truth: actors perform household scripts in rendered homes (needs the extra `sim`).

    Try it:  actor-observer playhouse OUT --pairs 20 --seed 0
    """
    width, _, height = size.partition("x")
    if not (width.isdecimal() and height.isdecimal()):
        raise UserError(f"--size {size}: give width and height, such as 224x168")
    from actor_observer.playhouse import make
    from actor_observer.shards import Shard

    made = make(
        out,
        pairs=pairs,
        seed=seed,
        size=(int(width), int(height)),
        fps=fps,
        labelled=labelled,
        together=together,
        varied=varied,
        workers=workers,
        shard=Shard.parse(shard) if shard else None,
    )
    if json:
        print_json({"path": str(out), "takes": made.takes, "frames": made.frames})
        return
    speed = (
        f"{made.frames} frames at {made.frames_per_second:.0f} a second" if made.frames else "all were there already"
    )
    say(f"{out}: {counted(made.takes, 'take')}, {speed}")

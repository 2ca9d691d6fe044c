"""The verb about the paper: all of its experiments, in order."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from tyro.conf import FlagCreatePairsOff

from actor_observer.cli.argument import arg
from actor_observer.cli.ends.ending import end
from actor_observer.cli.options import Cache, Data, Device, First, Json, Seed, Videos, refuse_file
from actor_observer.cli.repeated import refuse_twice
from actor_observer.console import print_json, progress, say, screen
from actor_observer.stopping import keeping

__all__ = ["reproduce"]


def reproduce(
    data: Data,
    out: Annotated[Path, arg(metavar="DIR", help="Where runs, tables, figures and the page go.")] = Path("runs/paper"),
    plan: Annotated[
        FlagCreatePairsOff[bool], arg(help="Print the stages and how long they take on this machine, and do nothing.")
    ] = False,
    quick: Annotated[
        FlagCreatePairsOff[bool], arg(help="The same in minutes: MobileNetV2 stays frozen, only the heads learn.")
    ] = False,
    classifier: Annotated[
        Path | None, arg(metavar="CHECKPOINT", help="A published Charades classifier, instead of training one.")
    ] = None,
    set: Annotated[
        tuple[str, ...], arg(metavar="NAME=VALUE", help="Settings to change in every recipe, e.g. batch=16.")
    ] = (),
    videos: Videos = (),
    seed: Seed = 0,
    first: First = None,
    cache: Cache = None,
    device: Device = "auto",
    json: Json = False,
) -> None:
    """Run all of the paper's experiments, and write its Tables 1, 2 and 3 beside ours, the figures, one page.

    The same command goes on where it was stopped; works under torchrun too.

    Try it:  actor-observer reproduce ~/CharadesEgo --out runs/paper --plan
    """
    from actor_observer.paper.plan import plan as make_plan
    from actor_observer.paper.reproduce import Reproduction
    from actor_observer.training import Stopped
    from actor_observer.training.planning.ranks import ranks_asked

    refuse_file("--out", out)
    refuse_twice(set)
    job = Reproduction(
        *(data, out, quick, set, classifier, videos, seed, cache, device),
        say=(lambda line: say(line, error=True)) if json else say,
        bar=progress,
        first=first,
    )
    if plan:
        with keeping("a plan writes nothing"):
            made = make_plan(job)
        if json:
            print_json(made.to_dict())
            return
        screen().print(made.as_rich())
        for note in made.notes:
            say(note)
        return
    try:
        with keeping(f"every finished stage is kept in {out}, and the same command goes on"):
            page = job.run()
    except Stopped as stopped:
        end(str(stopped), stopped.code)
    if ranks_asked()[0]:
        return  # of several processes, the first speaks
    if json:
        print_json({"page": str(page)})
    else:
        say(page)

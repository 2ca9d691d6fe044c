"""Verbs about learning: train, judge, draw."""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import Annotated

from tyro.conf import FlagCreatePairsOff, Positional

from actor_observer.cli.argument import arg
from actor_observer.cli.ends.ending import end, warn
from actor_observer.cli.options import Cache, DataOption, Device, First, Json, LookRate, Run, Seed, Split, Videos
from actor_observer.cli.repeated import refuse_twice
from actor_observer.console import counted, print_json, printable, progress, say, screen
from actor_observer.errors import UserError
from actor_observer.stopping import keeping

__all__ = ["evaluate", "pictures", "report", "score", "train"]

FEATURES = "features that were computed are kept, and the same command goes on from there"


def train(
    recipe: Annotated[Positional[str], arg(metavar="RECIPE", help="A recipe's name (see docs/training.md).")],
    data: Annotated[Path | None, arg(metavar="DATA", help="A pairs.csv, or a folder (see docs/data.md).")] = None,
    out: Annotated[Path | None, arg(metavar="RUN", help="The run's folder; a run in it is resumed.")] = None,
    set: Annotated[
        tuple[str, ...],
        arg(metavar="NAME=VALUE", help="Settings of the recipe to change, e.g. seed=3 optimiser.lr=1e-4."),
    ] = (),
    init: Annotated[
        str,
        arg(metavar="START", help="box: the model in the box; a run or published checkpoint: its backbone."),
    ] = "",
    videos: Videos = (),
    first: First = None,
    cache: Cache = None,
    device: Device = "auto",
    print_recipe: Annotated[FlagCreatePairsOff[bool], arg(help="Print all settings as YAML, and do nothing.")] = False,
    json: Json = False,
) -> None:
    """Train a recipe on a data set. The same command resumes a run that ended early; works under torchrun too.

    Try it:  actor-observer train quick --data ~/CharadesEgo --out runs/first
    """
    from actor_observer.training import Stopped, as_yaml, recipe_named, with_settings
    from actor_observer.training import train as train_recipe
    from actor_observer.training.folder.checkpoint import Progress, read_progress

    settings = [*set, *([f"init={init}"] if init else [])]
    refuse_twice(settings)
    chosen = with_settings(recipe_named(recipe), settings)
    if print_recipe:
        print(as_yaml(chosen), end="")
        return
    if data is None or out is None:
        raise UserError("train needs --data DATA and --out RUN (see: actor-observer train --help)")
    try:
        with keeping(FEATURES), redirect_stdout(sys.stderr) if json else nullcontext():  # what it says is no answer
            run = train_recipe(chosen, data, out, videos, cache, device, first=first)
    except Stopped as stopped:
        end(str(stopped), stopped.code)
    if json and os.environ.get("RANK", "0") == "0":
        done = read_progress(run) or Progress()
        print_json({"run": str(run), "steps": done.step, "best_step": done.best_step, "validation": done.best})


def evaluate(
    subjects: Annotated[
        Positional[tuple[str, ...]],
        arg(
            metavar="RUN_OR_EMBEDDINGS…",
            help="Runs' folders or files of embeddings; several stand side by side.",
            help_behavior_hint="",
        ),
    ],
    data: DataOption,
    split: Split = "test",
    out: Annotated[Path | None, arg(metavar="DIR", help="Where tables.json, tables.md and tables.tex go.")] = None,
    near: Annotated[float, arg(help="Δ: frames closer than this correspond (third-person seconds).")] = 1.0,
    far: Annotated[float, arg(help="Δ': frames further apart than this do not.")] = 10.0,
    moment: Annotated[float, arg(help="Seconds of a moment.")] = 1.0,
    far_share: Annotated[
        float, arg(help="Δ' is at most this share of the time that both takes show: for takes of a few seconds.")
    ] = 1.0,
    moment_share: Annotated[float, arg(help="A moment is at most this share of the third-person take.")] = 1.0,
    look_rate: LookRate = 6.0,
    videos: Videos = (),
    seed: Seed = 0,
    first: First = None,
    cache: Cache = None,
    device: Device = "auto",
    json: Json = False,
) -> None:
    """Judge a run, or anybody's embeddings: correspondence, alignment, recognition; as published, and fair.

    Try it:  actor-observer evaluate runs/first --data ~/CharadesEgo --out runs/first
    """
    from actor_observer.evaluation.compared.method import Protocol
    from actor_observer.evaluation.evaluate import evaluate_runs
    from actor_observer.evaluation.judged_data import JudgedData
    from actor_observer.features.see import check_look_rate

    if not subjects:
        raise UserError("evaluate needs at least one run or file of embeddings (see: actor-observer evaluate --help)")
    check_look_rate(look_rate)
    step = min(1.0, moment)
    protocol = Protocol(near, far, far_share, moment, moment_share, step=step, seed=seed)
    on = JudgedData(data, split, videos, seed, cache, device, progress, warn, look_rate, first=first)
    with keeping(FEATURES):
        verdict = evaluate_runs(subjects, on, protocol)
    if out:
        verdict.write(out)
    if json:
        print_json(verdict.to_dict())
        return
    for table in verdict.tables.values():
        screen().print(table.as_rich())


def score(
    submission: Annotated[
        Positional[Path], arg(metavar="SUBMISSION", help="Lines of `id s0 s1 …`, one for each video.")
    ],
    truth: Annotated[Positional[Path], arg(metavar="GROUND_TRUTH", help="A CSV with the columns id and actions.")],
    json: Json = False,
) -> None:
    """Charades mAP of a submission file, by the official scorer's definition, with its interval over videos.

    Try it:  actor-observer score submission.txt CharadesEgo_v1_test_only1st.csv
    """
    from actor_observer.evaluation.submission import score_submission

    scored = score_submission(submission, truth)
    if json:
        print_json(scored.to_dict())
        return
    out, found = screen(), scored.recognition
    out.print(f"mAP {found.mean.percent()} %   chance {100 * found.chance:.1f} %   {found.videos} videos")
    out.print(f"weighted AP {found.weighted.percent()} % (each class counts as often as it has positive videos)")
    if not found.defined:
        missing = len(found.ap) - found.classes
        out.print(f"classes without a positive video: {missing}; no official mean, this is that of the others")
    if scored.missing:
        some = ", ".join(scored.missing[:3]) + (", …" if len(scored.missing) > 3 else "")
        out.print(
            f"{len(scored.missing)} of the videos are not in the submission and count as last: {printable(some)}",
            markup=False,
        )
    if scored.unknown:
        out.print(
            f"{counted(len(scored.unknown), 'video')} of the submission not judged: not in {printable(str(truth))}",
            markup=False,
        )
    if scored.unread:
        out.print(f"{len(scored.unread)} actions could not be read, the first: {scored.unread[0]}", markup=False)


def pictures(
    run: Run,
    data: DataOption,
    out: Annotated[Path, arg(metavar="DIR", help="Where the pictures go, as PNG files.")],
    split: Split = "test",
    videos: Videos = (),
    seed: Seed = 0,
    first: First = None,
    cache: Cache = None,
    device: Device = "auto",
    json: Json = False,
) -> None:
    """Draw the paper's figures from a run: nearest frames, weights, maps, a weight curve, an alignment.

    Try it:  actor-observer pictures runs/first --data ~/CharadesEgo --out pictures
    """
    from actor_observer.evaluation.judged_data import JudgedData
    from actor_observer.pictures.figures.opened_run import open_run
    from actor_observer.pictures.gallery import draw_all

    with keeping(FEATURES):
        on = JudgedData(data, split, videos, seed, cache, device, progress, warn, first=first)
        drawn = draw_all(open_run(run, on), out)
    if json:
        print_json({"pictures": [str(path) for path in drawn]})
        return
    for path in drawn:
        say(path)


def report(
    run: Run,
    data: DataOption,
    out: Annotated[Path | None, arg(metavar="FILE", help="The page; RUN/report.html if not given.")] = None,
    split: Split = "test",
    videos: Videos = (),
    seed: Seed = 0,
    first: First = None,
    cache: Cache = None,
    device: Device = "auto",
    json: Json = False,
) -> None:
    """Write everything about a run on one page that needs nothing else; a run that was not judged is judged first.

    Try it:  actor-observer report runs/first --data ~/CharadesEgo
    """
    from actor_observer.evaluation.judged_data import JudgedData
    from actor_observer.pictures.report.report import write_report

    with keeping(FEATURES):
        on = JudgedData(data, split, videos, seed, cache, device, progress, warn, first=first)
        page = write_report(run, on, out)
    if json:
        print_json({"page": str(page)})
    else:
        say(page)

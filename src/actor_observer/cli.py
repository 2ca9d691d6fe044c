"""The `actor-observer` command: one verb per job. Each verb calls the library; nothing is decided here.

Verbs import what they need when they run, so that `--help` and a mistyped option answer at once.
"""

from __future__ import annotations

import contextlib
import functools
import io
import json as json_format
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro
from tyro.conf import FlagCreatePairsOff, Positional, UseAppendAction, arg

from actor_observer.console import one_line, progress, screen
from actor_observer.errors import TakeError, UserError

Data = Annotated[Positional[Path], arg(metavar="DATA", help="A pairs.csv, or a folder (see docs/data.md).")]
Videos = Annotated[
    UseAppendAction[tuple[Path, ...]],
    arg(metavar="DIR", help="A further folder of recordings, e.g. Charades' own; may be given several times."),
]
Seed = Annotated[int, arg(help="Decides what the data leaves open, such as splits.")]
Json = Annotated[FlagCreatePairsOff[bool], arg(help="Print the answer as JSON, for programs.")]
View = Annotated[Literal["third", "first"], arg(help="Which view the video is of.")]
Rate = Annotated[float, arg(help="Frames a second that are looked at.")]
Model = Annotated[
    str | None, arg(metavar="RUN_OR_HUB_ID", help="A run's folder or a network on the hub; else the one in the box.")
]
Frozen = Annotated[str | None, arg(metavar="NAME", help="Frozen features of any backbone instead, e.g. hf:NAME.")]
Device = Annotated[str, arg(help="cpu, cuda, or auto.")]


def inspect(
    data: Data,
    videos: Videos = (),
    near: Annotated[float, arg(help="Δ: frames closer than this correspond (third-person seconds).")] = 1.0,
    far: Annotated[float, arg(help="Δ': frames further apart than this do not.")] = 10.0,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Say what a data set holds, and everything that is wrong with it. Every file is opened and read through.

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
        print(json_format.dumps(census.as_json(), indent=2, ensure_ascii=False))
        return
    out = screen()
    for fault in census.faults:
        out.print(fault, style="yellow", markup=False)
    out.print(split_table(census))
    if census.classes:
        out.print(class_table(census))
    for note in census.notes:
        out.print(f"note: {note}", markup=False)
    kept = len(census.faults) - census.left_out
    out.print(f"{len(census.faults)} faults: {census.left_out} takes or rows left out, {kept} mended or harmless")


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

    found = score_submission(submission, truth)
    if json:
        print(json_format.dumps(found.as_json(), indent=2))
        return
    out = screen()
    out.print(f"mAP {found.mean.percent()} %   chance {100 * found.chance:.1f} %   {found.videos} videos")
    if not found.defined:
        missing = len(found.ap) - found.classes
        out.print(f"{missing} classes have no positive video: no official mean, this is that of the others")


def playhouse(
    out: Annotated[Positional[Path], arg(metavar="OUT", help="The folder to make; called again, it goes on there.")],
    pairs: Annotated[int, arg(help="How many pairs: 70 % train, 10 % validation, 20 % test.")] = 20,
    seed: Annotated[int, arg(help="Decides everything: the same seed gives the same set.")] = 0,
    size: Annotated[str, arg(metavar="WIDTHxHEIGHT", help="Of the videos, in multiples of 4.")] = "224x168",
    fps: Annotated[float, arg(help="Frames per second.")] = 12.0,
    labelled: Annotated[int, arg(help="Third-person takes to add that carry labels and belong to no pair.")] = 0,
    together: Annotated[
        FlagCreatePairsOff[bool], arg(help="Both cameras record one performance: a pairs.csv.")
    ] = False,
    workers: Annotated[int | None, arg(metavar="N", help="Processes that draw; one per core if not given.")] = None,
) -> None:
    """Make paired videos with exact truth: actors perform household scripts in rendered homes (needs the extra `sim`).

    Try it:  actor-observer playhouse OUT --pairs 20 --seed 0
    """
    width, _, height = size.partition("x")
    if not (width.isdecimal() and height.isdecimal()):
        raise UserError(f"--size {size}: give width and height, such as 224x168")
    from actor_observer.playhouse import make

    made = make(
        out,
        pairs=pairs,
        seed=seed,
        size=(int(width), int(height)),
        fps=fps,
        labelled=labelled,
        together=together,
        workers=workers,
    )
    speed = (
        f"{made.frames} frames at {made.frames_per_second:.0f} a second" if made.frames else "all were there already"
    )
    screen().print(f"{out}: {made.takes} takes, {speed}")


def train(
    recipe: Annotated[Positional[str], arg(metavar="RECIPE", help="A recipe's name (see docs/training.md).")],
    data: Annotated[Path | None, arg(metavar="DATA", help="A pairs.csv, or a folder (see docs/data.md).")] = None,
    out: Annotated[
        Path | None, arg(metavar="RUN", help="The run's folder; one with a run in it is gone on with.")
    ] = None,
    set: Annotated[
        tuple[str, ...],
        arg(metavar="NAME=VALUE", help="Settings of the recipe to change, e.g. seed=3 optimiser.lr=1e-4."),
    ] = (),
    init: Annotated[str, arg(metavar="RUN", help="Start the backbone from this run or published checkpoint.")] = "",
    videos: Videos = (),
    cache: Annotated[Path | None, arg(metavar="DIR", help="Where features of frozen backbones are kept.")] = None,
    device: Annotated[str, arg(help="cpu, cuda, or auto.")] = "auto",
    print_recipe: Annotated[FlagCreatePairsOff[bool], arg(help="Print all settings as YAML, and do nothing.")] = False,
) -> None:
    """Train a recipe on a data set. The same command goes on with a run that ended early, and runs under torchrun.

    Try it:  actor-observer train quick --data ~/CharadesEgo --out runs/first
    """
    from actor_observer.training import Stopped, as_yaml, recipe_named, with_settings
    from actor_observer.training import train as train_recipe

    chosen = with_settings(recipe_named(recipe), [*set, *([f"init={init}"] if init else [])])
    if print_recipe:
        print(as_yaml(chosen), end="")
        return
    if data is None or out is None:
        raise UserError("train needs --data DATA and --out RUN (see: actor-observer train --help)")
    try:
        train_recipe(chosen, data, out, videos, cache, device)
    except Stopped as stopped:
        print(f"actor-observer: {stopped}", file=sys.stderr)
        sys.exit(143)  # as a process that SIGTERM ended: schedulers know it is not done


def evaluate(
    subjects: Annotated[
        Positional[tuple[str, ...]],
        arg(metavar="RUN_OR_EMBEDDINGS", help="Runs' folders or files of embeddings; several stand side by side."),
    ],
    data: Annotated[Path, arg(metavar="DATA", help="A pairs.csv, or a folder (see docs/data.md).")],
    split: Annotated[Literal["train", "validation", "test"], arg(help="Which part of the data is judged.")] = "test",
    out: Annotated[Path | None, arg(metavar="DIR", help="Where tables.json, tables.md and tables.tex go.")] = None,
    near: Annotated[float, arg(help="Δ: frames closer than this correspond (third-person seconds).")] = 1.0,
    far: Annotated[float, arg(help="Δ': frames further apart than this do not.")] = 10.0,
    moment: Annotated[float, arg(help="Seconds of a moment.")] = 1.0,
    videos: Videos = (),
    seed: Seed = 0,
    cache: Annotated[Path | None, arg(metavar="DIR", help="Where features of frozen backbones are kept.")] = None,
    device: Annotated[str, arg(help="cpu, cuda, or auto.")] = "auto",
    json: Json = False,
) -> None:
    """Judge a run, or anybody's embeddings: correspondence, alignment, recognition; as published, and fair.

    Try it:  actor-observer evaluate runs/first --data ~/CharadesEgo --out runs/first
    """
    from actor_observer.evaluation.methods import Protocol
    from actor_observer.training.verdict import judge_subjects

    if not subjects:
        raise UserError("evaluate needs at least one run or file of embeddings (see: actor-observer evaluate --help)")
    protocol = Protocol(near=near, far=far, moment=moment, step=min(1.0, moment), seed=seed)
    verdict = judge_subjects(subjects, data, split, videos, seed, cache, device, protocol, progress)
    if out:
        verdict.write(out)
    if json:
        print(json_format.dumps(verdict.as_json(), indent=2, ensure_ascii=False))
        return
    for table in verdict.tables.values():
        screen().print(table.as_rich())


def align(
    third: Annotated[Positional[Path], arg(metavar="THIRD", help="The room camera's video, or its folder of frames.")],
    first: Annotated[Positional[Path], arg(metavar="FIRST", help="The head camera's.")],
    out: Annotated[
        Path | None, arg(metavar="DIR", help="Where alignment.json, anchors.csv and alignment.png go.")
    ] = None,
    side_by_side: Annotated[
        Path | None, arg(metavar="FILE.mp4", help="Write both videos beside each other, playing in step.")
    ] = None,
    rate: Rate = 6.0,
    model: Model = None,
    backbone: Frozen = None,
    device: Device = "auto",
    json: Json = False,
) -> None:
    """Put two videos of one thing in step: the best shared moment, offset and rate, and whether to believe it.

    Try it:  actor-observer align room.mp4 head.mp4 --out aligned --side-by-side both.mp4
    """
    from actor_observer.moments.align import align as align_videos
    from actor_observer.moments.side_by_side import write_side_by_side

    if rate <= 0:
        raise UserError(f"--rate {rate:g}: look at more than 0 frames a second")
    with progress("looking at the videos", 2) as step:
        found = align_videos(third, first, model, backbone, rate=rate, device=device, each=step)
    if out:
        found.write(out)  # before anything slow: a folder that cannot be written is known at once
        from actor_observer.pictures.film_strips import draw_film_strips
        from actor_observer.pictures.save import save_picture

        matrix, best = found.evidence, (found.best.third, found.best.first)
        times = matrix.third_times, matrix.first_times
        figure = draw_film_strips(third, first, *times, matrix.distances.T, found.clock.anchors, best)
        save_picture(figure, out / "alignment.png")
    if side_by_side:
        write_side_by_side(third, first, found.clock, side_by_side)
    print(json_format.dumps(found.to_json(), indent=2, ensure_ascii=False) if json else found)


def embed(
    videos: Annotated[
        Positional[tuple[Path, ...]], arg(metavar="VIDEOS", help="Files, folders of frames, or folders of videos.")
    ] = (),
    view: Annotated[
        Literal["third", "first"] | None, arg(metavar="VIEW", help="Of the videos: third or first.")
    ] = None,
    out: Annotated[Path, arg(metavar="FILE", help="A .safetensors or .npz file.")] = Path("embeddings.safetensors"),
    data: Annotated[
        Path | None, arg(metavar="DATA", help="Instead of videos: all takes of a data set (see docs/data.md).")
    ] = None,
    rate: Rate = 6.0,
    model: Model = None,
    backbone: Frozen = None,
    device: Device = "auto",
    json: Json = False,
) -> None:
    """Embed videos into one file, as `evaluate` reads it. The same command goes on after a kill.

    Try it:  actor-observer embed head-camera/ --view first --out head.safetensors
    """
    from actor_observer.moments.embed_videos import embed_videos, find_videos, openers
    from actor_observer.moments.models import open_model
    from actor_observer.pairs import read_manifest

    if bool(videos) == bool(data):
        raise UserError("embed needs either videos or --data DATA (see: actor-observer embed --help)")
    if videos and view is None:
        raise UserError("embed needs to know the videos' view: --view third or --view first")
    if rate <= 0:
        raise UserError(f"--rate {rate:g}: look at more than 0 frames a second")
    takes = [*read_manifest(data).takes.values()] if data else openers(find_videos(videos), view or "first")
    with progress("embedding", len(takes)) as step:
        done = embed_videos(open_model(model, backbone), takes, out, rate, device, step)
    print(json_format.dumps(done.as_json(), indent=2, ensure_ascii=False) if json else done)
    for fault in done.faults:
        print(f"actor-observer: {fault}", file=sys.stderr)


def export(
    out: Annotated[Path, arg(metavar="FILE", help="An .onnx file.")],
    format: Annotated[Literal["onnx"], arg(help="What to write.")] = "onnx",
    model: Model = None,
    backbone: Frozen = None,
    json: Json = False,
) -> None:
    """Write a model as one ONNX file for other programs, checked against torch (needs the extra `onnx`).

    Try it:  actor-observer export --format onnx --out model.onnx
    """
    from actor_observer.moments.export import export_onnx
    from actor_observer.moments.models import open_model

    differences = export_onnx(open_model(model, backbone), out)
    if json:
        print(json_format.dumps({"path": str(out), "format": format, "differences": differences}, indent=2))
        return
    screen().print(f"{out}: {', '.join(differences)}", markup=False)
    screen().print(f"differs from torch by {max(differences.values()):.0e} at most")


VERBS: dict[str, Callable[..., None]] = {
    "inspect": inspect,
    "playhouse": playhouse,
    "train": train,
    "evaluate": evaluate,
    "score": score,
    "align": align,
    "embed": embed,
    "export": export,
}

_DESCRIPTION = """Link third-person video (the observer) with first-person video (the actor).

Each verb explains itself:  actor-observer inspect --help"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a verb. A user's mistake is one line on stderr and exit code 2, never a traceback."""
    try:
        _parse(list(sys.argv[1:] if arguments is None else arguments))()
    except (UserError, TakeError) as error:
        _end(str(error), code=2)
    except KeyboardInterrupt:
        _end("interrupted", code=130)
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:  # a full disk, a folder that may not be written
        _end(f"{error.filename or 'disk'}: {error.strerror or error}", code=2)


def _parse(arguments: list[str]) -> Callable[[], None]:
    """The verb with its arguments, not yet called; what the parser complains of becomes one line."""
    if not arguments:
        arguments = ["--help"]
    verbs = {name: _not_yet(verb) for name, verb in VERBS.items()}
    complaint = io.StringIO()
    try:
        with contextlib.redirect_stderr(complaint):
            return tyro.extras.subcommand_cli_from_dict(
                verbs, prog="actor-observer", description=_DESCRIPTION, args=arguments
            )
    except SystemExit as stop:
        if not stop.code:
            raise
        verb = f"{arguments[0]} " if arguments[0] in VERBS else ""
        raise UserError(f"{one_line(complaint.getvalue())} (see: actor-observer {verb}--help)") from None


def _not_yet(verb: Callable[..., None]) -> Callable[..., Callable[[], None]]:
    """The verb as something that only remembers its arguments, so that parsing and running fail apart."""

    @functools.wraps(verb)
    def remember(*args: Any, **kwargs: Any) -> Callable[[], None]:
        return functools.partial(verb, *args, **kwargs)

    return remember


def _end(message: str, code: int) -> None:
    print(f"actor-observer: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(code)

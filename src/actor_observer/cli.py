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

OneVideo = Annotated[Positional[Path], arg(metavar="VIDEO", help="A file, or a folder of frames.")]
Data = Annotated[Positional[Path], arg(metavar="DATA", help="A pairs.csv, or a folder (see docs/data.md).")]
Videos = Annotated[
    UseAppendAction[tuple[Path, ...]],
    arg(metavar="DIR", help="A further folder of recordings, e.g. Charades' own; may be given several times."),
]
Seed = Annotated[int, arg(help="Decides what the data leaves open, such as splits.")]
Run = Annotated[Positional[Path], arg(metavar="RUN", help="A run's folder, as train makes it.")]
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


def index(
    videos: Annotated[
        Positional[tuple[Path, ...]], arg(metavar="VIDEOS", help="Files, or folders of videos or of frames.")
    ],
    view: View,
    out: Annotated[Path, arg(metavar="INDEX", help="The index's folder; called again, it goes on there.")],
    subject: Annotated[str, arg(help="Who acts in these videos, to search by.")] = "",
    rate: Annotated[float, arg(help="Moments a second.")] = 1.0,
    model: Model = None,
    backbone: Frozen = None,
    device: Device = "auto",
    json: Json = False,
) -> None:
    """Make videos searchable. The same command goes on after a kill, and takes in what is new.

    Try it:  actor-observer index head-camera/ --view first --out moments
    """
    from actor_observer.moments.index import index as index_videos
    from actor_observer.moments.index import name_videos

    try:
        with progress("indexing", len(name_videos(videos))) as step:
            done = index_videos(videos, out, view, subject, rate, model, backbone, device=device, each=step)
    except KeyboardInterrupt:
        _end(f"interrupted; {out} holds every video that was done, and the same command goes on", code=130)
    for fault in done.faults:
        print(f"actor-observer: {fault}", file=sys.stderr)
    print(json_format.dumps(done.as_json(), indent=2, ensure_ascii=False) if json else done)


def search(
    index: Annotated[Positional[Path], arg(metavar="INDEX", help="A folder that `index` made.")],
    query: Annotated[Positional[str], arg(metavar="IMAGE_OR_VIDEO@TIME", help="What to look for.")],
    view: Annotated[
        Literal["third", "first"] | None, arg(metavar="VIEW", help="The query's; else the other one than the index's.")
    ] = None,
    in_view: Annotated[
        Literal["third", "first"] | None, arg(metavar="VIEW", help="Look only at moments of this view.")
    ] = None,
    subject: Annotated[str | None, arg(metavar="NAME", help="Look only at videos of this person.")] = None,
    video: Annotated[str | None, arg(metavar="NAME", help="Look only at this video; * stands for anything.")] = None,
    top: Annotated[int, arg(help="Answers.")] = 10,
    apart: Annotated[float, arg(help="Seconds between two answers from one video.")] = 2.0,
    out: Annotated[Path | None, arg(metavar="DIR", help="Where pictures of the answers go.")] = None,
    model: Model = None,
    backbone: Frozen = None,
    device: Device = "auto",
    json: Json = False,
) -> None:
    """Find a moment in other videos, by a picture or a moment of a video, usually of the other view.

    Try it:  actor-observer search moments room.mp4@12.5 --out found
    """
    from rich.markup import escape
    from rich.table import Table

    from actor_observer.moments.search import search as search_index

    found = search_index(index, query, view, in_view, subject, video, top, apart, model, backbone, device=device)
    written = found.save(out) if out else []
    if json:
        print(json_format.dumps(found.as_json(), indent=2, ensure_ascii=False))
        return
    table = Table("", "video", "time (s)", "distance", "view", "subject", box=None)
    for rank, hit in enumerate(found.hits, start=1):
        table.add_row(
            f"{rank}", escape(hit.place), f"{hit.time:.2f}", f"{hit.distance:.3f}", hit.view, escape(hit.subject)
        )
    screen().print(table)
    if written:
        screen().print(f"{len(written) - 1} pictures and {written[-1].name} in {out}", markup=False)


def recognise(
    video: OneVideo,
    view: View,
    top: Annotated[int, arg(help="Actions that are named.")] = 5,
    submission: Annotated[
        Path | None, arg(metavar="FILE", help="Add the video's scores to this file, as Charades' scorer reads it.")
    ] = None,
    rate: Rate = 6.0,
    model: Model = None,
    device: Device = "auto",
    json: Json = False,
) -> None:
    """Say what is being done in a video: actions with their probabilities, each second and over the whole.

    Try it:  actor-observer recognise head.mp4 --view first
    """
    from actor_observer.moments.recognise import add_to_submission
    from actor_observer.moments.recognise import recognise as recognise_video

    if top < 1:
        raise UserError(f"--top {top}: ask for at least one action")
    found = recognise_video(video, view, model, rate, device=device)
    if submission:
        add_to_submission(submission, found)
    if json:
        print(json_format.dumps(found.as_json(top), indent=2, ensure_ascii=False))
        return
    out = screen()
    out.print(f"{video}, the whole video:", markup=False)
    for action in found.best(found.whole, top):
        out.print(f"  {action}", markup=False)
    for second, scores in zip(found.seconds, found.scores, strict=True):
        out.print(f"{second:5d} s   {';  '.join(map(str, found.best(scores, min(top, 3))))}", markup=False)


def select(
    video: OneVideo,
    view: View,
    out: Annotated[Path, arg(metavar="DIR", help="Where the frames and the weight curve go.")],
    top: Annotated[int, arg(help="Frames.")] = 12,
    apart: Annotated[float, arg(help="Seconds between two frames, at least.")] = 1.0,
    rate: Rate = 6.0,
    model: Model = None,
    device: Device = "auto",
    json: Json = False,
) -> None:
    """Pick the most informative frames of a video, as JPEGs at full size, and draw how the weight goes.

    Try it:  actor-observer select head.mp4 --view first --top 12 --out best
    """
    from actor_observer.moments.select import select as select_frames
    from actor_observer.pictures.save import save_picture
    from actor_observer.pictures.weight_curve import draw_weight_curve

    found = select_frames(video, view, top, apart, model, rate, device=device)
    written = found.save(out)
    save_picture(draw_weight_curve(video, found.times, found.weight, video.name), out / "weight.png")
    if json:
        print(json_format.dumps(found.as_json(), indent=2, ensure_ascii=False))
        return
    for frame, path in zip(found.frames, written, strict=True):
        screen().print(f"{path.name}   weight {frame.weight:.2f}", markup=False)
    screen().print(f"{len(written)} frames and weight.png in {out}", markup=False)


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
    *,
    out: Annotated[Path, arg(metavar="FILE", help="A .safetensors or .npz file.")],
    view: Annotated[
        Literal["third", "first"] | None, arg(metavar="VIEW", help="Which view the videos are of: third or first.")
    ] = None,
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


def pictures(
    run: Run,
    data: Annotated[Path, arg(metavar="DATA", help="A pairs.csv, or a folder (see docs/data.md).")],
    out: Annotated[Path, arg(metavar="DIR", help="Where the pictures go, as PNG files.")],
    split: Annotated[Literal["train", "validation", "test"], arg(help="Which part of the data is shown.")] = "test",
    videos: Videos = (),
    seed: Seed = 0,
    cache: Annotated[Path | None, arg(metavar="DIR", help="Where features of frozen backbones are kept.")] = None,
    device: Annotated[str, arg(help="cpu, cuda, or auto.")] = "auto",
) -> None:
    """Draw the paper's figures from a run: nearest frames, weights, maps, a weight curve, an alignment.

    Try it:  actor-observer pictures runs/first --data ~/CharadesEgo --out pictures
    """
    from actor_observer.pictures.gallery import draw_all
    from actor_observer.pictures.run import open_run

    for path in draw_all(open_run(run, data, split, videos, seed, cache, device, progress), out):
        print(path)


def report(
    run: Run,
    data: Annotated[Path, arg(metavar="DATA", help="A pairs.csv, or a folder (see docs/data.md).")],
    out: Annotated[Path | None, arg(metavar="FILE", help="The page; RUN/report.html if not given.")] = None,
    split: Annotated[Literal["train", "validation", "test"], arg(help="Which part of the data is shown.")] = "test",
    videos: Videos = (),
    seed: Seed = 0,
    cache: Annotated[Path | None, arg(metavar="DIR", help="Where features of frozen backbones are kept.")] = None,
    device: Annotated[str, arg(help="cpu, cuda, or auto.")] = "auto",
) -> None:
    """Write everything about a run on one page that needs nothing else; a run that was not judged is judged first.

    Try it:  actor-observer report runs/first --data ~/CharadesEgo
    """
    from actor_observer.pictures.report import write_report

    print(write_report(run, data, out, split, videos, seed, cache, device, progress))


def explain(
    moment: Annotated[Positional[str], arg(metavar="VIDEO@TIME", help="A frame: a video and seconds in it.")],
    out: Annotated[Path, arg(metavar="DIR", help="Where the pictures go, as PNG files.")],
    view: Annotated[Literal["third", "first"], arg(help="Whose view the video is.")] = "third",
    against: Annotated[
        str | None, arg(metavar="VIDEO@TIME", help="A frame of the other view, to show what makes the two alike.")
    ] = None,
    model: Annotated[
        str | None, arg(metavar="RUN_OR_HUB_ID", help="The model; the one in the box if not given.")
    ] = None,
) -> None:
    """Show what in a frame the model answers to, and what makes it similar to a frame of the other view.

    Try it:  actor-observer explain room.mp4@12.5 --against head.mp4@11 --out maps
    """
    from actor_observer.pictures.explain import explain as explain_frame

    for path in explain_frame(moment, out, view, against, model):
        print(path)


VERBS: dict[str, Callable[..., None]] = {
    "inspect": inspect,
    "align": align,
    "index": index,
    "search": search,
    "recognise": recognise,
    "select": select,
    "embed": embed,
    "export": export,
    "playhouse": playhouse,
    "train": train,
    "evaluate": evaluate,
    "score": score,
    "pictures": pictures,
    "report": report,
    "explain": explain,
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

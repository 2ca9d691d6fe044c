"""Verbs for one's own videos: align, recognise, select, explain, embed, export."""

from __future__ import annotations

import json as json_format
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import Positional, arg

from actor_observer.cli.ending import end
from actor_observer.cli.options import Device, Frozen, Json, LookRate, Model, OneVideo, View
from actor_observer.console import counted, progress, screen
from actor_observer.errors import UserError

if TYPE_CHECKING:
    from actor_observer.answers.recognise import Seen

__all__ = ["align", "embed", "explain", "export", "recognise", "select"]


def align(
    third: Annotated[Positional[Path], arg(metavar="THIRD", help="The room camera's video, or its folder of frames.")],
    first: Annotated[Positional[Path], arg(metavar="FIRST", help="The head camera's.")],
    out: Annotated[
        Path | None, arg(metavar="DIR", help="Where alignment.json, anchors.csv and alignment.png go.")
    ] = None,
    side_by_side: Annotated[
        Path | None, arg(metavar="FILE.mp4", help="Write both videos beside each other, playing in step.")
    ] = None,
    look_rate: LookRate = 6.0,
    model: Model = None,
    backbone: Frozen = None,
    device: Device = "auto",
    json: Json = False,
) -> None:
    """Put two videos of one thing in step: the best shared moment, offset and rate, and whether to believe it.

    Try it:  actor-observer align room.mp4 head.mp4 --out aligned --side-by-side both.mp4
    """
    from actor_observer.alignment.align import align as align_videos
    from actor_observer.alignment.side_by_side import check_target, write_side_by_side

    if side_by_side:
        check_target(side_by_side, third, first)
    refuse_file("--out", out)
    refuse_file("--side-by-side", side_by_side and side_by_side.parent)
    with progress("looking at the videos", 2) as step:
        found = align_videos(third, first, model, backbone, look_rate=look_rate, device=device, each=step)
    if out:
        found.write(out)
        from actor_observer.pictures.figures.film_strips import draw_film_strips
        from actor_observer.pictures.figures.save import save_picture

        matrix, best = found.evidence, (found.best.third, found.best.first)
        times = matrix.third_times, matrix.first_times
        figure = draw_film_strips(third, first, *times, matrix.distances.T, found.clock.anchors, best, found.title)
        save_picture(figure, out / "alignment.png")
    if side_by_side:
        write_side_by_side(third, first, found.clock, side_by_side)
    print(json_format.dumps(found.to_json(), indent=2, ensure_ascii=False) if json else found)


def refuse_file(option: str, folder: Path | None) -> None:
    """A folder that cannot be, since a part of its path is a file: said before anything slow.

    >>> refuse_file("--out", Path(__file__) / "new")
    Traceback (most recent call last):
    actor_observer.errors.UserError: --out /...use.py/new: cannot be written (/...use.py is a file, not a folder)
    """
    file = folder and next((part for part in (folder, *folder.parents) if part.is_file()), None)
    if file:
        raise UserError(f"{option} {folder}: cannot be written ({file} is a file, not a folder)")


def embed(
    videos: Annotated[
        Positional[tuple[Path, ...]],
        arg(metavar="VIDEOS", help="Files, folders of frames, or folders of videos.", help_behavior_hint=""),
    ] = (),
    *,
    out: Annotated[Path, arg(metavar="FILE", help="A .safetensors or .npz file.")],
    view: Annotated[
        Literal["third", "first"] | None, arg(metavar="VIEW", help="Which view the videos are of: third or first.")
    ] = None,
    data: Annotated[
        Path | None, arg(metavar="DATA", help="Instead of videos: all takes of a data set (see docs/data.md).")
    ] = None,
    look_rate: LookRate = 6.0,
    model: Model = None,
    backbone: Frozen = None,
    device: Device = "auto",
    json: Json = False,
) -> None:
    """Embed videos into one file, as `evaluate` reads it. The same command goes on after a kill.

    Try it:  actor-observer embed head-camera/ --view first --out head.safetensors
    """
    from actor_observer.features.embed_videos import embed_videos, find_videos, openers
    from actor_observer.features.models import open_model
    from actor_observer.pairs import Fault, Take, read_manifest

    if bool(videos) == bool(data):
        raise UserError("embed needs either videos or --data DATA (see: actor-observer embed --help)")
    if videos and view is None:
        raise UserError("embed needs to know the videos' view: --view third or --view first")
    takes: Sequence[Take] | Sequence[Callable[[], Take]]
    left_out: tuple[Fault, ...] = ()
    if data:
        manifest = read_manifest(data)
        takes = [take for take in manifest.takes.values() if view in (None, take.view)]
        left_out = tuple(fault for fault in manifest.faults if fault.left_out)
        if not takes:
            raise UserError(f"{data}: no takes{f' of the {view}-person view' if view else ''} that can be read")
    else:
        takes = openers(find_videos(videos), view or "first")
    try:
        with progress("embedding", len(takes)) as step:
            done = embed_videos(open_model(model, backbone), takes, out, look_rate, device, step)
    except KeyboardInterrupt:
        end(f"interrupted; what is done lies in {out}.parts, and the same command goes on", code=130)
    done = replace(done, faults=(*left_out, *done.faults))
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
    from actor_observer.features.models import open_model
    from actor_observer.model.export import export_onnx

    differences = export_onnx(open_model(model, backbone), out)
    if json:
        print(json_format.dumps({"path": str(out), "format": format, "differences": differences}, indent=2))
        return
    screen().print(f"{out}: {', '.join(differences)}", markup=False)
    screen().print(f"differs from torch by {max(differences.values()):.0e} at most")


def recognise(
    video: OneVideo,
    view: View,
    top: Annotated[int, arg(help="Actions that are named.")] = 5,
    submission: Annotated[
        Path | None, arg(metavar="FILE", help="Add the video's scores to this file, as Charades' scorer reads it.")
    ] = None,
    look_rate: LookRate = 6.0,
    model: Model = None,
    device: Device = "auto",
    json: Json = False,
) -> None:
    """Say what is being done in a video: actions with their probabilities, each second and over the whole.

    Try it:  actor-observer recognise head.mp4 --view first
    """
    from actor_observer.answers.recognise import add_to_submission
    from actor_observer.answers.recognise import recognise as recognise_video

    if top < 1:
        raise UserError(f"--top {top}: ask for at least one action")
    found = recognise_video(video, view, model, look_rate, device=device)
    if submission:
        add_to_submission(submission, found)
    if json:
        print(json_format.dumps(found.as_json(top), indent=2, ensure_ascii=False))
        return
    out = screen()
    out.print(f"{video}, the whole video:", markup=False)
    for action in found.best(found.whole, top):
        out.print(f"          {lined_up(action)}", markup=False)
    rows = [[*map(lined_up, found.best(scores, min(top, 3)))] for scores in found.scores]
    wide = max((len(action) for row in rows for action in row), default=0)
    fit = max(1, (out.width - 7) // (wide + 3))  # beside each other on this screen
    for second, row in zip(found.seconds, rows, strict=True):
        out.print(f"{second:5d} s   " + "   ".join(f"{action:{wide}}" for action in row[:fit]).rstrip(), markup=False)


def lined_up(action: Seen) -> str:
    """An action as it stands in a column."""
    return f"{action!s:>{len(str(action)) + 3 - str(action).index(' ')}}"


def select(
    video: OneVideo,
    view: View,
    out: Annotated[Path, arg(metavar="DIR", help="Where the frames and the weight curve go.")],
    top: Annotated[int, arg(help="Frames.")] = 12,
    apart: Annotated[float, arg(help="Seconds between two frames, at least.")] = 1.0,
    look_rate: LookRate = 6.0,
    model: Model = None,
    device: Device = "auto",
    json: Json = False,
) -> None:
    """Pick the most informative frames of a video, as JPEGs at full size, and draw how the weight goes.

    Try it:  actor-observer select head.mp4 --view first --top 12 --out best
    """
    from actor_observer.answers.select import select as select_frames
    from actor_observer.features.see import open_take
    from actor_observer.pictures.figures.save import save_picture
    from actor_observer.pictures.figures.weight_curve import draw_weight_curve

    refuse_file("--out", out)
    take = open_take(video, view)
    found = select_frames(take, view, top, apart, model, look_rate, device=device)
    written = found.save(out)
    name = video.name if len(video.name) <= 30 else f"{video.name[:14]}…{video.name[-14:]}"
    title = f"{name}: most weight above, least below"
    save_picture(draw_weight_curve(take, found.times, found.weight, title), out / "weight.png")
    if json:
        print(json_format.dumps(found.as_json(), indent=2, ensure_ascii=False))
        return
    wide = max((len(path.name) for path in written), default=0)
    for frame, path in zip(found.frames, written, strict=True):
        screen().print(f"{path.name:{wide}}   weight {frame.weight:.2f}", markup=False)
    screen().print(f"{counted(len(written), 'frame')} and weight.png in {out}", markup=False)


def explain(
    moment: Annotated[Positional[str], arg(metavar="VIDEO@TIME", help="A frame: a video and seconds in it.")],
    out: Annotated[Path, arg(metavar="DIR", help="Where the pictures go, as PNG files.")],
    view: View = "third",
    against: Annotated[
        str | None, arg(metavar="VIDEO@TIME", help="A frame of the other view, to show what makes the two alike.")
    ] = None,
    model: Model = None,
    backbone: Frozen = None,
) -> None:
    """Show what in a frame the model answers to, and what makes it similar to a frame of the other view.

    Try it:  actor-observer explain room.mp4@12.5 --against head.mp4@11 --out maps
    """
    from actor_observer.pictures.explain import explain as explain_frame

    for path in explain_frame(moment, out, view, against, model, backbone):
        print(path)

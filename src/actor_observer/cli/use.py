"""Verbs for one's own videos: recognise, select, explain, embed, export."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import Positional

from actor_observer.cli.argument import arg
from actor_observer.cli.ends.ending import finish, under_way
from actor_observer.cli.options import (
    Device,
    First,
    Fps,
    Frozen,
    Json,
    LookRate,
    Model,
    On,
    OneVideo,
    ShardOption,
    View,
    refuse_file,
)
from actor_observer.console import counted, print_json, printable, progress, say, screen
from actor_observer.errors import UserError

if TYPE_CHECKING:
    from actor_observer.answers.recognise import Seen

__all__ = ["embed", "explain", "export", "recognise", "select"]


def embed(
    videos: Annotated[
        Positional[tuple[Path, ...]],
        arg(metavar="VIDEOS…", help="Files, folders of frames or of videos; or one data set.", help_behavior_hint=""),
    ] = (),
    *,
    out: Annotated[Path, arg(metavar="FILE", help="A .safetensors or .npz file.")],
    view: Annotated[
        Literal["third", "first"] | None, arg(metavar="VIEW", help="Which view the videos are of: third or first.")
    ] = None,
    data: Annotated[
        Path | None, arg(metavar="DATA", help="Instead of videos: all takes of a data set (see docs/data.md).")
    ] = None,
    first: First = None,
    look_rate: LookRate = 6.0,
    model: Model = None,
    backbone: Frozen = None,
    device: Device = "auto",
    shard: ShardOption = None,
    on: On = None,
    json: Json = False,
) -> None:
    """Embed videos into one file for `evaluate`. The same command resumes after a kill; exit code 3 if some fail.

    Try it:  actor-observer embed head-camera/ --view first --out head.safetensors
    """
    from actor_observer.cluster.on_ray import extract_on
    from actor_observer.features.embed_videos import Unopened, embed_videos, find_videos, unopened
    from actor_observer.features.models import open_model
    from actor_observer.pairs import Fault, Take
    from actor_observer.pairs.read import is_data, takes_in
    from actor_observer.shards import Shard

    if len(videos) == 1 and not data and is_data(videos[0]):
        data, videos = videos[0], ()
    if bool(videos) == bool(data):
        raise UserError("embed needs either videos or --data DATA (see: actor-observer embed --help)")
    if videos and view is None:
        raise UserError("embed needs to know the videos' view: --view third or --view first")
    own = Shard.parse(shard) if shard else None
    takes: Sequence[Take | Unopened]
    left_out: tuple[Fault, ...] = ()
    if data:
        takes, left_out = takes_in(data, view, first)
    else:
        takes = unopened(find_videos(videos), view or "first")
    kept = f"what is done lies in {out}.parts"
    with under_way("embedding", len(own.of(takes) if own else takes), kept) as step:
        network, elsewhere = open_model(model, backbone), extract_on(on)
        done = embed_videos(network, takes, out, look_rate, device, step, step.part, own, elsewhere)
    finish(replace(done, faults=(*left_out, *done.faults)), json)


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
        print_json({"path": str(out), "format": format, "differences": differences})
        return
    say(f"{out}: {', '.join(differences)}")
    say(f"differs from torch by {max(differences.values()):.0e} at most")


def recognise(
    video: OneVideo,
    view: View,
    top: Annotated[int, arg(help="How many actions to name.")] = 5,
    submission: Annotated[
        Path | None, arg(metavar="FILE", help="Add the video's scores to this file, as Charades' scorer reads it.")
    ] = None,
    labels: Annotated[
        tuple[str, ...],
        arg(metavar="WORDS…", help="Actions in words, where the model knows words.", help_behavior_hint=""),
    ] = (),
    templates: Annotated[
        Path | None, arg(metavar="FILE", help="What is said of a label: lines with {} where it goes.")
    ] = None,
    look_rate: LookRate = 6.0,
    model: Model = None,
    backbone: Frozen = None,
    fps: Fps = None,
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
    with progress("looking at the video", 1) as step:
        named = (labels, templates, backbone)
        found = recognise_video(video, view, model, look_rate, fps, device, step.part, *named)
    if submission:
        add_to_submission(submission, found)
    if json:
        print_json(found.to_dict(top))
        return
    out = screen()
    out.print(f"{printable(str(video))}, the whole video:", markup=False)
    for action in found.best(found.whole, top):
        out.print(f"          {lined_up(action)}", markup=False)
    if found.warning:
        say(found.warning)
    rows = [[*map(lined_up, found.best(scores, min(top, 3)))] for scores in found.scores]
    wide = max((len(action) for row in rows for action in row), default=0)
    fit = max(1, (out.width - 7) // (wide + 3))  # beside each other on this screen
    for second, row in zip(found.seconds, rows, strict=True):
        out.print(f"{second:5d} s   " + "   ".join(f"{action:{wide}}" for action in row[:fit]).rstrip(), markup=False)


def lined_up(action: Seen) -> str:
    """An action as text, its percentage aligned in a column."""
    return f"{action!s:>{len(str(action)) + 3 - str(action).index(' ')}}"


def select(
    video: OneVideo,
    view: View,
    out: Annotated[Path, arg(metavar="DIR", help="Where the frames and the weight curve go.")],
    top: Annotated[int, arg(help="How many frames.")] = 12,
    apart: Annotated[float, arg(help="Least seconds between two frames.")] = 1.0,
    look_rate: LookRate = 6.0,
    model: Model = None,
    fps: Fps = None,
    device: Device = "auto",
    json: Json = False,
) -> None:
    """Pick the most informative frames of a video, as JPEGs at full size, and draw the weight over time.

    Try it:  actor-observer select head.mp4 --view first --top 12 --out best
    """
    from actor_observer.answers.select import select as select_frames
    from actor_observer.features.see import open_take
    from actor_observer.pictures.figures.parts.save import save_picture
    from actor_observer.pictures.figures.weight_curve import draw_weight_curve

    refuse_file("--out", out)
    take = open_take(video, view, fps)
    with progress("looking at the video", 1) as step:
        found = select_frames(take, view, top, apart, model, look_rate, fps, device, step.part)
    written = found.save(out)
    name = printable(video.name)
    name = name if len(name) <= 30 else f"{name[:14]}…{name[-14:]}"
    title = f"{name}: most weight above, least below"
    save_picture(draw_weight_curve(take, found.times, found.weight, title), out / "weight.png")
    if json:
        print_json(found.to_dict())
        return
    wide = max((len(path.name) for path in written), default=0)
    for frame, path in zip(found.frames, written, strict=True):
        say(f"{path.name:{wide}}   weight {frame.weight:.2f}")
    say(f"{counted(len(written), 'frame')} and weight.png in {out}")
    if found.warning:
        say(found.warning)


def explain(
    moment: Annotated[Positional[str], arg(metavar="VIDEO@TIME", help="A frame: a video and seconds in it.")],
    out: Annotated[Path, arg(metavar="DIR", help="Where the pictures go, as PNG files.")],
    view: View = "third",
    against: Annotated[
        str | None, arg(metavar="VIDEO@TIME", help="A frame of the other view, to show what makes the two alike.")
    ] = None,
    model: Model = None,
    backbone: Frozen = None,
    device: Device = "auto",
    json: Json = False,
) -> None:
    """Show what in a frame the model responds to, and what makes it similar to a frame of the other view.

    Try it:  actor-observer explain room.mp4@12.5 --against head.mp4@11 --out maps
    """
    from actor_observer.pictures.explain import explain as explain_frame

    refuse_file("--out", out)
    found = explain_frame(moment, out, view, against, model, backbone, device)
    if json:
        print_json(found.to_dict())
        return
    for path in found.pictures:
        say(path)
    if found.warning:
        say(found.warning)

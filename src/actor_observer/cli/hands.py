"""The verb about hands: does the selector prefer frames that show them?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from tyro.conf import Positional

from actor_observer.cli.argument import arg
from actor_observer.cli.options import Device, Json, LookRate, Model, View
from actor_observer.console import counted, print_json, progress, say
from actor_observer.errors import UserError

__all__ = ["hands"]


def hands(
    videos: Annotated[
        Positional[tuple[Path, ...]],
        arg(metavar="VIDEOS…", help="Files, or folders of frames, all of one view.", help_behavior_hint=""),
    ],
    view: View = "first",
    model: Model = None,
    look_rate: LookRate = 6.0,
    device: Device = "auto",
    json: Json = False,
) -> None:
    """Count hands in the frames of highest and of lowest weight, with MediaPipe's palm detector (extra `hands`).

    Try it:  actor-observer hands head.mp4 --view first
    """
    from actor_observer.answers.hands.detector import PalmDetector
    from actor_observer.answers.hands.statistic import hands_in

    if not videos:
        raise UserError("hands needs at least one video (see: actor-observer hands --help)")
    detector = PalmDetector()
    with progress("looking at the videos", 2 * len(videos)) as each:
        found = hands_in(videos, detector, view, model, look_rate, device, each)
    if json:
        print_json(found.to_dict())
        return
    lines = {"highest weight": found.highest, "lowest weight": found.lowest, "any weight": found.every}
    for name, share in lines.items():
        say(f"hands in {share.percent()} % of the frames of {name}")
    say(f"{counted(found.frames, 'frame')} of each tenth, {counted(found.videos, 'video')}; the paper: 68 % and 15 %")

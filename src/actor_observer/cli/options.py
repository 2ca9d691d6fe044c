"""Arguments that several verbs share, and how they are checked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import FlagCreatePairsOff, Positional, UseAppendAction

from actor_observer.cli.argument import arg
from actor_observer.errors import UserError
from actor_observer.searching.engines import ENGINES

__all__ = [
    "Cache",
    "Data",
    "DataOption",
    "Device",
    "EngineName",
    "First",
    "Fps",
    "Frozen",
    "Json",
    "LookRate",
    "Model",
    "On",
    "OneVideo",
    "Run",
    "Seed",
    "ShardOption",
    "Split",
    "Videos",
    "View",
    "refuse_file",
]

if TYPE_CHECKING:
    EngineName = str
else:
    _help = ". ".join(f"{name}: {ENGINES[name].what}" for name in sorted(ENGINES))
    EngineName = Annotated[Literal[tuple(sorted(ENGINES))], arg(help=f"{_help} (see docs/scale.md).")]
Fps = Annotated[
    float | None,
    arg(metavar="N", help="Frames a second of a folder of frames; else its fps.txt says so, or 24 as in Charades."),
]
OneVideo = Annotated[Positional[Path], arg(metavar="VIDEO", help="A file, or a folder of frames.")]
Data = Annotated[Positional[Path], arg(metavar="DATA", help="A pairs.csv, or a folder (see docs/data.md).")]
DataOption = Annotated[Path, arg(metavar="DATA", help="A pairs.csv, or a folder (see docs/data.md).")]
Split = Annotated[Literal["train", "validation", "test"], arg(help="Which part of the data is judged or shown.")]
Cache = Annotated[Path | None, arg(metavar="DIR", help="Where features of frozen backbones are kept.")]
Videos = Annotated[
    UseAppendAction[tuple[Path, ...]],
    arg(metavar="DIR", help="A further folder of recordings, e.g. Charades' own; may be given several times."),
]
First = Annotated[
    str | None,
    arg(metavar="CAMERA", help="The actor's camera, of a data set that only names its cameras (LeRobot)."),
]
Seed = Annotated[int, arg(help="Seed of what the data leave open, such as splits.")]
Run = Annotated[Positional[Path], arg(metavar="RUN", help="A run's folder, as train makes it.")]
Json = Annotated[FlagCreatePairsOff[bool], arg(help="Print the answer as JSON, for programs.")]
View = Annotated[Literal["third", "first"], arg(help="Which view the video is of.")]
LookRate = Annotated[float, arg(help="Frames looked at each second.")]
Model = Annotated[
    str | None, arg(metavar="RUN", help="A run's folder, or hf:OWNER/NAME on the hub; else the model in the box.")
]
Frozen = Annotated[str | None, arg(metavar="NAME", help="Frozen features of any backbone instead, e.g. hf:NAME.")]
On = Annotated[
    str | None,
    arg(metavar="CLUSTER", help="Do the work on a Ray cluster: ray (of this machine), or ray://HEAD:10001."),
]
ShardOption = Annotated[
    str | None,
    arg(metavar="N/OF", help="Do only this part, e.g. 3/64 (counted from 1); `merge` puts the parts together."),
]
Device = Annotated[str, arg(metavar="NAME", help="cpu, gpu (or cuda, cuda:1), mps (not tried), or auto.")]


def refuse_file(option: str, folder: Path | None) -> None:
    """Refuse a folder part of whose path is a file, before any slow work.

    >>> refuse_file("--out", Path(__file__) / "new")
    Traceback (most recent call last):
    actor_observer.errors.UserError: --out /.../new: cannot be written (/...options.py is a file, not a folder)
    """
    file = folder and next((part for part in (folder, *folder.parents) if part.is_file()), None)
    if file:
        raise UserError(f"{option} {folder}: cannot be written ({file} is a file, not a folder)")

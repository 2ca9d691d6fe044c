"""The demo's second part: two room cameras, a head camera and its gyroscope, rendered, put on one clock by `align`."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from actor_observer.alignment.cameras.many import align_many
from actor_observer.alignment.cameras.result import Camera, Cameras
from actor_observer.alignment.cameras.traces import Trace, traces_of
from actor_observer.alignment.result import MOST_SURE
from actor_observer.model.network import ActorObserverNet
from actor_observer.pictures.figures.on_one_clock import draw_traces
from actor_observer.pictures.figures.parts.save import save_picture
from actor_observer.pictures.gallery import Plate
from actor_observer.pictures.side_by_side import side_by_side, title_of
from actor_observer.playhouse import EVENT

__all__ = ["COLUMNS", "FILES", "NEAR", "OneClock", "put_on_one_clock"]

FILES = ("room-1.mp4", "room-2.mp4", "head.mp4", "gyro.csv")
COLUMNS = ("recording", "length", "found", "truth", "verdict")
NEAR = 0.25  # seconds: a clock this near to the truth is right


@dataclass(frozen=True)
class OneClock:
    """What `align` said about recordings of one event, and what is true."""

    found: Cameras
    truth: dict[str, float]  # of each recording: when it starts, in seconds of the common clock
    traces: list[Trace]
    picture: Path
    video: Path

    @property
    def placed(self) -> dict[str, Camera]:
        """All recordings but the one whose clock is the common one."""
        named = {Path(camera.path).name: camera for camera in self.found.cameras}
        return {name: one for name, one in named.items() if one is not self.found.cameras[self.found.reference]}

    @property
    def right(self) -> list[str]:
        """Recordings whose clock is near the truth."""
        return [name for name, one in self.placed.items() if abs(one.offset - self.truth[name]) <= NEAR]

    @property
    def sentence(self) -> str:
        """What was found, on a line."""
        sure = [name for name, one in self.placed.items() if one.verdict == "in step"]
        rightly = len([name for name in sure if name in self.right])
        worst = max(abs(one.offset - self.truth[name]) for name, one in self.placed.items())
        near = f"{len(self.right)} of {len(self.placed)} clocks are within {NEAR:g} s of the truth"
        return (
            f"{near}, the worst {worst:.2f} s off; {len(sure)} called in step, {rightly} of {len(sure)} rightly. "
            "One event, so an example, no measurement."
        )

    @property
    def plate(self) -> Plate:
        """The picture, for a page."""
        caption = (
            f"{title_of(self.found)}. Each row is a recording; the higher, the more moves in it. In step, the bumps "
            "stand one below the other. While the person walks, the head hardly turns, and the gyroscope rests."
        )
        return Plate("one-clock", caption, lambda: draw_traces(self.traces, title_of(self.found)))

    def cells(self) -> dict[str, tuple[str, ...]]:
        """Of each recording: its length, when it starts on the common clock, the truth, and the verdict."""
        made: dict[str, tuple[str, ...]] = {}
        for camera in self.found.cameras:
            name, length = Path(camera.path).name, f"{camera.length:.1f} s"
            if name not in self.placed:
                made[name] = length, "", "", "the common clock"
                continue
            sure = f"{camera.verdict} ({min(camera.confidence, MOST_SURE):.0%})"
            made[name] = length, f"{camera.offset:z.2f} s", f"{self.truth[name]:z.2f} s", sure
        return made


def put_on_one_clock(
    out: Path, model: ActorObserverNet, each: Callable[[], object] = lambda: None, folder: Path = EVENT
) -> OneClock:
    """Align the recordings of the event that comes with the package; draw them, and write the cameras together."""
    found = align_many([folder / name for name in FILES], model=model, each=each)
    traces = traces_of(found)
    picture = save_picture(draw_traces(traces, title_of(found)), out / "one-clock.png")
    side_by_side(found, out / "cameras.mp4", title_of(found))
    return OneClock(
        found, _starts(folder, Path(found.cameras[found.reference].path).name), traces, picture, out / "cameras.mp4"
    )


def _starts(folder: Path, reference: str) -> dict[str, float]:
    """When each recording starts, on the clock of one of them.

    >>> {name: round(start, 2) for name, start in _starts(EVENT, "room-1.mp4").items()}
    {'room-1.mp4': 0.0, 'room-2.mp4': 2.28, 'head.mp4': 0.29, 'gyro.csv': 0.89}
    """
    clocks = json.loads((folder / "clocks.json").read_text())
    own = clocks[reference]
    return {name: (clock["offset"] - own["offset"]) * own["rate"] for name, clock in clocks.items()}

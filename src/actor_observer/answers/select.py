"""The most informative frames of a video: those the selector gives the most weight, spread in time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from actor_observer.console import Answer, counted
from actor_observer.errors import UserError
from actor_observer.features.embed import embed_features
from actor_observer.features.identity import model_name
from actor_observer.features.known import Knowledge, known_take, said_of
from actor_observer.features.models import open_model
from actor_observer.features.see import LOOK_RATE, Pixels, Video, channels_first, check_look_rate, open_take, see_phi
from actor_observer.frames.at import frames_at
from actor_observer.frames.jpegs import file_name, make_folder, write_jpeg
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs.manifest import Take, View

__all__ = ["Chosen", "Selected", "select", "spread_out"]

TOP = 12  # frames that are chosen unless told: a contact sheet of four by three
APART = 1.0  # seconds between two chosen frames


@dataclass(frozen=True)
class Chosen:
    """A frame that was chosen.

    >>> Chosen(1, 12.5, 2.3).weight
    2.3
    """

    rank: int
    time: float  # seconds
    weight: float  # relative to the video's mean, which is 1


@dataclass(frozen=True, eq=False)
class Selected(Answer):
    """The weight of every frame that was looked at, and the frames that were chosen, heaviest first."""

    ROWS = ("frames",)

    video: Take | Pixels
    view: View
    times: NDArray[np.float64]  # (T,) seconds
    weight: NDArray[np.float64]  # (T,) with a mean of 1
    frames: tuple[Chosen, ...]
    fps: float | None = None  # of pixels
    knowledge: Knowledge | None = None  # whether the model knows footage like this; None where nobody can say

    def __repr__(self) -> str:
        times = ", ".join(f"{frame.time:.2f}" for frame in self.frames[:3])
        more = ", …" if len(self.frames) > 3 else ""
        return f"<Selected in {Path(self.name).name}: {counted(len(self.frames), 'frame')}, at {times}{more} s>"

    @property
    def warning(self) -> str:
        """Why the choice is not to be believed; empty where it may be."""
        says = self.knowledge.says if self.knowledge else ""
        return says and f"these frames may be no better than others: {says}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        frames, curve = [asdict(frame) for frame in self.frames], {"times": self.times.tolist()}
        curve["weight"] = self.weight.tolist()
        return {"video": self.name, "view": self.view, **said_of(self.knowledge), "frames": frames, **curve}

    @property
    def name(self) -> str:
        """What the video is called."""
        return str(self.video.path) if isinstance(self.video, Take) else "pixels"

    def save(self, out: str | Path) -> list[Path]:
        """Write the chosen frames as JPEGs at full size; names say rank and time."""
        folder = make_folder(Path(out))
        written = []
        for frame in self.frames:  # one at a time: at full size they are large
            pixels = _pixels(self.video, frame.time, self.fps)
            written.append(write_jpeg(folder / file_name(frame.rank, frame.time), pixels, quality=95))
        return written


def select(
    video: Video,
    view: View = "first",
    top: int = TOP,
    apart: float = APART,
    model: str | Path | ActorObserverNet | None = None,
    look_rate: float = LOOK_RATE,
    fps: float | None = None,
    device: str = "auto",
    part: Callable[[float], object] = lambda share: None,
) -> Selected:
    """The frames of a video with the most weight, no two within `apart` seconds.

    >>> from actor_observer.model import NetworkConfig
    >>> network = ActorObserverNet(NetworkConfig(backbone="resnet18", size=32), pretrained=False)
    >>> pixels = np.zeros((30, 3, 32, 48), dtype=np.uint8)
    >>> chosen = select(pixels, top=3, apart=0.0, model=network, look_rate=2.0, fps=6.0)
    >>> len(chosen.frames), chosen.weight.round(3).tolist()[:2]
    (3, [1.0, 1.0])

    Args:
        video, view, look_rate, fps, part: as for `recognise`.
        top: how many frames.
        apart: least seconds between two of them.
        model, device: as for `align`; a model with a selector.
    """
    if top < 1 or not apart >= 0:
        raise UserError(f"top {top}, apart {apart:g}: ask for at least one frame, and no negative distance in time")
    check_look_rate(look_rate)
    if not isinstance(video, (np.ndarray, Tensor)):
        video = open_take(video, view, fps)
    network = open_model(model)
    if not network.config.select:
        raise UserError(f"{model_name(model)}: it has no selector: to it, all frames weigh the same")
    phi = see_phi(network, video, view, look_rate, fps, device, part)
    seen = embed_features(network, {"video": phi})["video"]
    assert seen.weight is not None
    weight = np.asarray(seen.weight, dtype=float)
    places = spread_out(seen.times, weight, top, apart)
    frames = [Chosen(rank, float(seen.times[place]), float(weight[place])) for rank, place in enumerate(places, 1)]
    return Selected(video, view, seen.times, weight, tuple(frames), fps, known_take(network, phi))


def spread_out(times: NDArray[np.float64], height: NDArray[np.float64], top: int, apart: float) -> list[int]:
    """Places of the highest values, highest first, no two less than `apart` seconds apart.

    >>> spread_out(np.array([0.0, 0.5, 1.0, 1.5]), np.array([1.0, 4.0, 3.0, 2.0]), top=3, apart=1.0)
    [1, 3]
    """
    chosen: list[int] = []
    for place in np.argsort(-height, kind="stable").tolist():
        if all(abs(times[place] - times[other]) >= apart - 1e-9 for other in chosen):
            chosen.append(place)
            if len(chosen) == top:
                break
    return chosen


def _pixels(video: Take | Pixels, time: float, fps: float | None) -> Tensor:
    """The frame at a time, at its own size."""
    if not isinstance(video, (np.ndarray, Tensor)):
        return frames_at(video, [time])[0]
    frames = channels_first(video)
    return frames[min(len(frames) - 1, int(time * (fps or 1.0) + 1e-6))]

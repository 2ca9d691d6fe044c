"""One of the recordings to put in step: the file, and what evidence needs of it, computed once when first asked for."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path

import numpy as np
from torch import Tensor, nn

from actor_observer.alignment.hearing.sound import Heard, hear
from actor_observer.errors import TakeError
from actor_observer.features.embeddings import TakeEmbedding
from actor_observer.features.on_disk.kept_motion import kept_motion
from actor_observer.features.see import NO_TIMES, Video, channels_first, open_take, see_phi
from actor_observer.frames.motion import Motion, Picture, motion_of_frames, small_gray, still_motion
from actor_observer.model.motion_heads import Watched
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs.frame_files import holds_frames
from actor_observer.pairs.manifest import Take, View
from actor_observer.pairs.probe import open_media
from actor_observer.pairs.window import stem_of, window_of

__all__ = ["Recording", "open_recorder", "open_recording"]


LOOKING = 0.2  # of the work on a long recording: the network looks at few of its frames, motion is measured in all


@dataclass(frozen=True, eq=False)
class Recording:
    """A video that evidence is taken from."""

    video: Video  # an opened take, or pixels
    view: View
    length: float  # seconds
    fps: float | None = None  # of pixels
    recorder: Heard | None = None  # what a sound recorder's file holds, which has no pictures
    part: Callable[[float], object] = lambda share: None  # called now and then with how much of it is looked at
    seen: dict[tuple[nn.Module, float], TakeEmbedding] = field(default_factory=dict)  # by backbone and look rate
    vectors: dict[nn.Module, Tensor] = field(default_factory=dict)  # the same of coarse heads, (D, T)
    watched: dict[nn.Module, list[Watched]] = field(default_factory=dict)  # what motion heads make of its motion

    def see(self, network: ActorObserverNet, look_rate: float, device: str = "auto") -> TakeEmbedding:
        """The backbone's features φ of its frames."""
        if self.recorder is not None:
            raise TakeError(str(self.path), "no pictures in it, only sound")
        key = network.backbone, look_rate
        if key not in self.seen:
            told = partial(self._tell, 0.0, LOOKING)
            self.seen[key] = see_phi(network, self.video, self.view, look_rate, self.fps, device, told)
        return self.seen[key]

    @property
    def path(self) -> Path | None:
        """Where the file or folder lies; None for pixels."""
        return self.video.path if isinstance(self.video, Take) else None

    @cached_property
    def motion(self) -> Motion:
        """What moves in it, frame by frame; that of files is kept for the next time. Sound alone is still."""
        if self.recorder is not None:
            return still_motion(self.length)
        if isinstance(self.video, Take):
            return kept_motion(self.video, part=partial(self._tell, LOOKING, 1.0))
        return motion_of_frames(_pictures(self), self.length)

    def _tell(self, start: float, end: float, share: float) -> None:
        self.part(start + share * (end - start))

    @cached_property
    def sound(self) -> Heard | None:
        """What is heard in it; None without a sound track."""
        if self.recorder is not None:
            return self.recorder
        if self.path is None or holds_frames(self.path):
            return None
        try:
            return hear(self.path)
        except TakeError:
            return None  # the pictures say what is wrong with the file

    @cached_property
    def started(self) -> datetime.datetime | None:
        """When the file says that it was recorded; cameras' clocks are often wrong."""
        if self.path is None or holds_frames(self.path):
            return None
        with open_media(self.path) as (container, video):
            stated = video.metadata if video else {}
            text = stated.get("creation_time") or container.metadata.get("creation_time")
        try:
            found = datetime.datetime.fromisoformat(text) if text else None
        except ValueError:
            return None
        if found is None or found.year <= 1990:  # 1904 and 1970 mean: not set
            return None
        return found.replace(tzinfo=None) + datetime.timedelta(seconds=window_of(self.path)[0])


def open_recording(
    video: Video,
    view: View,
    fps: float | None = None,
    part: Callable[[float], object] = lambda share: None,  # called now and then with how much of it is looked at
) -> Recording:
    """A file, a folder of frames or pixels, opened once.

    >>> open_recording(np.zeros((12, 8, 8, 3), np.uint8), "third", fps=4.0).length
    3.0
    """
    if isinstance(video, (np.ndarray, Tensor)):
        if fps is None or not fps > 0:
            raise ValueError(NO_TIMES)
        return Recording(video, view, len(video) / fps, fps, part=part)
    take = open_take(video, view, fps)
    return Recording(take, view, take.length, part=part)


def open_recorder(path: Path) -> Recording:
    """A sound recorder's file: it stands somewhere in the room, and only its sound tells when.

    >>> open_recorder(Path("no-such.wav"))
    Traceback (most recent call last):
    actor_observer.errors.TakeError: no-such.wav: no such file
    """
    heard = hear(path)
    if heard is None:
        raise TakeError(path, "no sound in it that can be decoded")
    length = heard.sound.end
    return Recording(Take(stem_of(path), "third", path, length), "third", length, recorder=heard)


def _pictures(recording: Recording) -> Iterator[Picture]:
    assert not isinstance(recording.video, (str, Path, Take)) and recording.fps
    frames = channels_first(recording.video)  # (T, 3, H, W)
    for number, frame in enumerate(frames):
        yield Picture(number / recording.fps, small_gray(np.ascontiguousarray(frame.permute(1, 2, 0).numpy())))

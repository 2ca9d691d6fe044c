"""One of the recordings to put in step: the file, and what evidence needs of it, computed once when first asked for."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Literal

import numpy as np
from torch import Tensor, nn

from actor_observer.alignment.hearing.sound import Heard, hear
from actor_observer.errors import TakeError, UserError
from actor_observer.features.embeddings import TakeEmbedding
from actor_observer.features.look import Look
from actor_observer.features.on_disk.kept_motion import kept_motion
from actor_observer.features.see import LOOK_RATE, NO_TIMES, Video, channels_first, open_take, see_frames, see_phi
from actor_observer.frames.glimpses import Glimpses
from actor_observer.frames.motion import Motion, Picture, motion_of_frames, small_gray, still_motion
from actor_observer.model.motion_heads import Watched
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs.frame_files import holds_frames
from actor_observer.pairs.manifest import Take, View
from actor_observer.pairs.probe import only_sound, open_media
from actor_observer.pairs.window import file_of, is_window, stem_of, window_of
from actor_observer.sampling.windows import frame_times
from actor_observer.signals import Signal, is_signal, read_signal
from actor_observer.signals.signal import cut_signal
from actor_observer.signals.telemetry import has_telemetry, read_telemetry

__all__ = ["Recording", "Source", "open_any", "open_recorder", "open_recording", "open_signal", "seen_as"]


Source = Literal["third", "first", "signal"]  # what a recording is compared as: a room or head camera's, or numbers
USUAL_ERROR = 3.5  # seconds (one sigma): when a file says that it was recorded, if its clock was set at all
FEW = 36  # frames by which footage is known, or not
LOOKING = 0.2  # of the work on a long recording: the network looks at few of its frames, motion is measured in all


@dataclass(frozen=True, eq=False)
class Recording:
    """A video, a sound recorder's file or a signal that evidence is taken from."""

    video: Video  # an opened take, or pixels
    view: View
    length: float  # seconds
    fps: float | None = None  # of pixels
    recorder: Heard | None = None  # what a sound recorder's file holds, which has no pictures
    signal: Signal | None = None  # numbers over time, which have neither pictures nor sound
    part: Callable[[float], object] = lambda share: None  # called now and then with how much of it is looked at
    seen: dict[tuple[nn.Module, float], TakeEmbedding] = field(default_factory=dict)  # by backbone and look rate
    vectors: dict[nn.Module, Tensor] = field(default_factory=dict)  # the same of coarse heads, (D, T)
    watched: dict[nn.Module, list[Watched]] = field(default_factory=dict)  # what motion heads make of its motion
    glance: Look | None = None  # as a network would see it: a few frames are kept for it while motion is measured
    glimpses: list[Glimpses] = field(default_factory=list)  # those frames

    def phi(self, network: ActorObserverNet, look_rate: float, device: str = "auto") -> TakeEmbedding:
        """The backbone's features φ of its frames."""
        if not self.shows:
            raise TakeError(str(self.path), f"no pictures in it, only {'sound' if self.recorder else 'numbers'}")
        key = network.backbone, look_rate
        if key not in self.seen and look_rate == self.glance_rate:
            self._see_glimpses(network, device)
        if key not in self.seen:
            told = partial(self._tell, 0.0, LOOKING)
            self.seen[key] = see_phi(network, self.video, self.view, look_rate, self.fps, device, told)
        return self.seen[key]

    def of_view(self, view: View) -> Recording:
        """The same recording as one of another view: what was measured stays, what networks made of it does not."""
        if view == self.view:
            return self
        video = replace(self.video, view=view) if isinstance(self.video, Take) else self.video
        other = replace(self, video=video, view=view, seen={}, vectors={}, watched={})
        other.__dict__.update({name: self.__dict__[name] for name in ("motion", "sound") if name in self.__dict__})
        return other

    @property
    def glance_rate(self) -> float:
        """Frames a second of which a few dozen tell what kind of footage it is."""
        most = self.glance.look_rate if self.glance is not None else LOOK_RATE
        return min(most, FEW / max(self.length, 1e-9))

    def _see_glimpses(self, network: ActorObserverNet, device: str) -> None:
        """φ of the frames that were kept on the way, if they are as this network looks."""
        for kept in self.glimpses:
            frames, fits = kept.frames(), kept.size == Look.of_network(network.config, LOOK_RATE).decode_size
            found = see_frames(network, frames, kept.times, self.view, device) if frames is not None and fits else None
            if found is not None:
                self.seen[network.backbone, self.glance_rate] = found

    @property
    def shows(self) -> bool:
        """Whether it has pictures."""
        return self.recorder is None and self.signal is None

    @property
    def source(self) -> Source:
        """What it is compared as."""
        return self.view if self.signal is None else "signal"

    @cached_property
    def numbers(self) -> Signal | None:
        """A signal itself, or the telemetry that a camera wrote into its video while it filmed; None without."""
        if self.signal is not None or self.path is None or not self.shows or not has_telemetry(file_of(self.path)):
            return self.signal
        try:
            found = read_telemetry(file_of(self.path))
        except (TakeError, UserError):
            return None  # the pictures are there all the same
        return cut_signal(found, *window_of(self.path)) if is_window(self.path) else found

    @property
    def path(self) -> Path | None:
        """Where the file or folder lies; None for pixels."""
        return self.video.path if isinstance(self.video, Take) else None

    @cached_property
    def motion(self) -> Motion:
        """What moves in it, frame by frame; that of files is kept for the next time. Without pictures it is still."""
        if not self.shows:
            return still_motion(self.length)
        if isinstance(self.video, Take):
            if self.glance is not None:
                times = frame_times(self.length, self.glance_rate)
                self.glimpses.append(Glimpses(times, self.glance.decode_size))
            glimpses = self.glimpses[-1] if self.glimpses else None
            return kept_motion(self.video, part=partial(self._tell, LOOKING, 1.0), glimpses=glimpses)
        return motion_of_frames(_pictures(self), self.length)

    def _tell(self, start: float, end: float, share: float) -> None:
        self.part(start + share * (end - start))

    @cached_property
    def sound(self) -> Heard | None:
        """What is heard in it; None without a sound track."""
        if self.recorder is not None:
            return self.recorder
        if self.path is None or self.signal is not None or holds_frames(self.path):
            return None
        try:
            return hear(self.path)
        except TakeError:
            return None  # the pictures say what is wrong with the file

    @cached_property
    def started(self) -> datetime.datetime | None:
        """When the file says that it was recorded; cameras' clocks are often wrong."""
        if self.numbers is not None and self.numbers.started is not None:
            return self.numbers.started
        if self.signal is not None or self.path is None or holds_frames(self.path):
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

    @property
    def started_error(self) -> float:
        """How far that time is trusted, in seconds (one sigma); by satellites it is nearly exact."""
        exact = self.numbers is not None and self.numbers.started is not None
        return self.numbers.started_error if exact and self.numbers else USUAL_ERROR


def open_recording(
    video: Video | Recording,
    view: View,
    fps: float | None = None,
    part: Callable[[float], object] = lambda share: None,  # called now and then with how much of it is looked at
    glance: Look | None = None,  # as a network would see it, if one may be asked
) -> Recording:
    """A file, a folder of frames or pixels, opened once; a recording that is open already, as one of this view.

    >>> open_recording(np.zeros((12, 8, 8, 3), np.uint8), "third", fps=4.0).length
    3.0
    """
    if isinstance(video, Recording):
        return video.of_view(view)
    if isinstance(video, (np.ndarray, Tensor)):
        if fps is None or not fps > 0:
            raise ValueError(NO_TIMES)
        return Recording(video, view, len(video) / fps, fps, part=part)
    take = open_take(video, view, fps)
    return Recording(take, view, take.length, part=part, glance=glance)


def open_any(
    path: Path,
    view: View,
    part: Callable[[float], object] = lambda share: None,
    time: str | None = None,
    columns: Sequence[str] = (),
) -> Recording:
    """A file of any kind: a video or a folder of frames, a sound recorder's, a signal (`time`, `columns`: of those).

    >>> open_any(Path("no-such.csv"), "third")
    Traceback (most recent call last):
    actor_observer.errors.TakeError: no-such.csv: no such file
    """
    if is_signal(path):
        return open_signal(path, time, columns)
    return open_recorder(path) if only_sound(path) else open_recording(path, view, part=part)


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


def open_signal(signal: str | Path | Signal, time: str | None = None, columns: Sequence[str] = ()) -> Recording:
    """A table of numbers over time, as a recording: a file, or a signal at hand.

    >>> from actor_observer.signals import make_signal
    >>> at = np.arange(100) / 10
    >>> open_signal(make_signal(at, {"joint": np.sin(at)})).length
    10.0
    """
    if isinstance(signal, Signal):
        return Recording(np.zeros(0, np.uint8), "third", signal.length, signal=signal)
    found, path = read_signal(signal, time, columns), Path(signal)
    return Recording(Take(stem_of(path), "third", path, found.length), "third", found.length, signal=found)


def seen_as(recording: Recording, view: View) -> Recording:
    """The same recording of another view; its motion is kept."""
    if recording.view == view:
        return recording
    video = replace(recording.video, view=view) if isinstance(recording.video, Take) else recording.video
    found = replace(recording, video=video, view=view, seen={}, vectors={}, watched={})
    for name in ("motion", "sound", "numbers"):
        found.__dict__[name] = getattr(recording, name)  # as if it had been asked for
    return found


def _pictures(recording: Recording) -> Iterator[Picture]:
    assert not isinstance(recording.video, (str, Path, Take)) and recording.fps
    frames = channels_first(recording.video)  # (T, 3, H, W)
    for number, frame in enumerate(frames):
        yield Picture(number / recording.fps, small_gray(np.ascontiguousarray(frame.permute(1, 2, 0).numpy())))

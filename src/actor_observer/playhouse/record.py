"""Record one take: draw it, encode it, and write the truth about every frame."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from actor_observer.disk import write_whole
from actor_observer.frames.writing.write_mp4 import VideoWriter
from actor_observer.playhouse.acting.gathering import performances_of
from actor_observer.playhouse.acting.motion import Array
from actor_observer.playhouse.filming.filming import Filming, Other, film
from actor_observer.playhouse.filming.render import Frames, Painter, check_drawing
from actor_observer.playhouse.set_plan import EventPlan, TakePlan, bystanders_of, performance_of
from actor_observer.playhouse.truth_files import frame_truth, people_truth, write_truth
from actor_observer.stopping import temporary_folder

__all__ = ["FOLDERS", "Look", "Recording", "files_of", "filming_of", "record", "recording_of", "render_frames"]

BATCH = 48  # frames drawn before they are encoded: bounds memory
FOLDERS = ("videos", "truth")
SHARES = 6.0  # a second: how often the pixels of hands and object are counted in a varied set


@dataclass(frozen=True)
class Look:
    """How videos are written: width and height, and x264's quality and effort."""

    size: tuple[int, int]
    crf: int
    preset: str

    def of(self, take: TakePlan) -> Look:
        """How the video of a take is written: a varied one has settings of its own."""
        shot = take.shot
        return Look(self.size[::-1] if shot.upright else self.size, shot.crf, shot.preset) if shot else self


def filming_of(take: TakePlan) -> Filming:
    """The performance of a take, with its camera."""
    if take.event:
        return _filming_of_event(take, take.event)
    performance = performance_of(take)
    head = film(performance, "first", list(take.head), take.head_shot) if take.head else None
    filming = film(performance, take.view, list(take.filming), take.shot)
    return replace(filming, head=head, others=tuple(Other(other) for other in bystanders_of(take)))


def _filming_of_event(take: TakePlan, event: EventPlan) -> Filming:
    """One camera of an event; the heads of all people move as their own cameras would record it."""
    performances, names = performances_of(event.gathering), event.gathering.names
    heads = [film(who, "first", list(seed), shot) for who, (seed, shot) in zip(performances, event.heads, strict=True)]
    me = event.number(take.actor)
    others = tuple(Other(performances[n], heads[n], name in event.wearers) for n, name in enumerate(names) if n != me)
    own = heads[me]
    if take.view == "third":
        seconds = take.shot.seconds if take.shot else own.performance.length
        window = take.offset, take.offset + seconds
        own = replace(film(performances[me], "third", list(take.filming), take.shot), head=own, window=window)
    return replace(own, others=others, lit=performances[0])


def render_frames(take: TakePlan, times: Array, size: tuple[int, int] = (224, 168)) -> Frames:
    """Draw a take at these times (T,) only, in the video's seconds: images and shares of pixels.

    >>> from actor_observer.playhouse import plan_set
    >>> take = plan_set(pairs=1, seed=0).pairs[0].first
    >>> render_frames(take, times=take.times[::50]).hands_share  # doctest: +SKIP
    """
    with Painter(filming_of(take), Look(size, 0, "").of(take).size) as painter:
        return painter.draw(take.moments(times))


def files_of(take: TakePlan, out: Path) -> tuple[Path, Path]:
    """Where the video of a take and its truth are."""
    return out / "videos" / f"{take.id}.mp4", out / "truth" / f"{take.id}.npz"


def record(take: TakePlan, out: Path, look: Look) -> int:
    """Draw and encode one take and write its truth. Returns the number of frames drawn, 0 if it was already there."""
    video, truth = files_of(take, out)
    if video.exists() and truth.exists():
        return 0
    filming, times, look = filming_of(take), take.times, look.of(take)
    gop, shares_every = (take.shot.gop, max(1, round(take.fps / SHARES))) if take.shot else (0, 1)
    people = take.event is not None and take.view == "third"
    parts: list[Frames] = []
    with (
        Painter(filming, look.size) as painter,
        VideoWriter(video, take.fps, None, 0, look.crf, look.preset, gop, plain=True, threads=1) as writer,
    ):
        for start in range(0, len(times), BATCH):
            frames = painter.draw(take.moments(times[start : start + BATCH]), shares_every, people)
            for image in frames.images:
                writer.add(image)
            parts.append(frames)
    kinds = ("hands", "object", "actor")
    shares = {name: np.concatenate([getattr(part, f"{name}_share") for part in parts]) for name in kinds}
    facts = frame_truth(take, filming, times, shares)
    if people:
        names = [filming.performance.actor.name, *(other.performance.actor.name for other in filming.others)]
        counted = np.concatenate([times[start : start + BATCH : shares_every] for start in range(0, len(times), BATCH)])
        facts |= people_truth(names, counted, [seen for part in parts for seen in part.people])
    write_truth(truth, facts)
    return len(times)


@dataclass(frozen=True)
class Recording:
    """A recorded take as the bytes of its files, to be written on another machine."""

    frames: int
    video: bytes  # mp4
    truth: bytes  # npz

    def write(self, take: TakePlan, out: Path) -> None:
        """Put both files in place, each whole or not at all."""
        for path, content in zip(files_of(take, out), (self.video, self.truth), strict=True):
            write_whole(path, content)


def recording_of(look: Look, take: TakePlan) -> Recording:
    """Record a take on this machine for another one. Nothing but the take and the look decides it."""
    check_drawing()
    with temporary_folder() as place:
        for folder in FOLDERS:
            (place / folder).mkdir()
        frames = record(take, place, look)
        video, truth = files_of(take, place)
        return Recording(frames, video.read_bytes(), truth.read_bytes())

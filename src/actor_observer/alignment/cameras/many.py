"""Put three or more cameras on one clock: every two are compared, and the surest comparisons that join all are kept."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree

from actor_observer.alignment.align import bounded_look_rate, check_max_offset
from actor_observer.alignment.cameras.by_sound import compare_by_sound
from actor_observer.alignment.one_event import OneEvent
from actor_observer.alignment.recording import Recording, open_recorder, open_recording
from actor_observer.alignment.result import Verdict, write_text
from actor_observer.alignment.weigher import Weigher, judge_event
from actor_observer.errors import UserError
from actor_observer.features.models import open_model
from actor_observer.features.see import LOOK_RATE, check_look_rate, same_video
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs.manifest import View
from actor_observer.pairs.probe import only_sound

__all__ = ["Camera", "Cameras", "Link", "align_many", "join_cameras"]

WORST: tuple[Verdict, ...] = ("unrelated", "cannot tell", "in step")


@dataclass(frozen=True)
class Camera:
    """One camera on the common clock: common time = offset + rate · its own time."""

    path: str
    view: View
    length: float  # seconds
    offset: float  # seconds
    rate: float
    offset_error: float  # half-width, 95 %: of the clock at the middle of its recording; 0 for the reference
    verdict: Verdict  # of the worst comparison between it and the reference
    confidence: float
    via: str | None  # the camera that it was compared with; None for the reference
    recorder: bool = False  # a sound recorder, without pictures

    @property
    def role(self) -> str:
        """In one word, for people."""
        return "recorder" if self.recorder else "head" if self.view == "first" else "room"


@dataclass(frozen=True)
class Link:
    """What comparing two cameras gave: time of `one` = offset + rate · time of `other`."""

    one: int
    other: int
    event: OneEvent
    verdict: Verdict
    confidence: float


@dataclass(frozen=True)
class Cameras:
    """What `align_many` found. The common clock is that of the reference camera."""

    cameras: tuple[Camera, ...]  # in the order given
    reference: int
    warnings: tuple[str, ...]

    @property
    def in_step(self) -> tuple[Camera, ...]:
        """Those whose clock can be believed, the reference among them."""
        return tuple(camera for camera in self.cameras if camera.verdict == "in step")

    @property
    def verdict(self) -> Verdict:
        """The worst of all cameras'."""
        return min((camera.verdict for camera in self.cameras), key=WORST.index)

    def __repr__(self) -> str:
        return f"<Cameras: {len(self.in_step)} of {len(self.cameras)} in step>"

    def __str__(self) -> str:
        wide = max(len(Path(camera.path).name) for camera in self.cameras)
        roles = max(len(camera.role) for camera in self.cameras)
        lines = []
        for number, camera in enumerate(self.cameras):
            name = f"{Path(camera.path).name:{wide}}  {camera.role:{roles}}"
            if number == self.reference:
                lines.append(f"{name}  the common clock")
                continue
            clock = f"common = {camera.offset:z.2f} s + {camera.rate:.6g} · own, ± {camera.offset_error:.2f} s"
            via = f"by {Path(camera.via or '').name}"
            lines.append(f"{name}  {clock}  {camera.verdict} ({camera.confidence:.2f}, {via})")
        return "\n".join([*lines, *(f"note: {warning}" for warning in self.warnings)])

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        return {
            "verdict": self.verdict,
            "reference": self.cameras[self.reference].path,
            "cameras": [
                {
                    "path": camera.path,
                    "view": camera.view,
                    "recorder": camera.recorder,
                    "length": round(camera.length, 3),
                    "offset": round(camera.offset, 4),
                    "rate": round(camera.rate, 7),
                    "verdict": camera.verdict,
                    "confidence": round(camera.confidence, 4),
                    "offset_error": round(camera.offset_error, 4),
                    "via": camera.via,
                }
                for camera in self.cameras
            ],
            "warnings": list(self.warnings),
        }

    def write(self, folder: str | Path) -> list[Path]:
        """Write `alignment.json` into a folder; what was written is returned."""
        path = Path(folder) / "alignment.json"
        write_text(path, json.dumps(self.to_dict(), indent=1, ensure_ascii=False) + "\n")
        return [path]


def align_many(
    videos: Sequence[str | Path],
    first: str | Path | None = None,
    model: str | Path | ActorObserverNet | None = None,
    backbone: str | None = None,
    look_rate: float = LOOK_RATE,
    max_offset: float | None = None,
    same_speed: bool = False,
    device: str = "auto",
    each: Callable[[], object] = lambda: None,
    part: Callable[[float], object] = lambda share: None,
) -> Cameras:
    """Put several cameras on one event on one clock; a sound recorder's files, too, by sound alone.

    Args:
        videos: the recordings, as files or folders of frames.
        first: which is the head camera's; None: the last; "none": none of them.
        model, backbone, look_rate, max_offset, same_speed, device, each, part: as for `align`.
    """
    check_look_rate(look_rate)
    check_max_offset(max_offset)
    paths = [Path(video) for video in videos]
    head = head_camera(paths, first)
    recordings = []
    for number, path in enumerate(paths):
        view: View = "first" if number == head else "third"
        recordings.append(open_recorder(path) if only_sound(path) else open_recording(path, view, part=part))
        _ = recordings[-1].motion, recordings[-1].sound
        each()
    _refuse_unheard(recordings)
    lengths = sorted((one.length for one in recordings), reverse=True)
    seen_at = bounded_look_rate((lengths[0], lengths[1]), look_rate)
    network = open_model(model, backbone) if head is not None or model or backbone else None
    weigher = Weigher(network, seen_at, max_offset, same_speed, device)
    links = [_compare(recordings, one, other, weigher) for one, other in itertools.combinations(range(len(paths)), 2)]
    return join_cameras(recordings, links)


def head_camera(paths: Sequence[Path], first: str | Path | None) -> int | None:
    """Which of these files is the head camera's: the one named, or the last with pictures if there are several.

    >>> head_camera([Path("a.mp4"), Path("b.mp4")], "a.mp4")
    0
    >>> head_camera([Path("a.mp4"), Path("b.mp4")], "none")
    """
    if len(paths) < 2:
        raise UserError("align needs at least two videos: the room cameras', then the head camera's")
    for one, other in itertools.combinations(paths, 2):
        if one == other or same_video(one, other):
            raise UserError(f"{one} and {other} are the same video: give each camera's once")
    if str(first) == "none":
        return None
    shown = [number for number, path in enumerate(paths) if not only_sound(path)]
    if first is None:
        return shown[-1] if len(shown) > 1 else None
    for number, path in enumerate(paths):
        if path == Path(first) or same_video(path, first):
            if number not in shown:
                raise UserError(f"--first {first}: it has no pictures, so it is no head camera's")
            return number
    raise UserError(f"--first {first}: not among the videos; name one of them, or say none")


def _refuse_unheard(recordings: Sequence[Recording]) -> None:
    """A recorder needs another sound to be compared with."""
    heard = [one for one in recordings if one.sound is not None]
    if len(heard) == 1 and heard[0].recorder is not None:
        raise UserError(f"{heard[0].path} has no pictures, and no other recording has sound: nothing to compare")


def join_cameras(recordings: Sequence[Recording], links: Sequence[Link]) -> Cameras:
    """Every camera's clock along the spanning tree of the surest links; links that contradict it become warnings."""
    count = len(recordings)
    costs = np.zeros((count, count))
    for link in links:
        costs[link.one, link.other] = 1e-6 - math.log(max(link.confidence, 1e-9))  # 0 would mean: no link
    tree = minimum_spanning_tree(costs).toarray()
    kept = {(link.one, link.other): link for link in links if tree[link.one, link.other] or tree[link.other, link.one]}
    reference = _reference(count, kept)
    order, before = breadth_first_order(tree, reference, directed=False)
    paths = [str(one.path or f"camera {number + 1}") for number, one in enumerate(recordings)]
    found: dict[int, Camera] = {}
    for number in order.tolist():
        recording = recordings[number]
        if number == reference:
            joined = [link.confidence for link in kept.values() if reference in (link.one, link.other)]
            joined_well = any(link.verdict == "in step" for ends, link in kept.items() if reference in ends)
            verdict: Verdict = "in step" if joined_well else "cannot tell"
            found[number] = Camera(
                paths[number],
                recording.view,
                recording.length,
                offset=0.0,
                rate=1.0,
                offset_error=0.0,
                verdict=verdict,
                confidence=max(joined, default=0.0),
                via=None,
                recorder=recording.recorder is not None,
            )
            continue
        nearer = int(before[number])
        link = kept.get((nearer, number)) or kept[number, nearer]
        found[number] = _through(found[nearer], link, link.one == nearer, recording, paths[number], nearer == reference)
    cameras = tuple(found[number] for number in range(count))
    return Cameras(cameras, reference, _contradictions(cameras, links, kept))


def _compare(recordings: Sequence[Recording], one: int, other: int, weigher: Weigher) -> Link:
    """Of two cameras, the head camera's is the second."""
    if recordings[one].view == "first":
        one, other = other, one
    both = recordings[one], recordings[other]
    if both[0].recorder is not None or both[1].recorder is not None:
        event, confidence = compare_by_sound(*both, weigher.max_offset, weigher.same_speed)
        return Link(
            one, other, event, "in step" if confidence >= weigher.calibration.sure else "cannot tell", confidence
        )
    event = weigher.weigh(*both)
    verdict, confidence, _ = judge_event(event, weigher.calibration, (both[0].length, both[1].length))
    return Link(one, other, event, verdict, confidence)


def _reference(count: int, kept: Mapping[tuple[int, int], Link]) -> int:
    """The first named of the largest group that is in step: one stranger must not spoil the clock of the others."""
    group = list(range(count))
    for (one, other), link in kept.items():
        if link.verdict == "in step":
            group = [group[one] if mark == group[other] else mark for mark in group]
    return max(range(count), key=lambda camera: (group.count(group[camera]), -camera))


def _through(near: Camera, link: Link, forward: bool, recording: Recording, path: str, at_reference: bool) -> Camera:
    """A camera's clock, from that of the camera it is linked to."""
    offset, rate = link.event.offset, link.event.rate
    if not forward:  # the link gives this camera's time for a time of the nearer one: turn it round
        offset, rate = -offset / rate, 1 / rate
    verdict = link.verdict if at_reference else min(link.verdict, near.verdict, key=WORST.index)
    return Camera(
        path=path,
        view=recording.view,
        length=recording.length,
        offset=near.offset + near.rate * offset,
        rate=near.rate * rate,
        offset_error=math.hypot(near.offset_error, link.event.offset_error),
        verdict=verdict,
        confidence=link.confidence if at_reference else link.confidence * near.confidence,
        via=near.path,
        recorder=recording.recorder is not None,
    )


def _contradictions(
    cameras: Sequence[Camera], links: Sequence[Link], kept: Mapping[tuple[int, int], Link]
) -> tuple[str, ...]:
    """Sure comparisons that are not in the tree should agree with it."""
    said = []
    for link in links:
        one, other = cameras[link.one], cameras[link.other]
        if (link.one, link.other) in kept or link.verdict != "in step":
            continue
        middle = other.length / 2
        by_tree = (other.offset + other.rate * middle - one.offset) / one.rate
        apart = abs(link.event.to_third(middle) - by_tree)
        if apart > 3 * max(one.offset_error, other.offset_error, link.event.offset_error):
            names = Path(one.path).name, Path(other.path).name
            said.append(f"{names[0]} and {names[1]}, compared directly, are {apart:.2f} s apart from this clock")
    if any(camera.verdict != "in step" for camera in cameras):
        said.append("the clock of a camera that is not in step is the best guess: do not trust its times")
    return tuple(said)

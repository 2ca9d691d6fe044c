"""Put any number of cameras on one clock: every two are compared, and one belief is held over all clocks at once."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree

from actor_observer.alignment.align import bounded_look_rate, check_max_offset, exchanged
from actor_observer.alignment.belief import NEAR, believe, posterior
from actor_observer.alignment.calibration import EventCalibration, load_calibration
from actor_observer.alignment.cameras.moving import find_head
from actor_observer.alignment.compare import Comparer, Comparison
from actor_observer.alignment.joint import Joint, join, pull_of
from actor_observer.alignment.lags import Array
from actor_observer.alignment.looking import look_at_all
from actor_observer.alignment.recording import Recording, Source, open_any, open_recording
from actor_observer.alignment.result import MOST_SURE, Verdict, write_text
from actor_observer.alignment.sight import Sight
from actor_observer.console import Answer
from actor_observer.errors import UserError
from actor_observer.features.look import Look
from actor_observer.features.models import open_model
from actor_observer.features.see import LOOK_RATE, check_look_rate, same_video
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs.manifest import View
from actor_observer.pairs.probe import only_sound
from actor_observer.signals import is_signal

__all__ = ["Camera", "Cameras", "align_many", "compare_all", "head_by_motion", "head_camera", "join_cameras"]

WORST: tuple[Verdict, ...] = ("unrelated", "cannot tell", "in step")
JOINED = 0.2  # of the belief of two recordings near the clock of all: less, and they are not linked by it
_RANKS: dict[Source, int] = {"third": 0, "first": 1, "signal": 2}
Links = dict[tuple[int, int], Comparison]  # by the places of two recordings


@dataclass(frozen=True)
class Camera:
    """One camera on the common clock: common time = offset + rate · its own time."""

    path: str
    view: View
    length: float  # seconds
    offset: float  # seconds
    rate: float
    offset_error: float | None  # half-width, 95 %: at the middle of its recording; None where it is not in step
    verdict: Verdict
    confidence: float
    via: str | None  # the camera that it was compared with; None for the reference
    recorder: bool = False  # a sound recorder, without pictures
    time: str = ""  # of a signal: the column that says when; its own time is seconds since its first row

    @property
    def signal(self) -> bool:
        """Whether it is a table of numbers."""
        return bool(self.time)

    @property
    def role(self) -> str:
        """In one word, for people."""
        if self.signal:
            return "signal"
        return "recorder" if self.recorder else "head" if self.view == "first" else "room"


@dataclass(frozen=True)
class Cameras(Answer):
    """What `align_many` found. The common clock is that of the reference camera."""

    ROWS = ("cameras",)

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
            error = "" if camera.offset_error is None else f", ± {camera.offset_error:.2f} s"
            clock = f"common = {camera.offset:z.2f} s + {camera.rate:.6g} · own{error}"
            via = f"by {Path(camera.via or '').name}"
            lines.append(f"{name}  {clock}  {camera.verdict} ({min(camera.confidence, MOST_SURE):.0%}, {via})")
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
                    "signal": camera.signal,
                    "length": round(camera.length, 3),
                    "offset": round(camera.offset, 4),
                    "rate": round(camera.rate, 7),
                    "verdict": camera.verdict,
                    "confidence": round(camera.confidence, 4),
                    "offset_error": None if camera.offset_error is None else round(camera.offset_error, 4),
                    "via": camera.via,
                }
                for camera in self.cameras
            ],
            "warnings": list(self.warnings),
        }

    def to_rerun(self, anyway: bool = False) -> Any:
        """A recording for the viewer Rerun; needs the extra `rerun`."""
        import actor_observer

        return actor_observer.to_rerun(self, anyway=anyway)

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
    time: str | None = None,
    columns: Sequence[str] = (),
) -> Cameras:
    """Put several recordings of one event on one clock: cameras, sound recorders, signals (joints, IMUs).

    Args:
        videos: the recordings, as files or folders of frames; signals as .csv, .npz or .parquet.
        first: which is the head camera's; None: the last; "none": none of them.
        model, backbone, look_rate, max_offset, same_speed, device, each, part: as for `align`.
        time, columns: of signals: the column that says when, and those that count (see `read_signal`).
    """
    check_look_rate(look_rate)
    check_max_offset(max_offset)
    paths = [Path(video) for video in videos]
    head = head_camera(paths, first)
    openers = [
        partial(open_any, path, "first" if number == head else "third", time=time, columns=columns)
        for number, path in enumerate(paths)
    ]
    recordings = look_at_all(openers, each, part)
    _refuse_unheard(recordings)
    if first is None and any(one.signal for one in recordings):
        recordings = find_head(recordings)
    lengths = sorted((one.length for one in recordings), reverse=True)
    seen_at = bounded_look_rate((lengths[0], lengths[1]), look_rate)
    needed = len({one.view for one in recordings}) > 1 or model or backbone
    sight = Sight(open_model(model, backbone), seen_at, device) if needed else None
    comparer = Comparer(sight, max_offset, same_speed)
    links = compare_all(recordings, comparer)
    return join_cameras(recordings, links, comparer.calibration)


def compare_all(recordings: Sequence[Recording], comparer: Comparer) -> Links:
    """Every two recordings, by their places: a room camera before a head camera, either before a signal."""
    found: Links = {}
    for one, other in itertools.combinations(range(len(recordings)), 2):
        if _RANKS[recordings[one].source] > _RANKS[recordings[other].source]:
            one, other = other, one
        found[one, other] = comparer.compare(recordings[one], recordings[other])
    return found


def head_camera(paths: Sequence[Path], first: str | Path | None) -> int | None:
    """Which of these files is the head camera's: the one named, or the last with pictures if there are several.

    >>> head_camera([Path("a.mp4"), Path("b.mp4")], "a.mp4")
    0
    >>> head_camera([Path("a.mp4"), Path("b.mp4")], "none")
    """
    if len(paths) < 2:
        raise UserError("align needs at least two videos, or signals: the room cameras', then the head camera's")
    for one, other in itertools.combinations(paths, 2):
        if one == other or same_video(one, other):
            raise UserError(f"{one} and {other} are the same video: give each camera's once")
    if str(first) == "none":
        return None
    shown = [number for number, path in enumerate(paths) if not is_signal(path) and not only_sound(path)]
    if first is None:
        return shown[-1] if len(shown) > 1 else None
    for number, path in enumerate(paths):
        if path == Path(first) or same_video(path, first):
            if number not in shown:
                raise UserError(f"--first {first}: it has no pictures, so it is no head camera's")
            return number
    raise UserError(f"--first {first}: not among the videos; name one of them, or say none")


def head_by_motion(
    paths: Sequence[Path],
    head: int,
    network: ActorObserverNet,  # that may be asked about them later
    look_rate: float = LOOK_RATE,
    part: Callable[[float], object] = lambda share: None,
) -> tuple[int, tuple[Recording, Recording]]:
    """Which of two videos is the head camera's: the other one, where that one moves far more than this one.

    Nobody named it, and people give two files in any order. Also both recordings, measured, the room camera's first.
    """
    check_look_rate(look_rate)
    glance = Look.of_network(network.config, look_rate)
    openers = [partial(open_recording, path, "third", None, glance=glance) for path in paths]
    both = look_at_all(openers, part=part, watched=False)
    named = 1 - head if exchanged(both[1 - head].motion, both[head].motion) else head
    return named, (both[1 - named], both[named].of_view("first"))


def _refuse_unheard(recordings: Sequence[Recording]) -> None:
    """A recorder needs another sound to be compared with."""
    heard = [one for one in recordings if one.sound is not None]
    if len(heard) == 1 and heard[0].recorder is not None:
        raise UserError(f"{heard[0].path} has no pictures, and no other recording has sound: nothing to compare")


def join_cameras(recordings: Sequence[Recording], links: Links, calibration: EventCalibration) -> Cameras:
    """Every camera's clock by the joint belief of all comparisons; a camera that does not belong spoils no other's."""
    count = len(recordings)
    joint = join(count, {ends: pull_of(link.curve, link.tells) for ends, link in links.items()}, calibration.shared)
    shares = joint.shares if count > 2 else np.full(2, next(iter(links.values())).confidence)
    placed = {ends: _placed(link, joint, ends) for ends, link in links.items()}
    reference, group = _together(shares, placed, calibration.sure)
    tree = _tree(placed, links, reference, count)
    found: dict[int, Camera] = {}
    for number, nearer in tree:
        clock = _Clock(0.0, 1.0, 0.0)
        if nearer is not None:
            clock = _through(found[nearer], placed, links, nearer, number)
        strange = all(link.verdict == "unrelated" for ends, link in links.items() if number in ends)
        verdict: Verdict = "in step" if number in group else "unrelated" if strange else "cannot tell"
        found[number] = Camera(
            path=str(recordings[number].path or f"camera {number + 1}"),
            view=recordings[number].view,
            length=recordings[number].length,
            offset=clock.offset,
            rate=clock.rate,
            offset_error=clock.error if verdict == "in step" else None,
            verdict=verdict,
            confidence=float(shares[number]) if number in group else min(float(shares[number]), 0.5),
            via=None if nearer is None else found[nearer].path,
            recorder=recordings[number].recorder is not None,
            time=signal.time if (signal := recordings[number].signal) else "",
        )
    cameras = tuple(found[number] for number in range(count))
    return Cameras(cameras, reference, (*_told(recordings), *_warnings(cameras, links)))


@dataclass(frozen=True)
class _Clock:
    """Time of one = offset + rate · time of the other."""

    offset: float
    rate: float
    error: float  # half-width, 95 %
    mass: float = 1.0  # of the belief of these two alone near the joint offset


def _placed(link: Comparison, joint: Joint, ends: tuple[int, int]) -> _Clock:
    """What two recordings say about their clock near the offset that all recordings agree on."""
    at = float(joint.offsets[ends[1]] - joint.offsets[ends[0]])
    belief = believe(link.curve, link.tells, (at - 2 * NEAR, at + 2 * NEAR))
    whole = np.exp(posterior(link.curve, link.tells)).sum(axis=0)
    mass = float(whole[np.abs(link.curve.lags.offsets - at) <= NEAR].sum())
    fitted = load_calibration().of(link.one.source, link.other.source)
    return _Clock(belief.offset, belief.rate, fitted.error_of(belief), mass)


def _together(shares: Array, placed: Mapping[tuple[int, int], _Clock], sure: float) -> tuple[int, set[int]]:
    """The reference, and all that are in step with it: the largest group that sure clocks join; the first named leads.

    One stranger must not spoil the clock of the others, and two events are two groups.
    """
    count = len(shares)
    mark = list(range(count))
    for (one, other), clock in placed.items():
        if min(shares[one], shares[other]) >= sure and clock.mass >= JOINED:
            mark = [mark[one] if own == mark[other] else own for own in mark]
    leader = max(range(count), key=lambda number: (mark.count(mark[number]), -number))
    group = {number for number in range(count) if mark[number] == mark[leader]}
    return leader, group if len(group) > 1 else set()


def _tree(
    placed: Mapping[tuple[int, int], _Clock], links: Links, reference: int, count: int
) -> list[tuple[int, int | None]]:
    """Cameras in an order in which each is linked to an earlier one, by the clocks that are believed most."""
    costs = np.zeros((count, count))
    for (one, other), clock in placed.items():
        costs[one, other] = 1e-6 - math.log(max(clock.mass, 1e-9)) + clock.error  # 0 would mean: no link
    tree = minimum_spanning_tree(costs).toarray()
    order, before = breadth_first_order(tree, reference, directed=False)
    return [(int(number), None if number == reference else int(before[number])) for number in order]


def _through(near: Camera, placed: Mapping[tuple[int, int], _Clock], links: Links, nearer: int, number: int) -> _Clock:
    """A camera's clock, from that of the camera it is linked to."""
    clock = placed.get((nearer, number))
    if clock is None:  # it gives the nearer one's time for a time of this camera: turn it round
        other = placed[number, nearer]
        clock = _Clock(-other.offset / other.rate, 1 / other.rate, other.error)
    error = math.hypot(near.offset_error or 0.0, clock.error)
    return _Clock(near.offset + near.rate * clock.offset, near.rate * clock.rate, error)


def _told(recordings: Sequence[Recording]) -> list[str]:
    """What was read of each signal, and what a reader should know about it."""
    said = []
    for one in recordings:
        if one.numbers is not None:
            name = one.path.name if one.path else "a signal"
            said += [f"{name}: {line}" for line in (*([one.numbers.says] if one.signal else []), *one.numbers.notes)]
    return said


def _warnings(cameras: Sequence[Camera], links: Links) -> tuple[str, ...]:
    """Sure comparisons of two should agree with the clock of all."""
    said = []
    for (first, second), link in links.items():
        one, other = cameras[first], cameras[second]
        if link.verdict != "in step" or "in step" not in (one.verdict, other.verdict):
            continue
        middle = other.length / 2
        by_all = (other.offset + other.rate * middle - one.offset) / one.rate
        apart = abs(link.belief.to_one(middle) - by_all)
        if apart > max(2 * NEAR, 3 * link.error):
            names = Path(one.path).name, Path(other.path).name
            said.append(f"{names[0]} and {names[1]}, compared directly, are {apart:.2f} s apart from this clock")
    if any(camera.verdict != "in step" for camera in cameras):
        said.append("the clock of a camera that is not in step is the best guess: do not trust its times")
    return tuple(said)

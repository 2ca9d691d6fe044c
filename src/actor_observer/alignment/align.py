"""Put two recordings in step, or say that it cannot be done.

Two hypotheses are weighed. *One event*: both cameras ran at the same time, so the speed is the same and motion and
sound decide. *Two performances*: one script acted out twice, so the speed is free and the likeness of moments decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.ndimage import uniform_filter1d

from actor_observer.alignment.calibration import OneEventCalibration, load_calibration
from actor_observer.alignment.kinds.likeness import Likeness
from actor_observer.alignment.kinds.motion import motion_rate
from actor_observer.alignment.one_event import OneEvent, weigh_one_event
from actor_observer.alignment.performances.confidence import find_calibration
from actor_observer.alignment.performances.two_performances import align_takes
from actor_observer.alignment.recording import Recording, open_recording
from actor_observer.alignment.result import Alignment, Point
from actor_observer.alignment.weigher import cheap_evidence, judge_event, knows
from actor_observer.errors import UserError
from actor_observer.features.embed import embed_features
from actor_observer.features.embeddings import Embeddings
from actor_observer.features.models import is_trained, open_model
from actor_observer.features.see import LOOK_RATE, Video, check_look_rate, same_video
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs.clock import Clock

__all__ = ["align", "align_recordings", "bounded_look_rate", "check_max_offset", "most_moved", "prefer_event"]

MOST_CELLS = 4_000_000  # of the matrix: 2000 frames against 2000
MOST_FRAMES = 20_000  # of one recording
RIVAL = 0.1  # chance of being right below which one event is always given up for a path through known footage
AGREE = 1.0  # seconds: where both explanations place moments alike, the sharper one is given
CALM = 3.0  # times: a head camera moves this much more than the room camera, unless they stand the wrong way round


def align(
    third: Video,
    first: Video,
    model: str | Path | ActorObserverNet | None = None,
    backbone: str | None = None,
    fps: float | tuple[float, float] | None = None,
    look_rate: float = LOOK_RATE,
    max_offset: float | None = None,
    same_speed: bool = False,
    device: str = "auto",
    each: Callable[[], object] = lambda: None,
    part: Callable[[float], object] = lambda share: None,
) -> Alignment:
    """Put two videos in step: the clock between them, and whether to believe it.

    >>> from actor_observer.model import NetworkConfig
    >>> from actor_observer.pairs import ROBOTS
    >>> room, head = (ROBOTS / f"videos/1_L_S_6_horizontal_n_4_regrasp.{view}.mp4" for view in ("third", "first"))
    >>> small = ActorObserverNet(NetworkConfig(backbone="resnet18", size=32), pretrained=False)  # quick, knows nothing
    >>> found = align(room, head, model=small)
    >>> found.lengths, found.verdict  # three seconds are too short to tell
    ((3.0, 3.0), 'cannot tell')

    Args:
        third: the room camera's video: a file, a folder of frames, or pixels (T, H, W, 3).
        first: the head camera's.
        model: a run's folder, `hf:NAME`, or a network; None: the one in the box.
        backbone: frozen features of this backbone instead of a model.
        fps: frames a second of pixels or of folders of frames: of both, or (third's, first's).
        look_rate: frames a second that are looked at; fewer of long videos.
        max_offset: the two started no more than this many seconds apart.
        same_speed: two cameras on one event whose clocks do not drift.
        device: `cpu`, `cuda`, `cuda:1` …; `auto`: a GPU if there is one.
        each: called once for each of the two videos when it has been looked at.
        part: called now and then with how much of a video has been looked at, 0 to 1.
    """
    check_look_rate(look_rate)
    check_max_offset(max_offset)
    if same_video(third, first):
        raise UserError(f"{third} and {first} are the same video: give the other view's, too")
    rates = fps if isinstance(fps, tuple) else (fps, fps)
    both = open_recording(third, "third", rates[0], part), open_recording(first, "first", rates[1], part)
    network = open_model(model, backbone)
    return align_recordings(*both, network, look_rate, max_offset, same_speed, device, each)


def align_recordings(
    third: Recording,
    first: Recording,
    network: ActorObserverNet,
    look_rate: float = LOOK_RATE,
    max_offset: float | None = None,
    same_speed: bool = False,
    device: str = "auto",
    each: Callable[[], object] = lambda: None,
) -> Alignment:
    """As `align`, from opened recordings, whose motion and sound are kept for the next use."""
    lengths = third.length, first.length
    seen_at = bounded_look_rate(lengths, look_rate)
    phi = {}
    for recording in (third, first):
        phi[str(recording.view)] = recording.see(network, seen_at, device)
        _ = recording.motion
        each()
    seen = embed_features(network, Embeddings(phi))
    takes, features = (seen["third"], seen["first"]), (phi["third"], phi["first"])
    known, world = knows(network, *features)
    evidence = [*cheap_evidence(third, first), Likeness(takes, features, known and is_trained(network))]
    calibration = load_calibration()
    per_second = motion_rate(third.motion, first.motion)
    event = weigh_one_event(third, first, evidence, calibration.weights, per_second, max_offset, same_speed)
    named, own = find_calibration(network)
    names = str(third.path or ""), str(first.path or "")
    performed = align_takes(*takes, features, named, own, names, lengths, learned=is_trained(network) and known)
    notes = _notes(third, first, event)
    if same_speed or prefer_event(event, calibration, performed, known):
        found = _as_event(performed, event, calibration, notes)
        return found if known else replace(found, best=most_moved(third, first, found.path))
    verdict = performed.verdict
    if verdict == "unrelated" and judge_event(event, calibration, lengths)[0] != "unrelated":
        verdict = "cannot tell"  # one explanation that fails is no evidence against both
    return replace(performed, verdict=verdict, notes=(*notes, *world))


def check_max_offset(max_offset: float | None) -> None:
    """Refuse what is no number of seconds.

    >>> check_max_offset(-1.0)
    Traceback (most recent call last):
    actor_observer.errors.UserError: max offset -1: give seconds, zero or more
    """
    if max_offset is not None and not 0 <= max_offset < math.inf:
        raise UserError(f"max offset {max_offset:g}: give seconds, zero or more")


def bounded_look_rate(lengths: tuple[float, float], look_rate: float) -> float:
    """Frames looked at a second that keep the matrix within bounds: an hour against an hour gets one in two seconds.

    >>> bounded_look_rate((30.0, 25.0), 6.0), round(bounded_look_rate((3600.0, 3600.0), 6.0), 2)
    (6.0, 0.56)
    """
    most = math.sqrt(MOST_CELLS / max(lengths[0] * lengths[1], 1e-9))
    return min(look_rate, most, MOST_FRAMES / max(*lengths, 1e-9))


def prefer_event(event: OneEvent, calibration: OneEventCalibration, performed: Alignment, known: bool) -> bool:
    """Whether one event is the better answer: as sure as the path, sure of one of two offsets, or agreeing with it.

    A network that does not know the footage has no path worth following.
    """
    if not known or calibration.in_step(event) >= max(RIVAL, min(performed.confidence or 0.0, calibration.sure)):
        return True
    either = replace(event, mass=sum(one.share for one in event.candidates[:2]))
    if calibration.in_step(either) >= calibration.sure:
        return True
    path = np.array([(point.third, point.first) for point in performed.path])  # (K, 2)
    return float(np.median(np.abs(event.offset + event.rate * path[:, 1] - path[:, 0]))) <= AGREE


def _as_event(
    performed: Alignment, event: OneEvent, calibration: OneEventCalibration, notes: tuple[str, ...]
) -> Alignment:
    """The answer for one event: a straight clock, and the path along it."""
    lengths = performed.lengths
    verdict, confidence, telling = judge_event(event, calibration, lengths)
    matched = calibration.matched(event)
    times = performed.evidence.first_times
    third = event.offset + event.rate * times
    shown = (third >= 0) & (third <= lengths[0])
    chosen = np.flatnonzero(shown) if shown.any() else np.array([int(np.abs(third - lengths[0] / 2).argmin())])
    points = tuple(Point(float(np.clip(third[k], 0, lengths[0])), float(times[k]), confidence) for k in chosen)
    return replace(
        performed,
        path=points,
        best=points[_most_alike(performed, points)],
        hypothesis="one event",
        verdict=verdict,
        offset=event.offset,
        rate=event.rate,
        offset_error=event.offset_error,
        rate_error=event.rate_error,
        candidates=event.candidates,
        kinds=event.kinds,
        clock=_straight(event, points),
        figures={**performed.figures, "mass": event.mass, "strength": event.strength, "matched": matched},
        telling=telling,
        confidence=confidence,
        threshold=calibration.sure,
        notes=notes,
    )


def _most_alike(performed: Alignment, points: tuple[Point, ...]) -> int:
    """Which of the points along the clock looks most alike in both views."""
    matrix = performed.evidence
    rows = np.searchsorted(matrix.first_times, [point.first for point in points])
    columns = np.abs(matrix.third_times[None] - np.array([point.third for point in points])[:, None]).argmin(axis=1)
    return int(matrix.likeness[np.minimum(rows, len(matrix.first_times) - 1), columns].argmax())


def most_moved(third: Recording, first: Recording, points: tuple[Point, ...]) -> Point:
    """The point around which both pictures move most, for footage whose likeness means nothing.

    The motion of each picture is ranked over its own length; a point counts as much as the lower of its two ranks.
    """
    amounts = []
    for recording, name, times in (
        (third, "difference", [point.third for point in points]),
        (first, "residual", [point.first for point in points]),
    ):
        moved = recording.motion
        around = uniform_filter1d(moved.of(name), max(1, round(moved.per_second)), mode="nearest")  # a second
        less = np.argsort(np.argsort(around)) / len(around)
        amounts.append(np.interp(times, moved.times, less))
    return points[int(np.minimum(*amounts).argmax())]


def _straight(event: OneEvent, points: tuple[Point, ...]) -> Clock:
    """The clock's two anchor points: the ends of what is shared."""
    ends = [points[0].first, points[-1].first] if len(points) > 1 else [points[0].first, points[0].first + 1.0]
    return Clock(tuple((round(event.to_third(first), 4), round(first, 4)) for first in ends))


def _notes(third: Recording, first: Recording, event: OneEvent) -> tuple[str, ...]:
    """What a reader should know about the recordings."""
    if event.disagree:
        return ("sound and pictures speak for different offsets: is a file's sound out of step with its pictures?",)
    moved = [float(np.mean(recording.motion.of("camera"))) for recording in (third, first)]
    if moved[0] > CALM * moved[1] and moved[0] > 0.05:
        return ("the first video moves like a head camera, the second like a room camera: is the order right?",)
    return ()

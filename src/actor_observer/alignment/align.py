"""Put two recordings in step, or say that it cannot be done.

Two hypotheses are weighed. *One event*: both cameras ran at the same time, so the speed is the same and motion and
sound decide. *Two performances*: one script acted out twice, so the speed is free and the likeness of moments decides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from scipy.ndimage import uniform_filter1d

from actor_observer.alignment.asked import bounded_look_rate, check_asked
from actor_observer.alignment.belief import Belief, posterior
from actor_observer.alignment.calibration import load_calibration
from actor_observer.alignment.compare import Comparer, Comparison
from actor_observer.alignment.looking import look_at_all
from actor_observer.alignment.performances.confidence import find_calibration
from actor_observer.alignment.performances.moment_matrix import MomentMatrix
from actor_observer.alignment.recordings.recording import Recording, open_recording, open_signal, seen_as
from actor_observer.alignment.result import Alignment, Point, Scores
from actor_observer.alignment.sight import Sight
from actor_observer.alignment.two_performances import align_takes
from actor_observer.alignment.wearer import find_wearer
from actor_observer.errors import UserError
from actor_observer.features.look import Look
from actor_observer.features.models import is_trained, open_model
from actor_observer.features.see import LOOK_RATE, Video, same_video
from actor_observer.frames.motion import Motion
from actor_observer.model.network import ActorObserverNet
from actor_observer.pairs.clock import Clock
from actor_observer.pairs.manifest import VIEWS, View
from actor_observer.pairs.probe import only_sound
from actor_observer.signals import Signal, is_signal

__all__ = [
    "STEADY",
    "align",
    "align_recordings",
    "as_event",
    "exchanged",
    "most_moved",
    "prefer_event",
]

MOST_POINTS = 2000  # along a straight clock
HEAD_MOVES = 3.0  # times as fast as a room camera's: so a head camera's picture moves on every real pair at hand
STEADY = 0.05  # picture widths a second: slower is a camera on a stand
RIVAL = 0.1  # chance of being right below which one event is always given up for a path through known footage
AGREE = 1.0  # seconds: where both explanations place moments alike, the sharper one is given


def align(
    third: Video | Recording | Signal,
    first: Video | Recording | Signal,
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
    """Put two recordings in step: find the clock between them, and say how sure it is.

    >>> from actor_observer.model import NetworkConfig
    >>> from actor_observer.pairs import ROBOTS
    >>> room, head = (ROBOTS / f"videos/1_L_S_6_horizontal_n_4_regrasp.{view}.mp4" for view in ("third", "first"))
    >>> small = ActorObserverNet(NetworkConfig(backbone="resnet18", size=32), pretrained=False)  # quick, knows nothing
    >>> found = align(room, head, model=small)
    >>> found.lengths, found.verdict  # three seconds are too short to tell
    ((3.0, 3.0), 'cannot tell')

    Args:
        third: the room camera's video: a file, a folder of frames, or pixels (T, H, W, 3).
        first: the head camera's; or a signal: a .csv, .npz or .parquet file, or a `Signal`.
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
    check_asked(look_rate, max_offset, device)
    if _is_signal(third) or _is_signal(first):
        return _with_signal(third, first, fps, max_offset, same_speed, (each, part))
    assert not isinstance(third, Signal) and not isinstance(first, Signal)
    if same_video(third, first):
        raise UserError(f"{third} and {first} are the same video: give the other view's, too")
    if unseen := [one for one in (third, first) if isinstance(one, (str, Path)) and only_sound(Path(one))]:
        raise UserError(f"{unseen[0]} has no pictures: align_many() takes sound recorders, beside cameras or alone")
    rates = fps if isinstance(fps, tuple) else (fps, fps)
    network = open_model(model, backbone)
    glance = Look.of_network(network.config, look_rate)
    named = zip((third, first), VIEWS, rates, strict=True)
    both = look_at_all([partial(open_recording, *one, glance=glance) for one in named], each, part)
    sight = Sight(network, bounded_look_rate((both[0].length, both[1].length), look_rate), device)
    return align_recordings(both[0], both[1], sight, max_offset, same_speed)


def _is_signal(one: Video | Recording | Signal) -> bool:
    return isinstance(one, Signal) or (isinstance(one, (str, Path)) and is_signal(one))


def _with_signal(
    third: Video | Recording | Signal,
    first: Video | Recording | Signal,
    fps: float | tuple[float, float] | None,
    max_offset: float | None,
    same_speed: bool,
    told: tuple[Callable[[], object], Callable[[float], object]],
) -> Alignment:
    """A camera and a signal, or two signals: one event, by what moves. The camera's clock is the observer's."""
    if _is_signal(third) and not _is_signal(first):
        third, first = first, third
    rate = fps[0] if isinstance(fps, tuple) else fps
    opened = []
    for one in (third, first):
        if isinstance(one, Signal) or (isinstance(one, (str, Path)) and is_signal(one)):
            opened.append(open_signal(one))
        else:
            camera = one if isinstance(one, Recording) else open_recording(one, "third", rate, told[1])
            view: View = "first" if camera.motion.camera > STEADY else "third"  # on a head or a wrist, or on a stand
            opened.append(seen_as(camera, view))
        told[0]()
    found = as_event(Comparer(None, max_offset, same_speed).compare(opened[0], opened[1]))
    notes = [line for one in opened if one.numbers for line in one.numbers.notes]
    return replace(found, notes=(*found.notes, *notes))


def align_recordings(
    third: Recording, first: Recording, sight: Sight, max_offset: float | None = None, same_speed: bool = False
) -> Alignment:
    """As `align`, from opened recordings, whose motion and sound are kept for the next use."""
    found = Comparer(sight, max_offset, same_speed).compare(third, first)
    event = replace(as_event(found), look_rate=sight.look_rate)
    if found.verdict == "in step" or same_speed:
        return event
    if not sight.knows(third, first):
        strange = sight.strange(third) or sight.strange(first)
        return replace(event, notes=(*event.notes, f"{strange}; what it sees was not counted"))
    lengths, network = (third.length, first.length), sight.network
    seen = sight.look(third), sight.look(first)
    named, own = find_calibration(network)
    performed = align_takes(
        seen[0].embedding,
        seen[1].embedding,
        (seen[0].phi, seen[1].phi),
        named,
        own,
        (event.third, event.first),
        lengths,
        learned=is_trained(network),
    )
    if prefer_event(found, performed):
        best = event.path[_most_alike(performed.likeness, event.path)] if performed.likeness else event.best
        return replace(event, best=best, likeness=performed.likeness, figures={**performed.figures, **event.figures})
    verdict = performed.verdict
    if verdict == "unrelated" and found.verdict != "unrelated":
        verdict = "cannot tell"  # one explanation that fails is no evidence against both
    return replace(performed, verdict=verdict, notes=event.notes, scores=event.scores)


def as_event(found: Comparison) -> Alignment:
    """What comparing two recordings gave, as two cameras on one event: a straight clock."""
    belief, lengths = found.belief, (found.one.length, found.other.length)
    low, high = max(0.0, -belief.offset / belief.rate), min(lengths[1], (lengths[0] - belief.offset) / belief.rate)
    times = np.array([lengths[1] / 2])  # for a guess by which they never meet
    if high > low:
        times = np.linspace(low, high, min(MOST_POINTS, max(2, int(high - low) + 1)))
    at = np.clip(belief.offset + belief.rate * times, 0, lengths[0])
    points = tuple(Point(float(a), float(b), found.confidence) for a, b in zip(at, times, strict=True))
    told = found.verdict == "in step"
    return Alignment(
        third=str(found.one.path or ""),
        first=str(found.other.path or ""),
        lengths=lengths,
        look_rate=0.0,
        likeness=None,
        placed=(),
        path=points,
        best=most_moved(found.one, found.other, points),
        hypothesis="one event",
        verdict=found.verdict,
        offset=belief.offset,
        rate=belief.rate,
        offset_error=found.error if told else None,
        rate_error=belief.rate_error,
        candidates=belief.candidates,
        kinds=belief.kinds,
        clock=_straight(belief, points),
        figures={**belief.figures._asdict(), "tells": found.tells, "matched": found.matched},
        telling=found.telling,
        confidence=found.confidence,
        threshold=load_calibration().sure,
        calibrated=True,
        notes=_notes(found),
        scores=scores_of(found),
        wearer=find_wearer(found.one, found.other, belief) if told else (),
    )


def scores_of(found: Comparison) -> Scores:
    """What speaks for each offset."""
    belief = np.exp(posterior(found.curve, found.tells)).sum(axis=0)
    return Scores(found.curve.lags.offsets, belief, found.curve.kinds)


def exchanged(third: Motion, first: Motion) -> bool:
    """Whether the room camera's picture moves like a head camera's, and the head camera's like a room camera's."""
    return third.camera > HEAD_MOVES * first.camera and third.camera > STEADY


def prefer_event(found: Comparison, performed: Alignment) -> bool:
    """One event if it is at least as sure as the path, or surely has one of two offsets; or if the path agrees."""
    sure = load_calibration().sure
    if found.confidence >= max(RIVAL, min(performed.confidence or 0.0, sure)):
        return True
    if sum(one.share for one in found.belief.candidates[:2]) >= sure:
        return True
    path = np.array([(point.third, point.first) for point in performed.path])  # (K, 2)
    belief = found.belief
    return float(np.median(np.abs(belief.offset + belief.rate * path[:, 1] - path[:, 0]))) <= AGREE


def _most_alike(matrix: MomentMatrix, points: tuple[Point, ...]) -> int:
    """Which of the points along the clock looks most alike in both views."""
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


def _straight(belief: Belief, points: tuple[Point, ...]) -> Clock:
    """The clock's two anchor points: the ends of what is shared."""
    ends = [points[0].first, points[-1].first] if len(points) > 1 else [points[0].first, points[0].first + 1.0]
    return Clock(tuple((round(belief.to_one(first), 4), round(first, 4)) for first in ends))


def _notes(found: Comparison) -> tuple[str, ...]:
    """What a reader should know about the recordings."""
    said = []
    if found.belief.split:
        said.append("sound and pictures speak for different offsets: is a file's sound out of step with its pictures?")
    if found.belief.edge:
        said.append("the best offset is the last that was considered: the two may share less than a fifth")
    if (found.one.view, found.other.view) == VIEWS and exchanged(found.one.motion, found.other.motion):
        said.append("the first video moves like a head camera, the second like a room camera: is the order right?")
    return tuple(said)

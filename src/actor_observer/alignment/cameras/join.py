"""One clock for all cameras, from what every two of them say."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree

from actor_observer.alignment.belief import believe, posterior
from actor_observer.alignment.calibration import EventCalibration, load_calibration
from actor_observer.alignment.cameras.result import Camera, Cameras
from actor_observer.alignment.compare import Comparison
from actor_observer.alignment.figures import NEAR
from actor_observer.alignment.joint import Joint, join, pull_of, together
from actor_observer.alignment.recordings.recording import Recording
from actor_observer.alignment.result import Verdict

__all__ = ["Links", "join_cameras"]

Links = dict[tuple[int, int], Comparison]  # by the places of two recordings


def join_cameras(recordings: Sequence[Recording], links: Links, calibration: EventCalibration) -> Cameras:
    """Every camera's clock by the joint belief of all comparisons; a camera that does not belong spoils no other's."""
    count = len(recordings)
    pulls = {ends: pull_of(link.curve, link.tells) for ends, link in links.items()}
    joint = join(count, pulls, calibration.shared)
    placed = {ends: _placed(link, joint, ends) for ends, link in links.items()}
    if count == 2:  # what the two alone say
        alone = next(iter(links.values())).confidence
        shares, group = [alone, alone], dict.fromkeys(range(2), alone) if alone >= calibration.sure else {}
    else:
        masses = {ends: clock.mass for ends, clock in placed.items()}
        shares, group = joint.shares.tolist(), together(joint, pulls, calibration.shared, masses, calibration.sure)
    reference = min(group, default=0)
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
            confidence=group.get(number, min(shares[number], 0.5)),
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

"""Pictures, stamps and lengths over a whole data set: what is unusual for a camera, given all its takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actor_observer.auditing.judging.finding import Finding
from actor_observer.auditing.judging.offsets import Line

__all__ = ["exchanged_cameras", "judge_cameras", "judge_lengths", "same_files"]

SEVERAL = 5  # takes, before one of them is called unusual
BLURRED = 0.5  # of the camera's usual sharpness
SHARED = 0.8  # of the takes have lengths that agree to a frame: then the others are a finding
TIMES = 3  # frames shown twice, before they are a finding
UNEVEN = 0.5  # of a frame: stamps that jump about
FAR_MORE = float(np.log(3.0))  # logarithm: three times as fast; heads in rooms move at least seven times
APART = 4.0  # spreads between two cameras by which they can be told from each other
Features = NDArray[np.float64]


def judge_cameras(lines: Sequence[Line]) -> Iterator[Finding]:
    """What is wrong with the pictures and stamps of single cameras."""
    sharp: dict[str, list[float]] = {}
    for line in lines:
        for name, facts in line["cameras"].items():
            sharp.setdefault(name, []).append(_sharpness(facts))
    for line in lines:
        for name, file, what in line["faults"]:
            yield Finding(line["id"], "unreadable", "wrong", f"{name}: {file}: {what}", (name,))
        for name, facts in line["cameras"].items():
            yield from _pictures(line["id"], name, facts, sharp[name])
            yield from _stamps(line["id"], name, facts)


def _pictures(id: str, name: str, facts: Mapping[str, Any], sharp: Sequence[float]) -> Iterator[Finding]:
    for kind in ("black", "blank"):
        for start, end in facts[kind]:
            text = f"{name} is {kind} from {start:.1f} to {end:.1f} s"
            yield Finding(id, kind, "wrong", text, (name,), start=start, end=end)
    for start, end in facts["frozen"]:
        # Without a leap afterwards, what moves may only have left the picture.
        surely = _meets((start, end), facts["leaps"])
        text = f"{name} shows one picture from {start:.1f} to {end:.1f} s while the others move"
        yield Finding(id, "frozen", "wrong" if surely else "check", text, (name,), start=start, end=end)
    for start, end in facts["leaps"]:
        if not _meets((start, end), facts["frozen"]):
            text = f"{name} shows one picture from {start:.1f} to {end:.1f} s, and goes on with a leap"
            yield Finding(id, "frozen", "check", text, (name,), start=start, end=end)
    usual, own = float(np.median(sharp)), _sharpness(facts)
    if len(sharp) >= SEVERAL and own < min(BLURRED * usual, usual - 6 * _spread(np.asarray(sharp))):
        yield Finding(id, "blurred", "check", f"{name} is {own / usual:.0%} as sharp as in its other takes", (name,))
    if len(facts["repeated"]) >= TIMES:
        some = ", ".join(f"{time:.2f}" for time in facts["repeated"][:4])
        more = ", …" if len(facts["repeated"]) > 4 else ""
        text = f"{name} shows {len(facts['repeated'])} frames twice, at {some}{more} s"
        yield Finding(id, "repeated", "check", text, (name,), start=facts["repeated"][0])


def _meets(span: tuple[float, float], others: Sequence[tuple[float, float]]) -> bool:
    return any(start < span[1] and span[0] < end for start, end in others)


def _stamps(id: str, name: str, facts: Mapping[str, Any]) -> Iterator[Finding]:
    gaps = facts["gaps"]
    if gaps and len(gaps) <= 0.2 * facts["frames"]:
        missing = sum(count for _, count in gaps)
        text = f"{name} lacks {missing} frame{'s' * (missing != 1)} by its stamps, the first at {gaps[0][0]:.2f} s"
        yield Finding(id, "dropped", "wrong", text, (name,), start=gaps[0][0])
    elif facts["uneven"] > UNEVEN or gaps:
        text = f"{name}: time stamps jump by {facts['uneven']:.1f} frames and more"
        yield Finding(id, "stamps", "check", text, (name,))


def judge_lengths(lines: Sequence[Line]) -> Iterator[Finding]:
    """Takes whose recordings differ in length, where in most takes they do not."""
    differ: dict[tuple[str, str], list[tuple[Line, float, float]]] = {}
    for line in lines:
        for one, other in combinations(line["cameras"], 2):
            facts = line["cameras"][one], line["cameras"][other]
            frame = max(1 / max(each["rate"], 1e-3) for each in facts)
            differ.setdefault((one, other), []).append((line, facts[0]["length"] - facts[1]["length"], frame))
    for (one, other), all_takes in differ.items():
        usual = float(np.median([apart for _, apart, _ in all_takes]))
        alike = np.mean([abs(apart - usual) < 0.9 * frame for _, apart, frame in all_takes])
        if alike < SHARED or len(all_takes) < 3:
            continue
        for line, apart, frame in all_takes:
            if abs(apart - usual) >= 0.9 * frame:
                longer, shorter = (one, other) if apart > usual else (other, one)
                by = abs(apart - usual)
                text = (
                    f"{shorter} is {by:.2f} s ({by / frame:.0f} frames) shorter than {longer}; in most takes it is not"
                )
                yield Finding(line["id"], "lengths", "check", text, (one, other))


def same_files(lines: Sequence[Line]) -> Iterator[Finding]:
    """Recordings that several takes share, or that stand for two cameras of one."""
    places: dict[str, list[tuple[str, str]]] = {}
    for line in lines:
        for name, facts in line["cameras"].items():
            places.setdefault(facts["hash"], []).append((line["id"], name))
    for where in places.values():
        (id, name), *others = where
        for other, same in others:
            text = f"{same} is the same recording as {name} of {'this take' if other == id else id}"
            yield Finding(other, "same file", "wrong", text, (same,), takes=(id,))


def exchanged_cameras(lines: Sequence[Line]) -> Iterator[Finding]:
    """Takes in which two cameras look like each other's other takes."""
    features: dict[str, list[Features]] = {}
    for line in lines:
        for name, facts in line["cameras"].items():
            features.setdefault(name, []).append(_features(facts))
    for one, other in combinations(features, 2):
        a, b = np.stack(features[one]), np.stack(features[other])
        if min(len(a), len(b)) < SEVERAL:
            continue
        middles = np.median(a, axis=0), np.median(b, axis=0)
        spread = np.maximum(np.maximum(_spread(a), _spread(b)), 0.05)
        if float((np.abs(middles[0] - middles[1]) / spread).max()) < APART:
            yield from _moving_otherwise(lines, one, other)  # they look alike, or every take is in another room
            continue
        for line in lines:
            if one in line["cameras"] and other in line["cameras"]:
                mine = _features(line["cameras"][one]), _features(line["cameras"][other])
                kept, crossed = (_far(mine, pair, spread) for pair in (middles, middles[::-1]))
                if crossed < 0.5 * kept:
                    text = f"{one} looks like {other} does in the other takes, and {other} like {one}: exchanged"
                    yield Finding(line["id"], "exchanged", "wrong", text, (one, other))


def _moving_otherwise(lines: Sequence[Line], one: str, other: str) -> Iterator[Finding]:
    """Takes in which of two cameras that one moves far more which in all other takes moves far less."""
    both = [line for line in lines if one in line["cameras"] and other in line["cameras"]]
    more = np.array([_moves(line["cameras"][one]) - _moves(line["cameras"][other]) for line in both])
    for place, line in enumerate(both):
        rest = np.delete(more, place) * -np.sign(more[place])
        if len(rest) >= SEVERAL and abs(more[place]) >= FAR_MORE and rest.min() >= 0 and np.median(rest) >= FAR_MORE:
            text = f"{one} moves as {other} does in the other takes, and {other} like {one}: exchanged"
            yield Finding(line["id"], "exchanged", "wrong", text, (one, other))


def _moves(facts: Mapping[str, Any]) -> float:
    """How much the whole picture moves: a head camera's does; logarithm."""
    return float(np.log(max(facts["camera"], 0.001)))


def _far(mine: tuple[Features, Features], usual: Sequence[Features], spread: Features) -> float:
    """How far two cameras are from two usual ones; no single figure decides."""
    return float(sum(np.minimum(np.abs(a - b) / spread, 20.0).sum() for a, b in zip(mine, usual, strict=True)))


def _features(facts: Mapping[str, Any]) -> Features:
    """What tells cameras from each other: light, contrast, sharpness, and how much the picture moves; logarithms."""
    named = ("light", "contrast", "edges", "camera", "change")
    return np.log([max(facts[name], floor) for name, floor in zip(named, (5, 1, 0.1, 0.001, 0.02), strict=True)])


def _sharpness(facts: Mapping[str, Any]) -> float:
    return float(facts["edges"] / max(facts["contrast"], 1.0))


def _spread(values: NDArray[np.float64]) -> Any:
    """A standard deviation that a few outliers do not move, along the first axis."""
    return 1.4826 * np.median(np.abs(values - np.median(values, axis=0)), axis=0)

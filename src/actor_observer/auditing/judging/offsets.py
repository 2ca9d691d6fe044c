"""Offsets over a whole data set: what all takes share, and the takes that differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from actor_observer.auditing.judging.finding import ALL, Finding
from actor_observer.auditing.judging.usual import Usual, usual_delay

__all__ = ["Line", "Usuals", "judge_offsets", "usual_delays"]

Line = Mapping[str, Any]  # what `measure` gave of a take
Usuals = Mapping[tuple[str, str], Usual]
SURE = 0.5  # confidence from which on an offset counts
FAR = 3.5  # spreads: of 2000 takes in step, one is further from the usual by chance
HALF = 0.5  # of a frame: less is no finding
STEP, CLEAR_STEP = 2.3, 4.0  # gain in log likelihood: 31 takes without a step have 1.1 at most, most less than 0.7
UNSURE_STEP = 3.6  # the same where no offset is sure: 31 takes with another's video have 2.1 at most
MOST = 0.5  # of the takes must be in step, before one that is not says anything


def usual_delays(lines: Sequence[Line]) -> dict[tuple[str, str], Usual]:
    """The usual delay of every two recordings that several takes have."""
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for line in lines:
        for two in line["offsets"]:
            if two["confidence"] >= SURE:
                found.setdefault((two["one"], two["other"]), []).append((two["lag"], two["own_error"]))
    usual = {names: usual_delay(*zip(*some, strict=True)) for names, some in found.items()}
    return {names: one for names, one in usual.items() if one is not None}


def judge_offsets(lines: Sequence[Line], usuals: Usuals, elsewhere: frozenset[str]) -> Iterator[Finding]:
    """Delays that all takes share, and takes that differ; `elsewhere`: takes whose cameras show something else."""
    for (one, other), usual in usuals.items():
        both = [(line, two) for line in lines for two in line["offsets"] if (two["one"], two["other"]) == (one, other)]
        if usual.takes > 1:
            yield from _shared(one, other, usual, _frame(both[0][0], one, other))
        in_step = sum(two["verdict"] == "in step" for _, two in both) >= MOST * len(both)
        for line, two in both:
            if line["id"] not in elsewhere:
                yield from _one_take(line, two, usual, in_step)


def _frame(line: Line, one: str, other: str) -> float:
    """Seconds of a frame of the slower camera; a signal has none."""
    return max(1 / max(line["cameras"][name]["rate"], 1e-3) for name in (one, other) if name in line["cameras"])


def _shared(one: str, other: str, usual: Usual, frame: float) -> Iterator[Finding]:
    if abs(usual.delay) < max(HALF * frame, 1.5 * usual.error):
        return
    yield Finding(
        ALL,
        "shared delay",
        "wrong",
        f"{_says(one, other, usual.delay, usual.error, frame)}, in {usual.takes} takes alike",
        (one, other),
        usual.delay,
        usual.error,
    )


def _one_take(line: Line, two: Mapping[str, Any], usual: Usual, in_step: bool) -> Iterator[Finding]:
    one, other, id = two["one"], two["other"], line["id"]
    frame, names = _frame(line, one, other), (two["one"], two["other"])
    alone = usual.takes == 1
    away = two["lag"] if alone else two["lag"] - usual.delay
    sure = two["confidence"] >= SURE
    differs = abs(away) > HALF * frame and (
        abs(away) > two["error"] if alone else abs(usual.apart(two["lag"], two["own_error"])) > FAR
    )
    time, change, gain = two["step"] or (0.0, 0.0, 0.0)
    stepped = abs(change) > HALF * frame and (gain >= STEP if sure else in_step and gain >= UNSURE_STEP)
    if sure and differs:
        text = _says(one, other, two["lag"], two["error"], frame)
        if not alone:
            text += f"; usual is {usual.delay:+z.3f} ± {usual.error:.3f} s"
        yield Finding(id, "late", "wrong", text, names, two["lag"], two["error"])
    elif stepped:
        much = f"{change:+.2f} s ({change / frame:+.0f} frames)"
        text = f"the offset of {one} to {other} changes by {much} near {time:.0f} s"
        yield Finding(id, "step", "wrong" if gain >= CLEAR_STEP else "check", text, names, change, None, time)
    elif not sure and in_step and two["verdict"] == "unrelated":
        text = f"{one} and {other} do not show one event (most takes are in step)"
        yield Finding(id, "unrelated", "check", text, names)
    seconds = line["cameras"][one]["length"]
    drift = (two["rate"] - 1) * seconds
    if two["confidence"] >= SURE and abs(drift) > HALF * frame and abs(two["rate"] - 1) > 2 * two["rate_error"]:
        text = f"{one} runs {1e6 * (two['rate'] - 1):+.0f} ppm against {other}: {drift:+.2f} s over the take"
        yield Finding(id, "drift", "check", text, names, drift)


def _says(one: str, other: str, lag: float, error: float, frame: float) -> str:
    """In words: who is late, by how much."""
    late, behind = (one, other) if lag > 0 else (other, one)
    return f"{late} is {abs(lag):.3f} ± {error:.3f} s ({abs(lag) / frame:.1f} frames) late against {behind}"

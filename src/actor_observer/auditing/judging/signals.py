"""Signals over a whole data set: copies, signals that never move, stamps and rows that disagree with the cameras."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from actor_observer.auditing.judging.finding import ALL, Finding
from actor_observer.auditing.judging.offsets import Line

__all__ = ["judge_signals"]

LIMIT = 0.2  # share of the rows at a limit
SELDOM = 0.1  # of the takes: a column that stands at a limit in more is made so
FEW = 5  # takes, before one of them is called unusual
FRAME = 0.9  # of a frame by which lengths may differ


def judge_signals(lines: Sequence[Line]) -> Iterator[Finding]:
    """What is wrong with the signals of a data set."""
    with_signals = [line for line in lines if line.get("signals")]
    yield from _equal(with_signals)
    yield from _constant(with_signals)
    yield from _saturated(with_signals)
    for line in with_signals:
        yield from _stamps(line)
        yield from _rows(line)


def _equal(lines: Sequence[Line]) -> Iterator[Finding]:
    couples: dict[tuple[str, str], list[str]] = {}
    for line in lines:
        for one, other in line["signals"]["equal"]:
            couples.setdefault((one, other), []).append(line["id"])
    for (one, other), takes in couples.items():
        if len(takes) == len(lines) > 1:
            yield Finding(ALL, "equal", "check", f"{one} equals {other} in all {len(takes)} takes", (one, other))
        else:
            for id in takes:
                yield Finding(id, "equal", "check", f"{one} equals {other}", (one, other))


def _constant(lines: Sequence[Line]) -> Iterator[Finding]:
    still: dict[str, list[str]] = {}
    for line in lines:
        for name, facts in line["signals"]["signals"].items():
            if facts["constant"]:
                still.setdefault(name, []).append(line["id"])
    for name, takes in still.items():
        if len(takes) == len(lines) > 1:
            yield Finding(ALL, "constant", "note", f"{name} never moves, in any take", (name,))
        else:
            for id in takes:
                yield Finding(id, "constant", "wrong", f"{name} never moves; in other takes it does", (name,))
    for name in {name for line in lines for name in line["signals"]["signals"]}:
        columns = [(line["id"], line["signals"]["signals"].get(name)) for line in lines]
        alive = [(id, facts) for id, facts in columns if facts and not facts["constant"]]
        for column in sorted({one for _, facts in alive for one in facts["still"]}):
            stands = [id for id, facts in alive if column in facts["still"]]
            if len(stands) <= 0.1 * len(alive):
                for id in stands:
                    yield Finding(id, "constant", "check", f"{column} never moves; in other takes it does", (name,))


def _saturated(lines: Sequence[Line]) -> Iterator[Finding]:
    if len(lines) < FEW:
        return
    shares: dict[str, dict[str, float]] = {}
    for line in lines:
        for facts in line["signals"]["signals"].values():
            for column, share in facts["limits"].items():
                shares.setdefault(column, {})[line["id"]] = share
    for column, by_take in shares.items():
        if len(by_take) > max(1, SELDOM * len(lines)):
            continue  # it does so in many takes, as a gripper does that is open or shut
        for id, share in by_take.items():
            if share > LIMIT:
                text = f"{column} stands at its limit for {share:.0%} of the take; in other takes it never does"
                yield Finding(id, "saturated", "check", text, (column,))


def _stamps(line: Line) -> Iterator[Finding]:
    stamps = line["signals"]["stamps"]
    if stamps["back"]:
        text = f"time stamps of the rows stand still or run backwards {stamps['back']} times"
        yield Finding(line["id"], "stamps", "wrong", text)
    elif stamps["gaps"]:
        at, missing = stamps["gaps"][0]
        text = f"time stamps of the rows jump by {missing + 1} steps at {at:.2f} s"
        yield Finding(line["id"], "stamps", "wrong", text, start=at)
    elif stamps["off"] > 0.5:
        text = f"time stamps of the rows are up to {stamps['off']:.1f} steps off an even beat"
        yield Finding(line["id"], "stamps", "check", text)
    if abs(stamps["start"]) > 0.5 * stamps["step"]:
        text = f"time stamps of the rows start at {stamps['start']:+.3f} s, not at the cameras' first frame"
        yield Finding(line["id"], "stamps", "wrong", text, start=stamps["start"])


def _rows(line: Line) -> Iterator[Finding]:
    """A table with more or fewer rows than a camera has frames, where both have the same rate."""
    rows, step = line["signals"]["rows"], line["signals"]["stamps"]["step"]
    for name, facts in line["cameras"].items():
        if step > 0 and abs(facts["rate"] * step - 1) < 0.02 and abs(rows - facts["frames"]) >= 1:
            text = f"{name} has {facts['frames']} frames for {rows} rows"
            yield Finding(line["id"], "lengths", "wrong", text, (name,))

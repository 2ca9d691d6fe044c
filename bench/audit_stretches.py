"""How often `audit` cries wolf, and whether it finds late takes, on many stretches of takes that are in step.

    python bench/audit_stretches.py KINOVA --every 3 --cuts 7 --page audit-stretches     rows 1, 4, 7 …
    python bench/audit_stretches.py RENDERED                        events whose clocks are known

Nothing is encoded anew: motion that was measured once is cut. bench/audit.py plants faults in the videos themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from tyro.conf import Positional

from actor_observer.alignment.compare import Comparer
from actor_observer.auditing.measuring.camera import camera_facts
from actor_observer.auditing.measuring.events import Event, events_of
from actor_observer.auditing.measuring.measure import compared, opened
from actor_observer.auditing.measuring.steps import find_step
from actor_observer.evaluation.statistics.shares import share_interval
from actor_observer.pairs import read_manifest
from actor_observer.pairs.clock import Clock
from audit import Line, judged, say
from cuts import clip
from page import write_section

HEAD = "| stretches | called a fault | 95 % over takes | if stretches were independent |\n|---|---|---|---|"


def main(
    data: Positional[Path],
    every: int = 1,
    start: int = 0,
    cuts: int = 8,
    length: float = 0.7,
    seed: int = 5,
    page: str = "",  # section of docs/results/audit.md; none: only printed
) -> None:
    """Stretches of takes that are in step (`length` of each), judged in rounds of one stretch of every take.

    Nothing is encoded anew. Late takes are those whose stated clock is moved by so many frames, either way; each is
    judged among the other stretches of its round as they are.
    """
    known = [event for event in events_of(read_manifest(data)) if len(event.cameras) > 1]
    events = [replace(event, cameras=event.cameras[:2]) for event in known[start::every]]
    rng = np.random.default_rng(seed)
    rounds: list[list[Line]] = [[] for _ in range(cuts)]
    for event in events:
        whole, _ = opened(event)
        facts = {name: camera_facts(take, whole[name].motion) for name, take in event.cameras}
        for lines in rounds:
            lines.append(_stretch(event, whole, facts, float(rng.random()), length))
    frame = max(1 / one["rate"] for one in rounds[0][0]["cameras"].values())
    alarms: dict[str, list[bool]] = {"none (false alarms)": []}
    for lines in rounds:
        told = judged(lines, events)
        alarms["none (false alarms)"] += [any(one.take == line["id"] for one in told) for line in lines]
        for by in (1, 2, 3):
            for place, line in enumerate(lines):
                sign = 1 if place % 2 else -1
                two = {**line["offsets"][0], "lag": line["offsets"][0]["lag"] + sign * by * frame}
                told = judged([*lines[:place], {**line, "offsets": [two]}, *lines[place + 1 :]], events)
                found = any(one.take == line["id"] and one.kind == "late" for one in told)
                alarms.setdefault(f"late by {by}", []).append(found)
    seconds = np.mean([one["length"] for line in rounds[0] for one in line["cameras"].values()])
    say(f"{len(events)} takes, {cuts} stretches of each, {seconds:.0f} s long")
    takes = np.tile(np.arange(len(events)), cuts)
    table = [HEAD]
    for name, told_of in alarms.items():
        flags = np.array(told_of)
        each = [bool(flag) for flag in flags]
        alone = share_interval(each, np.ones(len(each)))
        over = share_interval([float(flags[takes == take].mean()) for take in range(len(events))], np.ones(len(events)))
        both = " | ".join(f"[{100 * one.low:.1f}, {100 * one.high:.1f} %]" for one in (over, alone))
        table.append(f"| {name} | {sum(each)} of {len(each)} | {both} |")
    say("\n".join(table))
    if page:
        given = f"{data.name} --every {every} --cuts {cuts} --page {page}"
        write_section(page, "\n".join(table), f"python bench/audit_stretches.py {given}")


def _stretch(event: Event, whole: Mapping[str, Any], facts: Mapping[str, Any], at: float, length: float) -> Line:
    """What `measure` would give of a part of both cameras, from motion that was measured once."""
    one, other = sorted(whole, key=lambda name: str(whole[name].view), reverse=True)
    stated = event.stated(one, other)
    first = max(0.0, float(stated.to_third(0.0)))
    end = min(whole[one].motion.length, float(stated.to_third(whole[other].motion.length))) - first
    begin = first + at * (1 - length) * end
    a = clip(whole[one].motion, begin, begin + length * end, whole[one].view)
    own = [float(stated.to_first(time)) for time in (begin, begin + length * end)]
    b = clip(whole[other].motion, own[0], own[1], whole[other].view)
    found = Comparer().compare(a, b)
    step = find_step(a, b, found.belief.offset) if found.telling else None
    told = compared(found, Clock(((0.0, 0.0),)))
    told["step"] = None if step is None else [step.time, step.change, step.gain]
    known = {
        name: {**facts[name], "length": length * end, "frozen": [], "hash": f"{event.id} {name}"} for name in facts
    }
    return {"id": event.id, "cameras": known, "offsets": [{"one": one, "other": other, **told}], "faults": []}


if __name__ == "__main__":
    tyro.cli(main)

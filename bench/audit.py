"""How many planted faults `audit` finds, how many it misses, and how often it cries wolf.

    python bench/audit.py faults KINOVA --every 3 --work WORK --page audit-robot     rows 1, 4, 7 …; the others chose
                                                                                     the thresholds
    python bench/audit.py faults RENDERED --work WORK --page audit-rendered          two cameras in step, any set
    python bench/audit.py signals LEROBOT                         faults in tables of signals
    python bench/audit.py speed DATA                              hours of one core for 1000 episodes, share of decoding

Each fault is planted in one take at a time, whose copy is encoded anew at half its size, and judged among the other
takes as they are; "in all takes": in every one at once. Killed, the same command goes on; with another calibration it
starts anew. `--page` names the section of docs/results/audit.md that it writes.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from tyro.conf import Positional

from actor_observer.alignment.calibration import load_calibration
from actor_observer.auditing.audit import judge
from actor_observer.auditing.judging.finding import Finding
from actor_observer.auditing.measuring.events import Event, events_of
from actor_observer.auditing.measuring.measure import measure
from actor_observer.auditing.measuring.signal_facts import signal_facts
from actor_observer.disk.sums import sum_of
from actor_observer.evaluation.statistics.shares import share_interval
from actor_observer.features.on_disk.kept_motion import kept_motion
from actor_observer.frames.frame_index import index_video
from actor_observer.frames.motion import motion_of_take
from actor_observer.pairs import read_manifest
from actor_observer.pairs.manifest import Manifest
from actor_observer.pairs.read import open_signals
from actor_observer.pairs.reader import SignalTable
from audit_faults import CHOSEN, plant, read_frames
from page import write_section

EXPECTED = {  # what a fault must be called to count as found
    "late": {"late", "shared delay"},
    "dropped": {"lengths", "step", "dropped", "late"},
    "frozen": {"frozen"},
    "cameras": {"exchanged"},
    "videos": {"another take", "unrelated", "late"},
}
NOT_LOOKING = {"lengths", "dropped", "stamps"}  # what is found without looking at a picture
HEAD = "| planted in one take | found | not looking | other takes touched |\n|---|---|---|---|"
Line = dict[str, Any]


class Lines:
    """Measurements by name, kept in a file: one for every calibration."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        path = self.path = folder / f"lines-{sum_of(repr(load_calibration()).encode())[:8]}.jsonl"
        kept = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        self.known: dict[str, Line] = {one["name"]: one["line"] for one in kept}

    def of(self, name: str, event: Event) -> Line:
        if name not in self.known:
            self.known[name] = json.loads(json.dumps(measure(event)))
            with self.path.open("a") as file:
                file.write(json.dumps({"name": name, "line": self.known[name]}) + "\n")
        return self.known[name]


def faults(
    data: Positional[Path],
    work: Path = Path("audit-work"),
    every: int = 1,
    camera: str = "first",
    only: tuple[str, ...] = CHOSEN,  # of the faults
    page: str = "",  # section of docs/results/audit.md; none: only printed
) -> None:
    """Plant every fault in every take, one after the other, and count what is found."""
    events = [event for event in events_of(read_manifest(data)) if len(event.cameras) > 1][::every]
    lines = Lines(work)
    clean = [lines.of(event.id, event) for event in events]
    planted: dict[str, list[Line]] = {name: [] for name in only}
    for event in events:
        frames = None
        for name in only:
            key = f"{event.id} {name}"
            if key not in lines.known and frames is None:
                frames = read_frames(dict(event.cameras)[camera].path, half=True)
            planted[name].append(
                lines.of(key, event if key in lines.known else _copy(event, camera, frames, name, work))
            )
        say(f"{event.id} done")
    told = _report(events, clean, planted, lines)
    if page:
        given = f"{data.name} --every {every}" if every > 1 else data.name
        write_section(page, "\n".join(told), f"python bench/audit.py faults {given} --work WORK --page {page}")


def _copy(event: Event, camera: str, frames: Any, name: str, work: Path) -> Event:
    """The take with a fault in one camera."""
    out = work / f"{event.id}.mp4"
    plant(frames[0], frames[1], name, out, seed=sum(map(ord, event.id + name)))
    takes = tuple(
        (one, replace(take, path=out, length=len(index_video(out).times) / float(frames[1])) if one == camera else take)
        for one, take in event.cameras
    )
    return replace(event, cameras=takes)


def _report(
    events: Sequence[Event], clean: Sequence[Line], planted: Mapping[str, Sequence[Line]], kept: Lines
) -> list[str]:
    """The table of what was found, printed on the way."""
    base = judged(clean, events)
    told = [HEAD]
    say(HEAD)
    touched = {one.take for one in base}
    told.append(row("nothing: the takes as they are (false alarms)", [line["id"] in touched for line in clean], 0, 0))
    for name, lines in planted.items():
        found, blind, others = [], 0, 0
        for place, line in enumerate(lines):
            said = judged([*clean[:place], line, *clean[place + 1 :]], events)
            own = [one for one in said if one.take == line["id"] and one not in base]
            expected = EXPECTED.get(next((word for word in EXPECTED if word in name), ""), set())
            found.append(bool(own) if name == "copied" else any(one.kind in expected for one in own))
            blind += any(one.kind in NOT_LOOKING for one in own)
            others += len({one.take for one in said if one.take != line["id"] and one not in base})
        told.append(
            row(name if name != "copied" else "nothing: copies encoded anew (false alarms)", found, blind, others)
        )
    for name, lines in planted.items():
        if name.startswith("late"):
            shared = [one for one in judged(lines, events) if one.kind == "shared delay"]
            said_of = f"found: {shared[0].offset:+.4f} ± {shared[0].error:.4f} s" if shared else "not found"
            told.append(f"| {name}, in all takes | {said_of} | | |")
            say(told[-1])
    if set(planted) == set(CHOSEN):
        told += _no_pictures(events, clean, base, kept)
    return told


def _no_pictures(events: Sequence[Event], clean: Sequence[Line], base: Sequence[Finding], kept: Lines) -> list[str]:
    """Faults that need no new pictures: cameras or whole videos in each other's place."""
    found = []
    for place, event in enumerate(events):
        (one, a), (other, b) = event.cameras
        crossed = replace(event, cameras=((one, replace(b, view=a.view)), (other, replace(a, view=b.view))))
        said = judged([*clean[:place], kept.of(f"{event.id} crossed", crossed), *clean[place + 1 :]], events)
        found.append(any(each.take == event.id and each.kind == "exchanged" for each in said))
    told = [row("cameras exchanged with each other", found, 0, 0)]
    found, named = [], 0
    for place, event in enumerate(events[:-1]):
        both = event, events[place + 1]
        swapped = [
            replace(x, cameras=(x.cameras[0], (x.cameras[1][0], y.cameras[1][1]))) for x, y in (both, both[::-1])
        ]
        rows = [*clean[:place], *(kept.of(f"{each.id} swapped {place}", each) for each in swapped), *clean[place + 2 :]]
        said = judged(rows, [*events[:place], *swapped, *events[place + 2 :]])
        ids = [each.id for each in both]
        hit = [each for each in said if each.take in ids and each.kind in EXPECTED["videos"] and each not in base]
        found.append({each.take for each in hit} == set(ids))
        named += all(any(h.take == id and h.kind == "another take" for h in hit) for id in ids)
    return [*told, row(f"videos of two takes exchanged ({named} times each is named by the other)", found, 0, 0)]


def signals(data: Positional[Path], every: int = 1) -> None:
    """Faults in the tables of signals: frozen, and stamps shifted or with a jump."""
    manifest = read_manifest(data)
    events = events_of(manifest)[::every]
    read = open_signals(data)
    assert read is not None, "no signals in this data set"
    tables = [read(event.id) for event in events]
    plain = [_signal_line(event, table) for event, table in zip(events, tables, strict=True)]
    base = judged(plain, events)
    say(f"{len(events)} takes as they are: {', '.join(sorted({one.kind for one in base}))}")
    for name, fault in SIGNAL_FAULTS.items():
        found = []
        for place, (event, table) in enumerate(zip(events, tables, strict=True)):
            line = _signal_line(event, fault(table))
            told = judged([*plain[:place], line, *plain[place + 1 :]], events)
            found.append(any(one.take == event.id and one not in base and one.kind != "equal" for one in told))
        row(name, found, sum(found), 0)


def _signal_line(event: Event, table: SignalTable) -> Line:
    return {"id": event.id, "cameras": {}, "offsets": [], "faults": [], "signals": signal_facts(table)}


def _still(table: SignalTable) -> SignalTable:
    return SignalTable(
        table.times, {k: np.full_like(v, v[0]) if k.startswith("action") else v for k, v in table.columns.items()}
    )


SIGNAL_FAULTS = {
    "action frozen": _still,
    "stamps shifted by 0.1 s": lambda table: SignalTable(table.times + 0.1, table.columns),
    "stamps jump by 0.2 s midway": lambda table: SignalTable(
        table.times + 0.2 * (np.arange(len(table.times)) > len(table.times) // 2), table.columns
    ),
}


def speed(data: Positional[Path], takes: int = 4, length: float = 30.0) -> None:
    """Seconds of one core for a take of two cameras: decoding and motion, and all the rest."""
    events = [event for event in events_of(read_manifest(data)) if len(event.cameras) > 1][:takes]
    measure(events[0])  # what is loaded once
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    decoding = whole = seconds = 0.0
    for number, event in enumerate(events, start=1):
        start = time.process_time()
        for _, take in event.cameras:
            motion_of_take(take)
        decoding += time.process_time() - start
        for _, take in event.cameras:
            kept_motion(take)
        start = time.process_time()
        measure(event)
        whole += time.process_time() - start
        seconds += max(take.length for _, take in event.cameras)
        if number % 25 == 0:
            say(f"after {number} takes: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB at most")
    each = (decoding + whole) / seconds * length
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    say(f"memory: {before:.0f} MB after the first take, {after:.0f} MB after the last")
    share = decoding / (decoding + whole)
    say(f"a take of {length:.0f} s with two cameras: {each:.2f} s of one core, {share:.0%} of it decoding and motion")
    say(f"1000 of them: {1000 * each / 3600:.2f} hours of one core ({len(events)} takes, {seconds:.0f} s, measured)")


def judged(lines: Sequence[Line], events: Sequence[Event]) -> list[Finding]:
    found = judge("", Manifest({}), events, lines)
    return [one for one in found.findings if one.severity != "note"]


def row(name: str, found: Sequence[bool], blind: int, others: int) -> str:
    """A row of the table, printed."""
    over = share_interval(found, np.ones(len(found)))
    interval = f"[{100 * over.low:.0f}, {100 * over.high:.0f} %]"
    told = f"| {name} | {sum(found)} of {len(found)} {interval} | {blind} | {others} |"
    say(told)
    return told


def say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(tyro.extras.subcommand_cli_from_dict({"faults": faults, "signals": signals, "speed": speed}))

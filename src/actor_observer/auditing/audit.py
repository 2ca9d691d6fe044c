"""Audit a data set: measure every take once, then judge all of them together. The same call resumes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from actor_observer.alignment.calibration import load_calibration
from actor_observer.auditing.judging.cameras import exchanged_cameras, judge_cameras, judge_lengths, same_files
from actor_observer.auditing.judging.elsewhere import other_takes
from actor_observer.auditing.judging.finding import Finding, worst_first
from actor_observer.auditing.judging.offsets import Line, Usuals, judge_offsets, usual_delays
from actor_observer.auditing.judging.signals import judge_signals
from actor_observer.auditing.measuring.events import Event, events_of
from actor_observer.auditing.measuring.measure import FORMAT, Measure
from actor_observer.console import counted
from actor_observer.disk import only_writer, write_whole
from actor_observer.disk.sums import sum_of
from actor_observer.errors import UserError
from actor_observer.pairs import read_manifest
from actor_observer.pairs.manifest import Fault, Manifest
from actor_observer.shards import PartNote, Shard, done_before, keep_line, write_note

__all__ = ["LINES", "Audit", "audit", "audit_part", "judge"]

LINES = "takes.jsonl"  # what was measured of each take
ForEach = Callable[[Callable[[Event], dict[str, Any]], Iterable[Event]], Iterator[Any]]


@dataclass(frozen=True, eq=False)
class Audit:
    """What an audit found."""

    data: str
    findings: tuple[Finding, ...]  # worst first
    usuals: Usuals  # the usual delay of every two recordings
    lines: tuple[Line, ...]  # what was measured of each take
    events: Mapping[str, Event] = field(default_factory=dict)  # by id
    resumed: int = 0  # takes that were measured before

    @property
    def clean(self) -> bool:
        """Whether nothing needs a look."""
        return all(found.severity == "note" for found in self.findings)

    def rows(self) -> list[dict[str, Any]]:
        """The table of audit.csv: a row for each finding, worst first, then one for every two recordings of a take."""
        found = [one.to_dict() for one in self.findings]
        for line in self.lines:
            for two in line["offsets"]:
                text = f"{two['verdict']} ({two['confidence']:.0%})"
                names = two["one"], two["other"]
                found.append(Finding(line["id"], "offset", "note", text, names, two["lag"], two["error"]).to_dict())
        return found

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for programs: `audit.json`, which the studio reads."""
        usual = [
            {
                "one": one,
                "other": other,
                "delay": round(found.delay, 5),
                "error": round(found.error, 5),
                "scatter": round(found.scatter, 5),
                "takes": found.takes,
            }
            for (one, other), found in self.usuals.items()
        ]
        told = {"data": self.data, "takes": len(self.lines), "clean": self.clean, "usual": usual}
        return {**told, "findings": [one.to_dict() for one in self.findings]}

    def __str__(self) -> str:
        takes = counted(len(self.lines), "take")
        if self.clean:
            return f"{self.data}: {takes}, nothing found"
        some = counted(len(self.findings), "finding")
        known = {line["id"] for line in self.lines}
        touched = len({one.take for one in self.findings if one.take in known})
        where = f"in {counted(touched, 'take')}" if touched else "about all takes"
        return f"{self.data}: {takes}, {some} {where}"


def audit(
    data: str | Path | Manifest,
    out: str | Path | None = None,
    videos: Sequence[str | Path] = (),
    first: str | None = None,
    each: Callable[[], object] = lambda: None,  # called once for every take
    for_each: ForEach = map,  # a function that does this for all items, in order
) -> Audit:
    """Is a data set in step, and what is wrong with it?

    >>> audit(Manifest({}))
    Traceback (most recent call last):
    actor_observer.errors.UserError: no takes to audit

    Args:
        data: a data set's folder or table, or its manifest.
        out: a folder that keeps what was measured: the same call resumes there.
        videos: further folders of recordings.
        first: which camera is the actor's, where the data set only names its cameras.
        each: called once for every take.
        for_each: how the takes are measured, such as on a cluster.
    """
    where = None if isinstance(data, Manifest) else str(data)
    manifest = data if isinstance(data, Manifest) else read_manifest(data, videos, first=first)
    events, work = _events(manifest), Measure(where)
    if out is None:
        lines: list[Line] = []
        for event, line in zip(events, for_each(work, events), strict=True):
            lines.append(_sound(line, event))
            each()
        return judge(where or "", manifest, events, lines)
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with only_writer(folder, "this audit"):
            lines, resumed = _measured(folder / LINES, events, work, each, for_each)
    except OSError as error:
        raise UserError(f"{folder}: cannot be written ({error.strerror or error})") from error
    return judge(where or "", manifest, events, lines, resumed)


def audit_part(
    data: str | Path,
    out: Path,  # .jsonl
    shard: Shard,
    videos: Sequence[str | Path] = (),
    first: str | None = None,
    each: Callable[[], object] = lambda: None,
    for_each: ForEach = map,
) -> int:
    """Measure a part of the takes, for `merge`, whose file is an audit's takes.jsonl; how many is returned."""
    events = _events(read_manifest(data, videos, first=first))
    parts = out.with_name(out.name + ".parts")
    try:
        parts.mkdir(parents=True, exist_ok=True)
        with only_writer(parts, "this output"):
            lines, _ = _measured(parts / LINES, shard.of(events), Measure(str(data)), each, for_each)
            write_whole(out, b"".join(_bytes(line) for line in lines))
            note = PartNote.of("audit", shard, [one.id for one in events], FORMAT, [line["id"] for line in lines])
            write_note(out, note, [out])
        shutil.rmtree(parts)
    except OSError as error:
        raise UserError(f"{out}: cannot be written ({error.strerror or error})") from error
    return len(lines)


def judge(data: str, manifest: Manifest, events: Sequence[Event], lines: Sequence[Line], resumed: int = 0) -> Audit:
    """All takes together: what is usual, and what is not."""
    named = {event.id: event for event in events}
    crossed = list(exchanged_cameras(lines))
    elsewhere = list(other_takes(lines, named, frozenset(one.take for one in crossed)))
    strange = frozenset(one.take for one in (*crossed, *elsewhere))
    usuals = usual_delays([line for line in lines if line["id"] not in strange])
    lost = [Finding(fault.path, "unreadable", "wrong", fault.what) for fault in manifest.faults if fault.left_out]
    found = [
        *lost,
        *crossed,
        *elsewhere,
        *judge_cameras(lines),
        *judge_lengths(lines),
        *same_files(lines),
        *judge_offsets(lines, usuals, strange),
        *judge_signals(lines),
    ]
    return Audit(data, tuple(worst_first(found)), usuals, tuple(lines), named, resumed)


def _events(manifest: Manifest) -> list[Event]:
    events = events_of(manifest)
    if not events and not manifest.faults:
        raise UserError("no takes to audit")
    return events


def _measured(
    path: Path, events: Sequence[Event], work: Measure, each: Callable[[], object], for_each: ForEach
) -> tuple[list[Line], int]:
    """What was measured of each take: kept from before where nothing changed; each is on disk before the next."""
    kept = {id: json.loads(line) for id, line in _kept(path).items()}
    made_from = {event.id: _made_from(event) for event in events}
    done = {id: line for id, line in kept.items() if id in made_from and line.get("made_from") == made_from[id]}
    missing = [event for event in events if event.id not in done]
    for _ in range(len(events) - len(missing)):
        each()
    resumed = len(events) - len(missing)
    with path.open("ab") as file:
        for event, line in zip(missing, for_each(work, missing), strict=True):
            done[event.id] = {**_sound(line, event), "made_from": made_from[event.id]}
            keep_line(file, _bytes(done[event.id]))
            each()
    return [done[event.id] for event in events], resumed


def _kept(path: Path) -> dict[str, bytes]:
    """Lines of an earlier call, or those that `merge` put together."""
    content = path.read_bytes() if path.exists() else b""
    if content.startswith(b"{"):  # merged: plain lines
        lines = [line for line in content.splitlines(keepends=True) if line.endswith(b"\n")]
        with path.open("wb") as file:
            for line in lines:
                keep_line(file, line)
    return done_before(path)


def _made_from(event: Event) -> list[Any]:
    """What a take's line depends on: its files as they are, and what the data set says about them."""
    files: list[Any] = []
    for name, take in event.cameras:
        try:
            state = take.path.stat()
            files.append([name, str(take.path), take.length, state.st_size, state.st_mtime_ns])
        except OSError:
            files.append([name, str(take.path), take.length, 0, 0])
    return [
        FORMAT,
        sum_of(repr(load_calibration()).encode()),
        files,
        [[one, other, str(clock)] for one, other, clock in event.clocks],
    ]


def _sound(line: Any, event: Event) -> dict[str, Any]:
    """A line, or what stands for it where its workers were lost."""
    if isinstance(line, Fault):
        return {
            "id": event.id,
            "format": FORMAT,
            "cameras": {},
            "offsets": [],
            "faults": [["take", line.path, line.what]],
        }
    return dict(line)


def _bytes(line: Mapping[str, Any]) -> bytes:
    return (json.dumps(line, ensure_ascii=False) + "\n").encode()

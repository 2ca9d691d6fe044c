"""What people marked, to take away: pairs with their clocks as a `pairs.csv` that every command reads, and marks."""

from __future__ import annotations

import csv
import io
import os
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from actor_observer.disk import write_whole
from actor_observer.pairs.clock import Clock
from actor_observer.pairs.table import path_in_csv
from actor_observer.web.cards import Card
from actor_observer.web.cells import plain
from actor_observer.web.store.hand_clocks import agreed
from actor_observer.web.store.mark_clock import MarkClock, clock_of_marks
from actor_observer.web.store.marks import Mark
from actor_observer.web.studio import Studio

__all__ = ["clock_behind", "marks_csv", "pairs_csv", "pairs_zip", "write_export"]

PAIRS = ("id", "third", "first", "subject", "script", "scene", "actions", "clock", "split", "frame_rate", "signals")
WHO = (
    "clock_by",
    "review",
    "marks",
    "people",
    "marked_by",
    "marked",
)  # where the clock is from, and who stands behind it
MARKS = ("pair", "third", "first", "third_end", "first_end", "label", "comment", "by", "kind", "changed", "state")


def write_export(studio: Studio) -> None:
    """Write `pairs.csv` and `classes.txt` into the studio's folder, with paths relative to it."""
    write_whole(studio.keep / "pairs.csv", pairs_csv(studio, studio.keep).encode())
    write_whole(studio.keep / "classes.txt", _classes(studio).encode())


def pairs_csv(studio: Studio, beside: Path | None = None) -> str:
    """All pairs; paths are relative to the folder that the file will lie in, or whole where that is not known.

    A clock is there only where people's marks agree on it, the data states it, or `align` is sure of it.
    """
    rows, states, doubtful = [], studio.states.all(), {pair.id for pair in studio.doubts.pairs}
    for id, card in studio.cards.cards.items():
        if not card.pair.same_person:
            continue  # pairs across people are made again from subject and script by whoever reads the file
        if states.get(id) == "left out" or (id in doubtful and states.get(id) != "accepted"):
            continue
        marks = studio.marks.of(id)
        clock, source = _clock(studio, card, clock_of_marks(marks))
        actions = ";".join(f"{action.label} {action.start:.2f} {action.end:.2f}" for action in card.third.actions)
        rows.append(
            {
                "id": id,
                "third": _path(card.third.path, beside),
                "first": _path(card.first.path, beside),
                "subject": plain(card.third.subject),
                "script": plain(card.third.script),
                "scene": plain(card.third.scene),
                "actions": plain(actions),
                "clock": str(clock) if clock else "",
                "split": card.pair.split or "",
                "frame_rate": str(card.third.frame_rate or ""),
                "signals": ";".join(_path(one, beside) for one in card.pair.signals),
                "clock_by": source,
                "review": states.get(id, "open"),
                **_who(studio, marks),
            }
        )
    return _csv((*PAIRS, *WHO), rows)


def marks_csv(studio: Studio) -> str:
    """Every mark on every pair: its times and words, whose it is, and whether others contradict it."""
    names, rows = studio.people.names(), []
    for id in studio.cards.cards:
        marks = studio.marks.of(id)
        found = clock_of_marks(marks)
        for mark in marks:
            name, kind = names.get(mark.person, ("", ""))
            state = "agreed" if found and mark.id not in found.disputed else "disputed"
            rows.append(
                {
                    "pair": id,
                    **{end: getattr(mark, end) for end in ("third", "first", "third_end", "first_end")},
                    **{"label": plain(mark.label), "comment": plain(mark.comment), "by": plain(name), "kind": kind},
                    **{"changed": _when(mark.changed), "state": state},
                }
            )
    return _csv(MARKS, rows)


def pairs_zip(studio: Studio) -> bytes:
    """A data set in one file: unpacked anywhere on this machine, every command reads it, with the names of classes."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr("pairs.csv", pairs_csv(studio))
        bundle.writestr("classes.txt", _classes(studio))
        bundle.writestr("marks.csv", marks_csv(studio))
    return content.getvalue()


def clock_behind(studio: Studio, card: Card) -> Clock | None:
    """The clock that somebody, or `align`, stands behind; None where nobody does."""
    return _clock(studio, card, clock_of_marks(studio.marks.of(card.pair.id)))[0]


def _clock(studio: Studio, card: Card, marked: MarkClock | None) -> tuple[Clock | None, str]:
    """The clock that somebody stands behind, and who: marks, hand, data, align; "disputed" where people disagree."""
    stated = card.pair.clock
    own = stated if stated.anchors != Clock.scaled(card.third.length, card.first.length).anchors else None
    if marked is not None and marked.agreed:
        return marked.clock, "marks"
    if marked is not None:
        return own, "disputed"
    by_hand = studio.hand.of(card.pair.id)
    if by_hand:
        clock = agreed(by_hand, card.third.length)
        return (clock, "hand") if clock else (own, "disputed")
    if own is not None:
        return own, "data"
    seen = studio.seen(card.pair)
    if seen and seen["align"]["verdict"] == "in step" and seen["align"]["clock"]:
        return Clock.parse(seen["align"]["clock"]), "align"
    return None, ""


def _who(studio: Studio, marks: Sequence[Mark]) -> dict[str, Any]:
    if not marks:
        return {}
    names = studio.people.names()
    people = sorted({mark.person for mark in marks})
    said = "; ".join(names.get(person, ("somebody", ""))[0] for person in people)
    when = _when(max(mark.changed for mark in marks))
    return {"marks": len(marks), "people": len(people), "marked_by": plain(said), "marked": when}


def _path(path: Path, beside: Path | None) -> str:
    return str(path.absolute()) if beside is None else path_in_csv(os.path.relpath(path.absolute(), beside.absolute()))


def _classes(studio: Studio) -> str:
    return "".join(f"{label} {name}\n" for label, name in sorted(studio.cards.names.items()))


def _when(changed: float) -> str:
    return datetime.fromtimestamp(changed, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _csv(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()

"""All pairs with the clocks that people's marks make, as a `pairs.csv` that every command reads."""

from __future__ import annotations

import csv
import io
import os

from actor_observer.disk import write_whole
from actor_observer.web.store.mark_clock import clock_of_marks
from actor_observer.web.studio import Studio

__all__ = ["write_export"]


def write_export(studio: Studio) -> str:
    """Write `pairs.csv` into the studio's folder, marks as clocks; every command reads it."""
    rows = io.StringIO()
    columns = ("id", "third", "first", "subject", "script", "scene", "actions", "clock", "split", "frame_rate")
    writer = csv.DictWriter(rows, columns, lineterminator="\n")
    writer.writeheader()
    for id, card in studio.cards.cards.items():
        if not card.pair.same_person:
            continue  # pairs across people are made again from subject and script by whoever reads the file
        marked = clock_of_marks(studio.marks.of(id))
        clock = marked.clock if marked and marked.clock else card.pair.clock
        actions = ";".join(f"{action.label} {action.start:.2f} {action.end:.2f}" for action in card.third.actions)
        row = {"id": id, "subject": card.third.subject, "script": card.third.script, "scene": card.third.scene}
        row |= {"actions": actions, "clock": str(clock), "split": card.pair.split or ""}
        row |= {"frame_rate": str(card.third.frame_rate or "")}
        row |= {
            view: os.path.relpath(take.path.absolute(), studio.keep.absolute())
            for view, take in (("third", card.third), ("first", card.first))
        }
        writer.writerow(row)
    write_whole(studio.keep / "pairs.csv", rows.getvalue().encode())
    return rows.getvalue()

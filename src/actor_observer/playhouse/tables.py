"""The CSV files of a set, in the form of Charades and Charades-Ego. Written from the plan alone."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from actor_observer.pairs.manifest import Action, Split
from actor_observer.playhouse.acting.actors import CAST
from actor_observer.playhouse.acting.scripting.actions import ACTIONS
from actor_observer.playhouse.set_plan import PairPlan, SetPlan, TakePlan

__all__ = ["EVENTS", "classes_text", "write_tables"]

CHARADES = (
    "id",
    "subject",
    "scene",
    "quality",
    "relevance",
    "verified",
    "script",
    "objects",
    "descriptions",
    "actions",
    "length",
)
CHARADES_EGO = (*CHARADES, "egocentric", "charades_video")
PAIRS = ("id", "third", "first", "subject", "script", "actions", "clock", "split")
EVENTS = (
    *("event", "id", "view", "wearer", "offset", "rate", "fps", "length"),
    *("split", "layout", "dress", "people", "names"),
)
FILES: dict[str, tuple[Split, ...]] = {"train": ("train", "validation"), "test": ("test",)}


def classes_text() -> str:
    """The content of `classes.txt`: a label and its name per line.

    >>> classes_text().splitlines()[0]
    'c000 Taking a cup/bottle from somewhere'
    """
    return "".join(f"{label} {action.name}\n" for label, action in ACTIONS.items())


def actions_text(actions: Iterable[Action]) -> str:
    """Actions as Charades writes them.

    >>> actions_text([Action("c092", 11.9, 21.2), Action("c147", 0.0, 12.6)])
    'c092 11.90 21.20;c147 0.00 12.60'
    """
    return ";".join(f"{action.label} {action.start:.2f} {action.end:.2f}" for action in actions)


def _row(take: TakePlan) -> dict[str, object]:
    return {
        "id": take.id,
        "subject": take.actor,
        "scene": take.layout,
        "quality": 7,
        "relevance": 7,
        "verified": "Yes",
        "script": take.script.text,
        "objects": ";".join(prop.kind for prop in take.script.props),
        "descriptions": take.script.text,
        "actions": actions_text(take.actions),
        "length": f"{take.length:.2f}",
    }


def _write(path: Path, columns: tuple[str, ...], rows: Iterable[dict[str, object]]) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    _put(path, text.getvalue())


def _put(path: Path, text: str) -> None:
    part = path.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def write_tables(plan: SetPlan, out: Path) -> None:
    """Write all CSV files and `classes.txt` of a set into its folder."""
    _put(out / "classes.txt", classes_text())
    cast = {take.actor for take in plan.takes} | {name for take in plan.events for name in people_in(take)}
    _write(
        out / "splits.csv",
        ("subject", "split"),
        ({"subject": a.name, "split": a.split} for a in CAST if a.name in cast),
    )
    if plan.events:
        write_events(plan.events, out)
        return
    (_write_together if plan.together else _write_charades)(plan, out)
    clocks = []
    for pair in plan.pairs:
        for third in (pair.third, pair.different):
            if third:
                same = third is pair.third
                clocks.append(
                    {
                        "id": pair.third.id if same else f"{third.id}+{pair.first.id}",
                        "third": third.id,
                        "first": pair.first.id,
                        "clock": pair.clock(third),
                    }
                )
    _write(out / "truth" / "clocks.csv", ("id", "third", "first", "clock"), clocks)


def _write_charades(plan: SetPlan, out: Path) -> None:
    for name, splits in FILES.items():
        ego, charades = [], []
        for pair in plan.pairs:
            if pair.third.split in splits:
                named = pair.different.id if pair.different else ""
                ego += [
                    {**_row(take), "egocentric": yes, "charades_video": named}
                    for take, yes in ((pair.third, "No"), (pair.first, "Yes"))
                ]
                charades += [_row(pair.different)] if pair.different else []
        charades += [_row(take) for take in plan.labelled if take.split in splits]
        _write(out / f"CharadesEgo_v1_{name}.csv", CHARADES_EGO, ego)
        _write(out / f"Charades_v1_{name}.csv", CHARADES, charades)


def _write_together(plan: SetPlan, out: Path) -> None:
    rows: list[dict[str, object]] = [
        {
            "id": pair.third.id,
            "third": f"videos/{pair.third.id}.mp4",
            "first": f"videos/{pair.first.id}.mp4",
            "subject": pair.third.actor,
            "script": pair.third.script.text,
            "actions": actions_text(pair.third.actions),
            "clock": pair.clock(),
            "split": pair.third.split,
        }
        for pair in plan.pairs
    ]
    _write(out / "pairs.csv", PAIRS, rows)


def people_in(take: TakePlan) -> tuple[str, ...]:
    """Everybody in the room while a take of an event is recorded; who leads comes first."""
    return take.event.gathering.names if take.event else ()


def write_events(takes: Sequence[TakePlan], out: Path) -> None:
    """Write `events.csv`, a row for each take, and `pairs.csv`, a row for each room camera with each head camera."""
    rows: list[dict[str, object]] = [
        {
            "event": take.event.id if take.event else "",
            "id": take.id,
            "view": take.view,
            "wearer": take.actor if take.view == "first" else "",
            "offset": take.offset,
            "rate": take.rate,
            "fps": take.fps,
            "length": f"{take.length:.3f}",
            "split": take.split,
            "layout": take.layout,
            "dress": take.dress,
            "people": len(people_in(take)),
            "names": ";".join(people_in(take)),
        }
        for take in takes
    ]
    _write(out / "events.csv", EVENTS, rows)
    pairs: list[dict[str, object]] = [
        {
            "id": f"{room.id}{head.id.removeprefix(room.event.id if room.event else '')}",
            "third": f"videos/{room.id}.mp4",
            "first": f"videos/{head.id}.mp4",
            "subject": "+".join(people_in(room)),
            "script": room.script.text,
            "actions": actions_text(room.actions) if head.actor == room.actor else "",  # only the lead has a script
            "clock": PairPlan(room, head).clock(),
            "split": room.split,
        }
        for room in takes
        for head in takes
        if room.view == "third" and head.view == "first" and room.event == head.event
    ]
    _write(out / "pairs.csv", PAIRS, pairs)

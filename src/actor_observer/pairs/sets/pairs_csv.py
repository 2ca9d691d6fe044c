"""Read our own format: one `pairs.csv`, with a row for each pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from actor_observer.errors import UserError
from actor_observer.pairs.clock import Clock
from actor_observer.pairs.manifest import SPLITS, VIEWS, Action, Fault, Pair, Split, Take
from actor_observer.pairs.media import Draft, settle, with_actions
from actor_observer.pairs.reader import Asked, Reader, Recorded
from actor_observer.pairs.table import clip_actions, columns_of, is_safe_id, parse_actions, parse_rate, read_table
from actor_observer.pairs.window import file_of

__all__ = ["READER", "read_pairs_csv"]

_SPLIT_NAMES: dict[str, Split] = {split: split for split in SPLITS} | {"val": "validation", "valid": "validation"}


def read_pairs_csv(path: Path) -> tuple[dict[str, Take], list[Pair], list[Fault]]:
    """Takes, pairs and faults of a `pairs.csv`; paths in it are relative to the file.

    A take is named after the first row that it is in: `ID.third`, `ID.first`. A row with only one of the two is a
    take without a pair. `actions` and `phases` are in third-person time (first-person time where there is no third).
    """
    rows, faults = _rows(path)
    drafts: dict[tuple[str, str], Draft] = {}  # (view, file) -> the draft it became
    for row in rows:
        for view in VIEWS:
            if row[view]:
                draft = _draft(row, path, view)
                first = drafts.setdefault((view, str(draft.path)), draft)
                if (first.subject, first.script, first.split) != (draft.subject, draft.script, draft.split):
                    faults.append(Fault(_place(path, row), f"{row[view]} is in another row with other values", True))
                    row[view] = ""
    takes, more = settle(list(drafts.values()))
    faults += more
    pairs: list[Pair] = []
    for row in rows:
        ids = [drafts[view, str(path.parent / row[view])].id if row[view] else "" for view in VIEWS]
        here = [takes.get(id) for id in ids]
        clock = None
        if here[0] and here[1]:
            try:
                clock = _clock(row, here[0], here[1])
            except ValueError as error:
                faults.append(Fault(_place(path, row), str(error), left_out=True))
                continue
            signals, lacking = _signals(row, path)
            faults += lacking
            pairs.append(Pair(row["id"], here[0].id, here[1].id, clock, split=here[0].split, signals=signals))
        faults += _label(takes, row, here, clock, path)
    return takes, pairs, faults


def _rows(path: Path) -> tuple[list[dict[str, str]], list[Fault]]:
    """Rows with all columns present and ids that are unique and safe."""
    rows: dict[str, dict[str, str]] = {}
    faults: list[Fault] = []
    optional = ("subject", "script", "scene", "actions", "phases", "clock", "split", "frame_rate", "signals")
    for number, row in enumerate(read_table(path, required=("id", "third", "first")), start=2):
        place = f"{path.name} line {number}"
        if not is_safe_id(row["id"]):
            faults.append(Fault(place, f"{row['id']!r} cannot be an id", left_out=True))
        elif row["id"] in rows:
            faults.append(Fault(place, f"id {row['id']} appears twice", left_out=True))
        elif row.get("split") and row["split"].lower() not in _SPLIT_NAMES:
            raise UserError(f"{path} line {number}: split is {row['split']!r}; use train, validation or test")
        elif not row["third"] and not row["first"]:
            faults.append(Fault(place, f"id {row['id']} names neither a third nor a first video", left_out=True))
        else:
            rows[row["id"]] = dict.fromkeys(optional, "") | row
    if not rows and not faults:
        raise UserError(f"{path}: no rows below its header")
    return list(rows.values()), faults


def _draft(row: dict[str, str], path: Path, view: str) -> Draft:
    return Draft(
        id=f"{row['id']}.{view}",
        view="third" if view == "third" else "first",
        path=path.parent / row[view],
        subject=row["subject"],
        scene=row["scene"],
        script=row["script"],
        frame_rate=parse_rate(row["frame_rate"]),
        split=_SPLIT_NAMES.get(row["split"].lower()),
    )


def _clock(row: dict[str, str], third: Take, first: Take) -> Clock:
    if not row["clock"]:
        return Clock.scaled(third.length, first.length)
    clock = Clock.parse(row["clock"])
    if clock.overlap(third.length, first.length) == (0.0, 0.0):
        raise ValueError(f"by its clock {row['clock']!r} the two takes do not overlap")
    return clock


def _signals(row: dict[str, str], path: Path) -> tuple[tuple[Path, ...], list[Fault]]:
    """The files of numbers that a row names, and those that are not there."""
    named = [path.parent / name.strip() for name in row["signals"].split(";") if name.strip()]
    there = tuple(one for one in named if file_of(one).is_file())
    return there, [Fault(str(one), "no such signal; the pair is shown without it") for one in named if one not in there]


def _label(
    takes: dict[str, Take], row: dict[str, str], here: list[Take | None], clock: Clock | None, path: Path
) -> list[Fault]:
    """Put the row's actions and phases on its takes, in each take's own time."""
    faults: list[Fault] = []
    for column in ("actions", "phases"):
        stretches, complaints = parse_actions(row[column])
        faults += [Fault(_place(path, row), complaint) for complaint in complaints]
        for take in filter(None, here):
            own = stretches
            if take.view == "first" and clock is not None:
                own = [Action(a.label, clock.to_first(a.start), clock.to_first(a.end)) for a in stretches]
                own = list(clip_actions(own, take.length)[0])  # one fault, on the third-person take, is enough
            takes[take.id], late = _with(takes[take.id], column, own)
            faults += late
    return faults


def _with(take: Take, column: str, stretches: list[Action]) -> tuple[Take, list[Fault]]:
    clipped, faults = with_actions(take, stretches, kind=column.removesuffix("s"))
    mine = take.actions if column == "actions" else take.phases
    merged = tuple(dict.fromkeys((*mine, *clipped.actions)))  # a take in several rows keeps the labels of all
    return (replace(take, actions=merged) if column == "actions" else replace(take, phases=merged)), faults


def _place(path: Path, row: dict[str, str]) -> str:
    return f"{path.name}: {row['id']}"


def _tables(place: Path) -> list[Path]:
    """A folder's pairs.csv; or a CSV file of any name that is not one of Charades'."""
    if place.is_dir():
        return [place / "pairs.csv"] if (place / "pairs.csv").exists() else []
    columns = columns_of(place)
    return [place] if place.suffix.lower() == ".csv" and ("third" in columns or "id" not in columns) else []


def _read(tables: Sequence[Path], asked: Asked) -> Recorded:
    return Recorded(*read_pairs_csv(tables[0]))


READER = Reader("a pairs.csv", _tables, _read)

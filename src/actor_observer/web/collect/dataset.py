"""Write what was collected as a data set: Charades-Ego's own files, `pairs.csv`, `classes.txt`."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from actor_observer.disk import write_whole
from actor_observer.web.cells import plain

__all__ = ["write_dataset"]

EGO_COLUMNS = (
    *("id", "subject", "scene", "quality", "relevance", "verified", "script", "objects", "descriptions"),
    *("actions", "length", "egocentric", "charades_video"),
)
PAIR_COLUMNS = ("id", "third", "first", "subject", "script", "scene", "actions")


def write_dataset(folder: Path, finished: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> None:
    """Write the tables of all finished scripts; recordings lie in `videos/` already.

    A script's classes are labels of the whole recording: when within it each is done, nobody has said. A first-person
    take names another person's third-person take of the same script in `charades_video`, as Charades-Ego does.
    """
    folder.mkdir(parents=True, exist_ok=True)
    ego: list[dict[str, Any]] = []
    pairs: list[dict[str, Any]] = []
    for row in finished:
        third, first = row["recordings"]["third"], row["recordings"]["first"]
        for take, yes in ((third, "No"), (first, "Yes")):
            ego.append({**_facts(row, take), "egocentric": yes, "charades_video": _other_person(row, finished)})
        pairs.append(
            {
                "id": third["id"],
                "third": f"videos/{third['file']}",
                "first": f"videos/{first['file']}",
                "subject": _subject(row),
                "script": plain(row["text"]),
                "scene": plain(row["scene"]),
                "actions": _actions(row["labels"], third["length"]),
            }
        )
    _write(folder / "CharadesEgo_v1_train.csv", EGO_COLUMNS, ego)
    _write(folder / "pairs.csv", PAIR_COLUMNS, pairs)
    labels = sorted({label for row in finished for label in row["labels"]} | set(names))
    write_whole(folder / "classes.txt", "".join(f"{label} {names.get(label, label)}\n" for label in labels).encode())
    if not pairs:
        for name in ("pairs.csv", "CharadesEgo_v1_train.csv"):
            (folder / name).unlink(missing_ok=True)


def _facts(row: Mapping[str, Any], take: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": take["id"],
        "subject": _subject(row),
        "scene": plain(row["scene"]),
        "quality": "",
        "relevance": "",
        "verified": "No",
        "script": plain(row["text"]),
        "objects": plain(row["objects"]),
        "descriptions": "",
        "actions": _actions(row["labels"], take["length"]),
        "length": f"{take['length']:.2f}",
    }


def _other_person(row: Mapping[str, Any], finished: Sequence[Mapping[str, Any]]) -> str:
    """The third-person take of the same script by somebody else; of several, the one named least."""
    others = [one for one in finished if one["script"] == row["script"] and one["person"] != row["person"]]
    named = Counter(one["recordings"]["third"]["id"] for one in others)
    return min(named, default="", key=lambda id: (named[id], id))


def _subject(row: Mapping[str, Any]) -> str:
    return f"P{row['person']:03d}"  # a number, not a name


def _actions(labels: Iterable[str], length: float) -> str:
    return ";".join(f"{label} 0.00 {length:.2f}" for label in labels)


def _write(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_whole(path, text.getvalue().encode())

"""Read, write and score Charades submission files: `id s0 s1 …`, one line for each video."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actor_observer.errors import UserError
from actor_observer.evaluation.measures.recognition import Recognition, label_matrix, score_recognition
from actor_observer.pairs.table import parse_stretches, read_table

__all__ = ["Scored", "read_submission", "score_submission", "write_submission"]

Array = NDArray[np.float64]


def write_submission(path: Path, scores: Mapping[str, Array]) -> None:
    """Write one line for each video."""
    lines = [f"{id} {' '.join(f'{score:.6g}' for score in row)}\n" for id, row in scores.items()]
    path.write_text("".join(lines))


def read_submission(path: Path) -> dict[str, Array]:
    """Video id -> its scores; a line that cannot be read is a `UserError` with its number.

    >>> read_submission(Path("no-such.txt"))
    Traceback (most recent call last):
    actor_observer.errors.UserError: no-such.txt: no such file
    """
    if not path.is_file():
        raise UserError(f"{path}: no such file")
    scores: dict[str, Array] = {}
    width = 0
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), start=1):
        words = line.split()
        if not words:
            continue
        try:
            row = np.array([float(word) for word in words[1:]])
        except ValueError:
            raise UserError(f"{path} line {number}: scores must be numbers") from None
        width = width or len(row)
        if not len(row) or len(row) != width or np.isnan(row).any():
            raise UserError(
                f"{path} line {number}: {len(row)} scores where {width or 'some'} are expected, none of them NaN"
            )
        if words[0] in scores:
            raise UserError(f"{path} line {number}: {words[0]} appears twice")
        scores[words[0]] = row
    if not scores:
        raise UserError(f"{path}: no scores in it")
    return scores


@dataclass(frozen=True)
class Scored:
    """The score of a submission, and what could not be judged."""

    recognition: Recognition
    missing: tuple[str, ...]  # videos of the truth that it lacks: they come last in every class
    unknown: tuple[str, ...]  # videos that it names and the truth does not: not judged
    unread: tuple[str, ...] = ()  # actions of the truth that could not be read: not counted

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        lists = {name: list(getattr(self, name)) for name in ("missing", "unknown", "unread")}
        return {**self.recognition.to_dict(), **lists}


def score_submission(submission: Path, truth: Path) -> Scored:
    """Charades mAP of a submission against a ground-truth CSV (columns `id`, `actions`), in that file's order.

    As in the official scorer, a video has a class as soon as an action names it, whatever the action's times.
    """
    scores = read_submission(submission)
    rows = read_table(truth, required=("id", "actions"))
    width = len(next(iter(scores.values())))
    read = [parse_stretches(row["actions"]) for row in rows]
    labels = [{label for label, _, _ in stretches} for stretches, _ in read]
    unread = [f"{row['id']}: {fault}" for row, (_, faults) in zip(rows, read, strict=True) for fault in faults]
    known = sorted(set().union(*labels))
    classes = (
        {f"c{n:03d}": "" for n in range(width)}
        if all(label.startswith("c") for label in known)
        else dict.fromkeys(known, "")
    )
    unknown = [label for label in known if label not in classes]
    if unknown or len(classes) != width:
        raise UserError(
            f"{truth} has class {unknown[0] if unknown else known[-1]}, the submission has {width} scores a line"
        )
    ids = [row["id"] for row in rows]
    missing, unknown_ids = [id for id in ids if id not in scores], scores.keys() - ids
    if len(missing) == len(ids):
        raise UserError(f"{submission}: none of the {len(ids)} videos of {truth} is in it")
    together = np.stack([scores.get(id, np.full(width, -np.inf)) for id in ids])
    found = score_recognition(together, label_matrix(labels, classes))
    return Scored(found, (*missing,), (*sorted(unknown_ids),), (*unread,))

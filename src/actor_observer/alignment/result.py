"""What an alignment is: times of both views that belong together, and how far to believe them."""

from __future__ import annotations

import csv
import io
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from actor_observer.alignment.evidence import Evidence
from actor_observer.errors import UserError
from actor_observer.model.pretrained import write_whole
from actor_observer.pairs.clock import Clock
from actor_observer.pairs.table import is_safe_id, path_in_csv

__all__ = ["Alignment", "Point"]


@dataclass(frozen=True)
class Point:
    """A moment of one view at a moment of the other.

    >>> Point(third=12.0, first=10.5, confidence=0.8).third
    12.0
    """

    third: float  # seconds
    first: float
    confidence: float  # 0 to 1: how much better it is than elsewhere, times the selector's weight


@dataclass(frozen=True)
class Alignment:
    """What `align` found. Times are seconds."""

    third: str  # where the videos lie; "" for pixels
    first: str
    lengths: tuple[float, float]  # of the third-person and the first-person video
    rate_seen: float  # frames a second that were looked at
    evidence: Evidence  # all distances, and the times that they belong to
    placed: tuple[Point, ...]  # for each first-person moment the nearest third-person one
    path: tuple[Point, ...]  # a monotone way through both
    best: Point  # the moment that both show most clearly
    offset: float  # third = offset + rate · first
    rate: float
    clock: Clock  # anchor points along the path, smoothed
    figures: dict[str, float]  # what the confidence is made of
    telling: bool  # False: the recordings are too short, or nothing changes in them
    confidence: float | None  # 0 to 1: whether the two show the same thing at all; None: no calibration was found
    threshold: float  # below it they are called unrelated
    calibrated: bool  # whether the confidence was calibrated for this very model

    def __str__(self) -> str:
        """What a person wants to know first, on a few lines."""
        names = [
            Path(name).name or f"the {view}-person video"
            for name, view in ((self.third, "third"), (self.first, "first"))
        ]
        sure = "not known" if self.confidence is None else f"{self.confidence:.2f} of 1"
        ends = self.path[0], self.path[-1]
        return "\n".join(
            [
                f"observer    {names[0]}, {self.lengths[0]:.1f} s",
                f"actor       {names[1]}, {self.lengths[1]:.1f} s",
                f"best moment {self.best.third:.1f} s of the observer is {self.best.first:.1f} s of the actor",
                f"in step     {ends[0].third:.1f} s to {ends[1].third:.1f} s of the observer, "
                f"{ends[0].first:.1f} s to {ends[1].first:.1f} s of the actor",
                f"clock       observer = {self.offset:.2f} s + {self.rate:.3f} · actor",
                f"confidence  {sure}",
                *(f"warning: {warning}" for warning in self.warnings),
            ]
        )

    def write(self, folder: str | Path) -> None:
        """`alignment.json` and `anchors.csv` into a folder."""
        folder = Path(folder)
        text = json.dumps(self.to_json(), indent=1, ensure_ascii=False) + "\n"
        _write(folder / "alignment.json", text)
        self.write_csv(folder / "anchors.csv")

    @property
    def title(self) -> str:
        """For a picture: the clock, and whether to believe it."""
        sure = "" if self.confidence is None else f", confidence {self.confidence:.2f}"
        doubt = " – doubtful" if self.warnings else ""
        return f"observer = {self.offset:.2f} s + {self.rate:.3f} · actor{sure}{doubt}"

    @property
    def related(self) -> bool:
        """Whether the two recordings seem to show the same thing."""
        return self.confidence is None or self.confidence >= self.threshold

    @property
    def warnings(self) -> list[str]:
        """What a reader should know before believing the rest, one line each."""
        said = []
        if not self.telling:
            said.append(
                "nothing says when: the videos are too short, or nothing changes in them; do not trust the times"
            )
        elif not self.related:
            said.append(
                f"confidence {self.confidence:.2f} is below {self.threshold:.2f}: these videos probably do not show "
                "the same thing, or stand the wrong way round (the room camera comes first); do not trust the times"
            )
        if self.confidence is None:
            said.append("no calibration found: the confidence is not known (bench/calibrate.py makes one)")
        elif not self.calibrated:
            said.append("not calibrated for this model: the confidence is a guess")
        return said

    def to_json(self) -> dict[str, Any]:
        """Everything but the matrix, as plain numbers for `json.dumps`."""
        return {
            "third": self.third,
            "first": self.first,
            "lengths": {"third": _short(self.lengths[0]), "first": _short(self.lengths[1])},
            "best": _plain(self.best),
            "offset": _short(self.offset),
            "rate": round(self.rate, 5),
            "confidence": None if self.confidence is None else round(self.confidence, 4),
            "threshold": round(self.threshold, 4),
            "related": self.related,
            "calibrated": self.calibrated,
            "warnings": self.warnings,
            "clock": str(self.clock),
            "frames_per_second": round(self.rate_seen, 4),
            "figures": {name: round(value, 4) for name, value in self.figures.items()},
            "path": [_plain(point) for point in self.path],
            "moments": [_plain(point) for point in self.placed],
        }

    def write_csv(self, path: str | Path) -> None:
        """Write a `pairs.csv` of this one pair, its `clock` the anchor points: every command reads it back."""
        if not (self.third and self.first):
            raise UserError("pixels have no file that a pairs.csv could name; keep str(alignment.clock) instead")
        path = Path(path)
        name = Path(self.third).stem
        row = {"id": name if is_safe_id(name) and path_in_csv(name) == name else "pair", "clock": str(self.clock)}
        for view, video in (("third", self.third), ("first", self.first)):
            row[view] = path_in_csv(os.path.relpath(Path(video).absolute(), path.absolute().parent))
        text = io.StringIO()
        writer = csv.DictWriter(text, ("id", "third", "first", "clock"), lineterminator="\n")
        writer.writeheader()
        writer.writerow(row)
        _write(path, text.getvalue())


def _plain(point: Point) -> dict[str, float]:
    return {"third": _short(point.third), "first": _short(point.first), "confidence": _short(point.confidence)}


def _short(seconds: float) -> float:
    return round(seconds, 3)


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text.encode())
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror or error})") from error

"""What an alignment is: a clock between two recordings, a verdict, and how far to believe it."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from actor_observer.alignment.belief import Candidate
from actor_observer.alignment.performances.moment_matrix import MomentMatrix
from actor_observer.console import Answer
from actor_observer.errors import UserError
from actor_observer.model.pretrained import write_whole
from actor_observer.pairs.clock import Clock
from actor_observer.pairs.table import is_safe_id, path_in_csv
from actor_observer.pairs.window import stem_of
from actor_observer.signals import is_signal

__all__ = ["Alignment", "Hypothesis", "Place", "Point", "Scores", "Verdict", "write_text"]

MOST_SURE = 0.99  # that is said: nothing was measured often enough to say more
Verdict = Literal["in step", "cannot tell", "unrelated"]
Hypothesis = Literal["one event", "two performances"]


@dataclass(frozen=True)
class Point:
    """A moment of one view at a moment of the other.

    >>> Point(third=12.0, first=10.5, confidence=0.8).third
    12.0
    """

    third: float  # seconds
    first: float
    confidence: float  # 0 to 1


@dataclass(frozen=True, eq=False)
class Scores:
    """What speaks for each offset between two recordings of one event: belief, and what each kind of evidence adds."""

    offsets: NDArray[np.float64]  # (L,) seconds
    belief: NDArray[np.float64]  # (L,) shares of 1
    kinds: Mapping[str, NDArray[np.float64]]  # (L,) log likelihoods

    def to_dict(self, most: int = 400) -> dict[str, Any]:
        """As plain values, thinned out: of neighbours the best is kept."""
        each = max(1, -(-len(self.offsets) // most))
        starts = np.arange(0, len(self.offsets), each)
        said = {name: np.maximum.reduceat(part, starts).round(3).tolist() for name, part in self.kinds.items()}
        belief = np.add.reduceat(self.belief, starts).round(5).tolist()
        return {"offsets": self.offsets[starts].round(3).tolist(), "belief": belief, "kinds": said}


@dataclass(frozen=True)
class Place:
    """Where the wearer of a head camera is in a room camera's picture, for a while."""

    time: float  # seconds of the room camera's recording, of the middle
    box: tuple[float, float, float, float]  # left, top, right, bottom, in shares of the picture
    share: float  # of the belief, 0 to 1


@dataclass(frozen=True, repr=False)
class Alignment(Answer):
    """What `align` found. Times are seconds; third = offset + rate · first."""

    ROWS = ("path",)

    third: str  # where the videos lie; "" for pixels
    first: str
    lengths: tuple[float, float]  # of the third-person and the first-person video
    look_rate: float  # frames a second that a model looks at, where it is asked
    likeness: MomentMatrix | None  # of all moments, as the model sees them; None where it was not counted
    placed: tuple[Point, ...]  # for each first-person moment the nearest third-person one; empty without likeness
    path: tuple[Point, ...]  # a monotone way through both
    best: Point  # the moment that both show most clearly
    hypothesis: Hypothesis  # two cameras on one event, or two performances of one script
    verdict: Verdict
    offset: float
    rate: float
    offset_error: float | None  # half-width, 95 %: at the middle of the first-person video; None where nothing is sure
    rate_error: float
    candidates: tuple[Candidate, ...]  # best first
    kinds: Mapping[str, float]  # what each kind of evidence adds to the log likelihood of the offset
    clock: Clock  # anchor points
    figures: dict[str, float]  # what the confidence is made of
    telling: bool  # False: the recordings are too short, or nothing changes in them
    confidence: float | None  # 0 to 1: that the clock is right; None: no calibration was found
    threshold: float  # in step from this confidence on
    calibrated: bool  # whether the confidence was calibrated for this very model
    notes: tuple[str, ...] = ()  # what else a reader should know
    scores: Scores | None = None  # what speaks for each offset, if both show one event
    wearer: tuple[Place, ...] = ()  # where in the third-person video the first-person camera's wearer is

    def __repr__(self) -> str:
        names = " and ".join(Path(name).name or "pixels" for name in (self.third, self.first))
        return f"<Alignment of {names}: {self.title}>"

    def __str__(self) -> str:
        """What a person wants to know first, on a few lines."""
        names = [
            Path(name).name or f"the {view}-person video"
            for name, view in ((self.third, "third"), (self.first, "first"))
        ]
        lines = [
            f"observer    {names[0]}, {self.lengths[0]:.1f} s",
            f"actor       {names[1]}, {self.lengths[1]:.1f} s",
        ]
        if self.verdict == "in step":
            start, end = self.path[0], self.path[-1]
            sure = "" if self.confidence is None else f" ({min(self.confidence, MOST_SURE):.0%} sure)"
            lines += [
                f"verdict     in step{sure}",
                f"clock       {self.equation}",
                f"shared      {start.third:.1f} s to {end.third:.1f} s of the observer, "
                f"{start.first:.1f} s to {end.first:.1f} s of the actor",
                f"best moment {self.best.third:.1f} s of the observer is {self.best.first:.1f} s of the actor",
            ]
        else:
            guess = "" if self.confidence is None else f" ({self.confidence:.0%})"
            lines += [f"verdict     {self.sentence}", f"best guess  {self.equation}{guess}"]
            others = [f"{one.offset:z.2f} s ({one.share:.0%})" for one in self.candidates[1:] if one.share >= 0.01]
            lines += [f"or else     {', '.join(others)}"] if others else []
        return "\n".join([*lines, *(f"note: {warning}" for warning in self.warnings)])

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        return {"in step": "in step", "cannot tell": "cannot tell", "unrelated": "probably not the same event"}[
            self.verdict
        ]

    @property
    def title(self) -> str:
        """For a picture: the verdict and the clock."""
        return f"{self.sentence}: {self.equation}"

    @property
    def equation(self) -> str:
        """The clock, with the error of its offset where there is one to believe."""
        error = "" if self.offset_error is None else f", ± {self.offset_error:.2f} s"
        return f"observer = {self.offset:z.2f} s + {self.rate:.6g} · actor{error}"

    @property
    def joins(self) -> list[tuple[float, float]]:
        """Moments (third, first) to join in a picture: the clock's anchors, or some along it where it is straight."""
        if len(self.clock.anchors) > 2:
            return list(self.clock.anchors)
        return [(point.third, point.first) for point in self.path[:: max(1, (len(self.path) - 1) // 8)]]

    @property
    def warnings(self) -> list[str]:
        """What a reader should know before believing the rest, one line each."""
        said = list(self.notes)
        if not self.telling:
            said.append("the videos are too short, or nothing moves in them: do not trust the times")
        elif self.verdict != "in step":
            said.append("the clock is the best guess: do not trust the times")
        if self.confidence is None:
            said.append("no calibration found: the confidence is not known")
        elif not self.calibrated and self.hypothesis == "two performances":
            said.append("not calibrated for this model: the confidence is a guess")
        return said

    def to_rerun(self, anyway: bool = False) -> Any:
        """A recording for the viewer Rerun; needs the extra `rerun`."""
        import actor_observer

        return actor_observer.to_rerun(self, anyway=anyway)

    def write(self, folder: str | Path) -> list[Path]:
        """Write `alignment.json` and, for files, `anchors.csv` into a folder; what was written is returned."""
        folder = Path(folder)
        written = [folder / "alignment.json"]
        write_text(written[0], json.dumps(self.to_dict(), indent=1, ensure_ascii=False) + "\n")
        if self.third and self.first and not is_signal(self.third) and not is_signal(self.first):
            written.append(folder / "anchors.csv")
            self.write_csv(written[1])
        return written

    def to_dict(self) -> dict[str, Any]:
        """Everything but the matrix, as plain numbers for `json.dumps`."""
        return {
            "third": self.third,
            "first": self.first,
            "lengths": {"third": _short(self.lengths[0]), "first": _short(self.lengths[1])},
            "verdict": self.verdict,
            "hypothesis": self.hypothesis,
            "offset": round(self.offset, 4),
            "offset_error": None if self.offset_error is None else round(self.offset_error, 4),
            "rate": round(self.rate, 7),
            "rate_error": round(self.rate_error, 7),
            "candidates": [
                {"offset": round(one.offset, 4), "rate": round(one.rate, 7), "share": round(one.share, 4)}
                for one in self.candidates
            ],
            "confidence": None if self.confidence is None else round(self.confidence, 4),
            "threshold": round(self.threshold, 4),
            "calibrated": self.calibrated,
            "evidence": {name: round(value, 3) for name, value in self.kinds.items()},
            "warnings": self.warnings,
            "best": _plain(self.best),
            "clock": str(self.clock),
            "look_rate": round(self.look_rate, 4),
            "figures": {name: round(value, 4) for name, value in self.figures.items()},
            "path": [_plain(point) for point in self.path],
            "moments": [_plain(point) for point in self.placed],
            "wearer": [
                {"time": _short(one.time), "box": [_short(side) for side in one.box], "share": _short(one.share)}
                for one in self.wearer
            ],
            "scores": self.scores.to_dict() if self.scores else None,
        }

    def write_csv(self, path: str | Path) -> None:
        """Write a `pairs.csv` of this one pair, its `clock` the anchor points: every command reads it back."""
        if is_signal(self.third) or is_signal(self.first):
            raise UserError("a pairs.csv names videos, and a signal is none; keep alignment.json instead")
        if not (self.third and self.first):
            raise UserError("pixels have no file that a pairs.csv could name; keep str(alignment.clock) instead")
        path = Path(path)
        name = stem_of(Path(self.third))
        row = {"id": name if is_safe_id(name) and path_in_csv(name) == name else "pair", "clock": str(self.clock)}
        for view, video in (("third", self.third), ("first", self.first)):
            row[view] = path_in_csv(os.path.relpath(Path(video).absolute(), path.absolute().parent))
        text = io.StringIO()
        writer = csv.DictWriter(text, ("id", "third", "first", "clock"), lineterminator="\n")
        writer.writeheader()
        writer.writerow(row)
        write_text(path, text.getvalue())


def _plain(point: Point) -> dict[str, float]:
    return {"third": _short(point.third), "first": _short(point.first), "confidence": _short(point.confidence)}


def _short(seconds: float) -> float:
    return round(seconds, 3)


def write_text(path: Path, text: str) -> None:
    """Write a file whole, its folder too; what prevents it is one line."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text.encode())
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror or error})") from error
    except UnicodeEncodeError as error:
        raise UserError(f"{path}: cannot be written (the name of a recording is no text; rename it)") from error

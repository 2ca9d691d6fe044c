"""The people's row of Table 2: how far off those who marked a data set were, read from its `agreement.json`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from actor_observer.errors import UserError, first_line
from actor_observer.evaluation.statistics.bootstrap import Interval

__all__ = ["FILE", "Markers", "read_markers"]

FILE = "agreement.json"


@dataclass(frozen=True)
class Markers:
    """Who marked, and how far off they were, in seconds.

    >>> half = Interval(0.5, 0.4, 0.6)
    >>> Markers(("bot",), False, "truth", half, half, half, 12, 12).label
    'marked by bot'
    >>> Markers(("ann", "bob"), True, "truth", half, half, half, 24, 12).label
    'Human (ann, bob)'
    """

    names: tuple[str, ...]
    people: bool  # whether all of them are people, as they said, and no program drove the page
    against: str  # "truth" or "each other"
    median: Interval
    mean: Interval
    within: Interval  # share of answers within a second
    answers: int
    pairs: int

    @property
    def label(self) -> str:
        """The row's name: *Human* only where people made it."""
        names = ", ".join(self.names)
        return f"Human ({names})" if self.people else f"marked by {names}"

    @property
    def note(self) -> str:
        """What the row rests on."""
        who = "" if self.people else " Not all of it was marked by people."
        return f"{self.label}: {self.answers} answers on {self.pairs} pairs in a study, against {self.against}.{who}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        figures = {name: interval_json(getattr(self, name)) for name in ("median", "mean", "within")}
        rest = {name: getattr(self, name) for name in ("people", "against", "answers", "pairs")}
        return {"names": list(self.names), **rest, **figures}


def interval_json(interval: Interval) -> dict[str, float | None]:
    """An interval as plain values; ends that are not known, as with a single pair, are None.

    >>> interval_json(Interval(0.5))["low"] is None
    True
    """
    values = {name: getattr(interval, name) for name in ("value", "low", "high")}
    return {name: value if math.isfinite(value) else None for name, value in values.items()}


def read_markers(data: Path) -> Markers | None:
    """The `agreement.json` beside a data set; None where there is none.

    >>> read_markers(Path("no-such-folder")) is None
    True
    """
    path = (data if data.is_dir() else data.parent) / FILE
    if not path.is_file():
        return None
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        names = tuple(str(name) for name in found["names"])
        figures = {name: _interval(found[name]) for name in ("median", "mean", "within")}
        return Markers(
            names=names,
            people=found["people"] is True,
            against=str(found["against"]),
            answers=int(found["answers"]),
            pairs=int(found["pairs"]),
            **figures,
        )
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise UserError(
            f"{path}: cannot be read ({first_line(error)}); make it again: actor-observer agreement DATA"
        ) from error


def _interval(value: Mapping[str, Any]) -> Interval:
    found = Interval(*(math.nan if value[name] is None else float(value[name]) for name in ("value", "low", "high")))
    if not math.isfinite(found.value):
        raise ValueError("not a number")
    return found

"""One thing that an audit found: where, what kind, how bad, and the sentence that says it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

__all__ = ["ALL", "KINDS", "Finding", "Severity", "worst_first"]

Severity = Literal["wrong", "check", "note"]
ORDER: tuple[Severity, ...] = ("wrong", "check", "note")
ALL = ""  # in place of a take's id: the whole data set

KINDS = {  # what each kind of finding means, in a few words
    "unreadable": "a file that is missing, empty or damaged",
    "another take": "a camera that shows another take",
    "exchanged": "two cameras of a take in each other's place",
    "same file": "two takes with the same recording",
    "shared delay": "a camera or signal that is late in all takes",
    "late": "a take whose offset is not the usual one",
    "unrelated": "two recordings of a take that do not show one event",
    "step": "an offset that changes within a take: frames are missing",
    "drift": "clocks that run at different speeds",
    "frozen": "the same picture while the other recordings move",
    "repeated": "single frames shown twice",
    "dropped": "frames missing, by the time stamps",
    "stamps": "time stamps that jump or disagree",
    "lengths": "recordings of a take that do not last equally long",
    "black": "a black picture",
    "blank": "a picture without anything in it",
    "blurred": "a picture less sharp than this camera's other takes",
    "constant": "a signal that never moves",
    "saturated": "a signal that stands at its limit",
    "equal": "two signals with the same numbers",
}


@dataclass(frozen=True)
class Finding:
    """One row of `audit.csv`, and one entry of `audit.json`.

    >>> print(Finding("tea-1", "late", "wrong", "third is 0.133 s late", ("third", "first"), 0.133, 0.02))
    wrong  tea-1  late: third is 0.133 s late
    """

    take: str  # its id; "" for the whole data set
    kind: str  # one of `KINDS`
    severity: Severity  # wrong: surely; check: look at it; note: good to know
    text: str  # one sentence
    recordings: tuple[str, ...] = ()  # names of the cameras and signals that it is about
    offset: float | None = None  # seconds: the first of the recordings is so much later than the data set says
    error: float | None = None  # half-width of the offset, 95 %
    start: float | None = None  # seconds of the first recording
    end: float | None = None
    takes: tuple[str, ...] = ()  # other takes that it is about

    def __str__(self) -> str:
        return f"{self.severity:<6} {self.take or 'all takes'}  {self.kind}: {self.text}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        told = asdict(self)
        return {
            name: round(value, 4) if isinstance(value, float) else list(value) if isinstance(value, tuple) else value
            for name, value in told.items()
        }


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Sorted: what concerns all takes first, then by severity, kind and take.

    >>> some = Finding("b", "blurred", "check", ""), Finding("a", "late", "wrong", "")
    >>> [found.kind for found in worst_first(some)]
    ['late', 'blurred']
    """
    kinds: Sequence[str] = [*KINDS]
    return sorted(
        findings, key=lambda one: (ORDER.index(one.severity), one.take != ALL, kinds.index(one.kind), one.take)
    )

"""A label: a moment or a stretch that somebody, or `align`, put a name to."""

from __future__ import annotations

from dataclasses import dataclass

from actor_observer.errors import UserError

__all__ = ["LONGEST", "Label", "Medium"]

OWN = {("shared", "in all recordings"), ("moments", "best moment")}  # tier and text of what `align` says by itself
LONGEST = 1e6  # seconds that a label may lie at
MOST_TEXT = 10_000  # characters


@dataclass(frozen=True)
class Label:
    """Seconds of a clock that all recordings share, and words.

    >>> Label(2.0, None, "grasp").at(10.0)
    Label(start=12.0, end=None, text='grasp', comment='', tier='marks')
    """

    start: float
    end: float | None  # None: a moment
    text: str
    comment: str = ""
    tier: str = "marks"  # the line that it stands on

    def __post_init__(self) -> None:
        if not -LONGEST < self.start < LONGEST or not (self.end is None or self.start <= self.end < LONGEST):
            raise UserError(f"a label from {self.start:g} to {self.end} s: it ends before it begins, or has no time")
        if len(self.text) + len(self.comment) > MOST_TEXT:
            raise UserError(f"a label of more than {MOST_TEXT} characters")

    @property
    def ours(self) -> bool:
        """Whether `align` says so by itself, and nobody marked it."""
        return (self.tier, self.text) in OWN

    def at(self, later: float) -> Label:
        """The same on a clock that reads so many seconds more."""
        end = None if self.end is None else self.end + later
        return Label(self.start + later, end, self.text, self.comment, self.tier)


@dataclass(frozen=True)
class Medium:
    """A recording that labels belong to."""

    name: str  # of the file
    url: str  # quoted, as seen from the labels' folder; "" where it lies nowhere
    origin: float  # its own time, in seconds, where the labels' clock reads zero
    sound: bool = False  # a sound recorder's
    numbers: bool = False  # a signal's

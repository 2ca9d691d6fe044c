"""What was recorded: takes, the pairs they form, and everything the readers found wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from actor_observer.pairs.clock import Clock

__all__ = ["SPLITS", "VIEWS", "Action", "Fault", "Manifest", "Pair", "Split", "Take", "View"]

View = Literal["third", "first"]
Split = Literal["train", "validation", "test"]
VIEWS: tuple[View, ...] = ("third", "first")
SPLITS: tuple[Split, ...] = ("train", "validation", "test")


@dataclass(frozen=True)
class Action:
    """A labelled stretch of a take, in that take's own seconds: an action, or a phase of one.

    >>> Action("c092", 11.9, 21.2).length
    9.3
    """

    label: str
    start: float
    end: float

    @property
    def length(self) -> float:
        return round(self.end - self.start, 9)


@dataclass(frozen=True)
class Take:
    """One recording from one view: a video file, or a folder of frames.

    >>> Take("AB1CD", "third", Path("videos/AB1CD.mp4"), length=31.2).path.name
    'AB1CD.mp4'
    """

    id: str
    view: View
    path: Path
    length: float  # seconds
    subject: str = ""  # who acts; "" when unknown
    scene: str = ""  # where
    script: str = ""  # what they were asked to do
    actions: tuple[Action, ...] = ()
    phases: tuple[Action, ...] = ()
    frame_rate: float | None = None  # of a folder of frames; a video file knows its own times
    split: Split | None = None  # None: in no split
    event: str = ""  # takes of one event were recorded together; "" where the data does not say


@dataclass(frozen=True)
class Pair:
    """A third-person and a first-person take of one script, and the clock between them.

    >>> Pair("AB1CD", third="AB1CD", first="AB1CDEGO", clock=Clock.scaled(30.0, 24.0)).same_person
    True
    """

    id: str
    third: str  # take id
    first: str  # take id
    clock: Clock
    same_person: bool = True
    split: Split | None = None
    signals: tuple[Path, ...] = ()  # files of numbers that were measured beside the cameras


@dataclass(frozen=True)
class Fault:
    """One thing wrong with the data: which file, what, and whether the take was left out because of it.

    >>> print(Fault("videos/AB1CD.mp4", "the file is empty", left_out=True))
    videos/AB1CD.mp4: the file is empty (left out)
    """

    path: str
    what: str
    left_out: bool = False

    def __str__(self) -> str:
        return f"{self.path}: {self.what}{' (left out)' if self.left_out else ''}"


@dataclass(frozen=True)
class Manifest:
    """All takes and pairs of a data set, made by the readers and used by everything else.

    >>> take = Take("a", "third", Path("a.mp4"), length=9.0, split="train")
    >>> Manifest({"a": take}).of("train").takes.keys()
    dict_keys(['a'])
    """

    takes: Mapping[str, Take]
    pairs: tuple[Pair, ...] = ()
    classes: Mapping[str, str] = field(default_factory=dict)  # label -> name, in class order
    faults: tuple[Fault, ...] = ()
    notes: tuple[str, ...] = ()  # what was decided on the user's behalf

    def of(self, split: Split) -> Manifest:
        """The takes and pairs of one split, with every take that its pairs need."""
        pairs = tuple(pair for pair in self.pairs if pair.split == split)
        needed = {take for pair in pairs for take in (pair.third, pair.first)}
        takes = {id: take for id, take in self.takes.items() if take.split == split or id in needed}
        return replace(self, takes=takes, pairs=pairs)

    def without(self, faults: Mapping[str, Fault]) -> Manifest:
        """The manifest without the takes that have these faults (take id -> fault) and without their pairs.

        >>> take = Take("a", "third", Path("a.mp4"), length=9.0)
        >>> len(Manifest({"a": take}).without({"a": Fault("a.mp4", "cut short", left_out=True)}).takes)
        0
        """
        takes = {id: take for id, take in self.takes.items() if id not in faults}
        pairs = tuple(pair for pair in self.pairs if pair.third in takes and pair.first in takes)
        return replace(self, takes=takes, pairs=pairs, faults=(*self.faults, *faults.values()))

    def lengths(self, pair: Pair) -> tuple[float, float]:
        """Seconds of the third-person and the first-person take of a pair."""
        return self.takes[pair.third].length, self.takes[pair.first].length

    def labelled(self, takes: Iterable[Take] | None = None) -> list[Take]:
        """Third-person takes with action labels: of all takes, or of those given.

        >>> take = Take("a", "third", Path("a.mp4"), 9.0, actions=(Action("c001", 2.0, 5.0),))
        >>> len(Manifest({"a": take}).labelled()), len(Manifest({"a": take}).labelled([]))
        (1, 0)
        """
        among = self.takes.values() if takes is None else takes
        return [take for take in among if take.view == "third" and take.actions]

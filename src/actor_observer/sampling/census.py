"""The census of a data set: what it holds, what can be drawn from it, and what is wrong with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from actor_observer.pairs.manifest import SPLITS, Manifest, Pair, Take
from actor_observer.sampling.quads import count_quads
from actor_observer.sampling.triplets import TripletSource

__all__ = ["Census", "ClassCount", "SplitCount", "take_census"]


@dataclass(frozen=True)
class SplitCount:
    """One row of the table: a split, or everything."""

    split: str
    takes_third: int
    takes_first: int
    mean_length: float  # seconds, over takes
    hours: float
    subjects: int
    scenes: int
    scripts: int
    labelled_takes: int  # third-person takes with actions
    pairs_same_person: int
    pairs_different_persons: int
    triplets: int  # anchors x in an epoch, one a second
    quads: int  # on a grid of one second
    pairs_too_short: int  # without any triplet


@dataclass(frozen=True)
class ClassCount:
    label: str
    name: str
    segments: int
    takes_third: int
    takes_first: int


@dataclass(frozen=True)
class Census:
    """Everything that `inspect` prints."""

    near: float
    far: float
    total: SplitCount
    splits: tuple[SplitCount, ...]
    classes: tuple[ClassCount, ...]
    faults: tuple[str, ...]
    left_out: int  # takes or rows that could not be used
    notes: tuple[str, ...]

    @property
    def pairs(self) -> int:
        return self.total.pairs_same_person + self.total.pairs_different_persons

    def to_dict(self) -> dict[str, Any]:
        """A plain dictionary: `pairs`, `takes` and `action_classes` first, then every field."""
        takes = self.total.takes_third + self.total.takes_first
        used = sum(count.segments > 0 for count in self.classes)
        return {
            "pairs": self.pairs,
            "takes": takes,
            "action_classes": len(self.classes),
            "classes_used": used,
        } | asdict(self)


def take_census(manifest: Manifest, near: float = 1.0, far: float = 10.0) -> Census:
    """Count a manifest.

    >>> take_census(Manifest({})).to_dict()["pairs"]
    0
    """
    rows = {split: manifest.of(split) for split in SPLITS}
    return Census(
        near=near,
        far=far,
        total=_count("all", manifest, near, far),
        splits=tuple(_count(split, part, near, far) for split, part in rows.items() if part.takes),
        classes=_classes(manifest),
        faults=tuple(str(fault) for fault in manifest.faults),
        left_out=sum(fault.left_out for fault in manifest.faults),
        notes=manifest.notes,
    )


def _count(split: str, manifest: Manifest, near: float, far: float) -> SplitCount:
    takes = list(manifest.takes.values())
    source = TripletSource(manifest, near=near, far=far)
    seconds = sum(take.length for take in takes)
    return SplitCount(
        split=split,
        takes_third=sum(take.view == "third" for take in takes),
        takes_first=sum(take.view == "first" for take in takes),
        mean_length=round(seconds / len(takes), 2) if takes else 0.0,
        hours=round(seconds / 3600, 3),
        subjects=_distinct(take.subject for take in takes),
        scenes=_distinct(take.scene for take in takes),
        scripts=_distinct(take.script for take in takes),
        labelled_takes=len(manifest.labelled()),
        pairs_same_person=_same(manifest.pairs),
        pairs_different_persons=len(manifest.pairs) - _same(manifest.pairs),
        triplets=len(source),
        quads=sum(count_quads(manifest, pair, far) for pair in manifest.pairs),
        pairs_too_short=len(source.skipped),
    )


def _classes(manifest: Manifest) -> tuple[ClassCount, ...]:
    segments: Counter[str] = Counter()
    takes: dict[str, Counter[str]] = {"third": Counter(), "first": Counter()}
    for take in manifest.takes.values():
        segments.update(action.label for action in take.actions)
        takes[take.view].update(_labels(take))
    return tuple(
        ClassCount(label, name, segments[label], takes["third"][label], takes["first"][label])
        for label, name in manifest.classes.items()
    )


def _labels(take: Take) -> set[str]:
    return {action.label for action in take.actions}


def _same(pairs: Sequence[Pair]) -> int:
    return sum(pair.same_person for pair in pairs)


def _distinct(values: Iterable[str]) -> int:
    return len({value for value in values if value})

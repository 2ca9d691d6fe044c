"""Labelled third-person frames: what the classifier learns from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from actor_observer.pairs.manifest import Manifest, Pair, Take
from actor_observer.pairs.splits import same_script
from actor_observer.sampling.rows import Rows

__all__ = ["Labelled", "LabelledSource", "Tie", "apart_from"]

Tie = Literal["clip", "subject", "script"]


@dataclass(frozen=True)
class Labelled(Rows):
    """A batch of third-person frames with one label each."""

    take: NDArray[np.int64]  # (B,) number of the take in the source's `takes`
    time: NDArray[np.float64]  # (B,) seconds
    label: NDArray[np.int64]  # (B,) number of the class in the manifest's `classes`


class LabelledSource:
    """(frame, label) of third-person takes: `per_second` items for each second of each action, at least one.

    A frame in two actions counts once for each, as in the softmax training of the paper.

    >>> from pathlib import Path
    >>> from actor_observer.pairs import Action
    >>> take = Take("a", "third", Path("a.mp4"), 9.0, actions=(Action("c001", 2.0, 5.0),))
    >>> source = LabelledSource(Manifest({"a": take}, classes={"c000": "sit", "c001": "stand"}))
    >>> len(source), source.draw(np.arange(3), np.random.default_rng(0)).label.tolist()
    (3, [1, 1, 1])
    """

    def __init__(self, manifest: Manifest, takes: Iterable[Take] | None = None, per_second: float = 1.0) -> None:
        if not per_second > 0:
            raise ValueError(f"per_second must be positive, not {per_second}")
        self.takes = manifest.labelled(takes)
        number = {label: place for place, label in enumerate(manifest.classes)}
        rows = [
            (place, action.start, action.end, number[action.label])
            for place, take in enumerate(self.takes)
            for action in take.actions
        ]
        self._take, start, end, self._label = np.array(rows, dtype=float).reshape(-1, 4).T
        self._start, self._length = start, end - start
        self._counts = np.maximum(1, (self._length * per_second + 1e-9).astype(np.int64))
        self._ends = np.cumsum(self._counts)

    def __len__(self) -> int:
        return int(self._counts.sum())

    def draw(self, items: NDArray[np.int64], rng: np.random.Generator) -> Labelled:
        """Frames for these items (0 … len - 1), each uniform in its part of its action."""
        action = np.searchsorted(self._ends, items, side="right")  # (B,)
        count = self._counts[action]
        number = items - (self._ends[action] - count)
        share = (number + rng.random(len(items))) / count
        time = self._start[action] + share * self._length[action]
        return Labelled(self._take[action].astype(np.int64), time, self._label[action].astype(np.int64))


def apart_from(
    manifest: Manifest, pairs: Sequence[Pair], ties: Iterable[Tie] = ("clip", "subject", "script")
) -> tuple[list[Take], Counter[Tie]]:
    """Labelled takes that have none of these in common with the pairs, and how many were left out for each.

    Labels of clips whose pairs train the embedding reach the first person through the pairs, so a fair zero-shot test
    keeps the two apart. Takes that name no subject cannot be kept apart by it.

    >>> apart_from(Manifest({}), pairs=[])
    ([], Counter())
    """
    used = [manifest.takes[id] for pair in pairs for id in (pair.third, pair.first)]
    taken: dict[Tie, set[str]] = {
        "clip": {take.id for take in used},
        "subject": {take.subject for take in used if take.subject},
        "script": {same_script(take.script) for take in used if take.script},
    }
    kept, left_out = [], Counter[Tie]()
    for take in manifest.labelled():
        own: dict[Tie, str] = {"clip": take.id, "subject": take.subject, "script": same_script(take.script)}
        tie = next((tie for tie in ties if own[tie] in taken[tie]), None)
        if tie is None:
            kept.append(take)
        else:
            left_out[tie] += 1
    return kept, left_out

"""Exact truth, where a data set has it (`truth/` of a playhouse set): used here and in pictures, never in training."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actor_observer.errors import UserError
from actor_observer.features.embedding_files import UNREADABLE, read_npz
from actor_observer.pairs.clock import Clock
from actor_observer.pairs.manifest import Pair
from actor_observer.pairs.table import is_safe_id, read_table

__all__ = ["Truth", "find_truth"]


@dataclass(frozen=True)
class Truth:
    """The exact clocks of pairs, and what every frame of a take shows."""

    folder: Path
    clocks: dict[tuple[str, str], Clock]  # (third take, first take) -> clock

    def exact(self, pairs: Iterable[Pair]) -> tuple[Pair, ...]:
        """The pairs with their exact clocks; a pair without one is left out."""
        known = [pair for pair in pairs if (pair.third, pair.first) in self.clocks]
        return tuple(replace(pair, clock=self.clocks[pair.third, pair.first]) for pair in known)

    def frames(self, take: str) -> dict[str, NDArray[Any]] | None:
        """The arrays of a take's frames (`time`, `hands_visible`, `object_visible`, …), or None."""
        path = self.folder / f"{take}.npz"
        if not is_safe_id(take) or not path.is_file():
            return None
        try:
            return read_npz(path)
        except UNREADABLE:
            raise UserError(f"{path}: damaged, or not of plain arrays; make or copy the set again") from None

    def at(self, take: str, times: NDArray[np.float64], name: str) -> NDArray[Any] | None:
        """One of a take's arrays at given times: the values of the frames on screen."""
        frames = self.frames(take)
        if frames is None or name not in frames:
            return None
        if "time" not in frames or not 0 < len(frames["time"]) == len(frames[name]):
            raise UserError(f"{self.folder / take}.npz: damaged; make or copy the set again")
        on_screen = np.clip(np.searchsorted(frames["time"], times + 1e-4, side="right") - 1, 0, len(frames["time"]) - 1)
        return np.asarray(frames[name][on_screen])


def find_truth(data: Path) -> Truth | None:
    """The truth next to a data set, if it has any.

    >>> find_truth(Path("no-such-folder")) is None
    True
    """
    folder = (data if data.is_dir() else data.parent) / "truth"
    if not (folder / "clocks.csv").is_file():
        return None
    clocks = {}
    for row in read_table(folder / "clocks.csv", required=("third", "first", "clock")):
        try:
            clocks[row["third"], row["first"]] = Clock.parse(row["clock"])
        except ValueError as error:
            raise UserError(f"{folder / 'clocks.csv'}: {row['third']}: {error}") from None
    return Truth(folder, clocks)

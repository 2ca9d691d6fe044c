"""The order of training: batches fixed by (seed, epoch, step), divided among ranks, resumable at any step."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from actor_observer.errors import UserError

__all__ = ["Batch", "Source", "Stream", "step_rng"]


class Batch(Protocol):
    """Anything with a row for each item that can be sliced."""

    def __getitem__(self, rows: slice, /) -> Self: ...


B = TypeVar("B", bound=Batch)
B_co = TypeVar("B_co", bound=Batch, covariant=True)


class Source(Protocol[B_co]):
    """Numbered items, and a way to draw a batch of some of them at random."""

    def __len__(self) -> int: ...

    def draw(self, items: NDArray[np.int64], rng: np.random.Generator) -> B_co: ...


def step_rng(seed: int, epoch: int, step: int, purpose: str) -> np.random.Generator:
    """Random numbers for one step and purpose (`"items"`, `"crops"`, …): the same on every rank, and when resumed.

    >>> step_rng(0, epoch=1, step=2, purpose="crops").random() == step_rng(0, 1, 2, "crops").random()
    True
    """
    return np.random.default_rng([seed, epoch, step, zlib.crc32(purpose.encode())])


class Stream(Generic[B]):
    """Batches of a source for one rank.

    Every epoch visits the items in a new order. All ranks draw the same global batch and each takes its own part,
    so that R ranks of batch b see exactly what one rank of batch R·b sees. Items that do not fill a global batch
    are left out of this epoch (another order leaves out others next time) and counted in `left_over`.

    >>> from actor_observer.sampling.triplets import TripletSource
    >>> len(Stream(TripletSource.of_lengths([(60.0, 60.0)]), batch=15))
    4
    """

    def __init__(self, source: Source[B], batch: int, seed: int = 0, rank: int = 0, ranks: int = 1) -> None:
        if batch < 1 or not 0 <= rank < ranks:
            raise ValueError(f"batch must be at least 1 and 0 <= rank < ranks, not {batch}, {rank}, {ranks}")
        self.source, self.batch, self.seed, self.rank, self.ranks = source, batch, seed, rank, ranks
        self.global_batch = batch * ranks
        self.left_over = len(source) % self.global_batch
        if not len(self):
            raise UserError(
                f"{len(source)} items do not fill one batch of {self.global_batch}: lower the batch, or give more data"
            )

    def __len__(self) -> int:
        """Steps per epoch, the same on every rank."""
        return len(self.source) // self.global_batch

    def epoch(self, epoch: int, start: int = 0) -> Iterator[B]:
        """The rank's batches of one epoch, beginning at step `start`; nothing is drawn for the steps before it."""
        order = np.random.default_rng([self.seed, epoch]).permutation(len(self.source))
        mine = slice(self.rank * self.batch, (self.rank + 1) * self.batch)
        for step in range(start, len(self)):
            items = order[step * self.global_batch : (step + 1) * self.global_batch]
            yield self.source.draw(items, step_rng(self.seed, epoch, step, "items"))[mine]

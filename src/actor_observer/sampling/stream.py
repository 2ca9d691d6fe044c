"""The order of training: batches fixed by (seed, epoch, step), divided among ranks, resumable at any step."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from actor_observer.errors import UserError

__all__ = ["Batch", "Source", "Stream", "mixed_order", "step_rng"]


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


def mixed_order(shards: NDArray[np.int64], reach: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """A random order of items in which those of a shard (N,) stay near each other: a shuffle buffer in one formula.

    Shards follow each other at random, and so do the items of each. Then the item at place p gets the key p + u,
    u ~ U(0, reach), and keys are sorted: no item moves further than `reach`, so that a reader who keeps the last
    `reach` items of a sequence of shards has all that a batch needs.

    >>> mixed_order(np.array([0, 0, 1, 1, 2, 2]), 1, np.random.default_rng(0)) // 2  # reach 1: shard after shard
    array([1, 1, 2, 2, 0, 0])
    """
    _, shard = np.unique(shards, return_inverse=True)
    place = rng.permutation(int(shard.max(initial=0)) + 1)[shard]
    in_turn = np.lexsort((rng.random(len(shards)), place))
    return in_turn[np.argsort(np.arange(len(shards)) + reach * rng.random(len(shards)), kind="stable")]


class Stream(Generic[B]):
    """Batches of a source for one rank.

    Every epoch visits the items in a new order. All ranks draw the same global batch and each takes its own part,
    so that R ranks of batch b see exactly what one rank of batch R·b sees. Items that do not fill a global batch
    are left out of this epoch (another order leaves out others next time) and counted in `left_over`.

    >>> from actor_observer.sampling.triplets import TripletSource
    >>> len(Stream(TripletSource.of_lengths([(60.0, 60.0)]), batch=15))
    4
    """

    def __init__(
        self,
        source: Source[B],
        batch: int,
        seed: int = 0,
        rank: int = 0,
        ranks: int = 1,
        shards: NDArray[np.int64] | None = None,  # (items,) where the data of each lie; None: anywhere
        mixed: int = 1,  # shards whose items are mixed with each other
    ) -> None:
        if batch < 1 or not 0 <= rank < ranks:
            raise ValueError(f"batch must be at least 1 and 0 <= rank < ranks, not {batch}, {rank}, {ranks}")
        self.source, self.batch, self.seed, self.rank, self.ranks = source, batch, seed, rank, ranks
        self.global_batch = batch * ranks
        self.shards, self.mixed = shards, mixed
        self._order: tuple[int, NDArray[np.int64]] | None = None  # of the epoch asked for last
        self.left_over = len(source) % self.global_batch
        if not len(self):
            raise UserError(
                f"{len(source)} items do not fill one batch of {self.global_batch}: lower the batch, or give more data"
            )

    def __len__(self) -> int:
        """Steps per epoch, the same on every rank."""
        return len(self.source) // self.global_batch

    def order(self, epoch: int) -> NDArray[np.int64]:
        """All items in the order of one epoch, the same on every rank."""
        known = self._order
        if known is not None and known[0] == epoch:
            return known[1]
        rng = np.random.default_rng([self.seed, epoch])
        if self.shards is None:
            found = rng.permutation(len(self.source))
        else:
            reach = self.mixed * len(self.shards) // max(1, len(np.unique(self.shards)))
            found = mixed_order(self.shards, reach, rng)
        self._order = epoch, found
        return found

    def epoch(self, epoch: int, start: int = 0) -> Iterator[B]:
        """The rank's batches of one epoch, beginning at step `start`; nothing is drawn for the steps before it."""
        order = self.order(epoch)
        mine = slice(self.rank * self.batch, (self.rank + 1) * self.batch)
        for step in range(start, len(self)):
            items = order[step * self.global_batch : (step + 1) * self.global_batch]
            yield self.source.draw(items, step_rng(self.seed, epoch, step, "items"))[mine]

"""Which pairs are drawn again for an interval: pairs that share a take are not independent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from actor_observer.pairs.manifest import Pair

__all__ = ["FEWEST_GROUPS", "Resampling"]

FEWEST_GROUPS = 10  # with fewer groups, drawing whole groups says little about the spread
AT_ONCE = 50  # replicates drawn together
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Resampling:
    """How often each pair counts in a replicate.

    Pairs without a take in common are drawn one by one. Pairs that share takes are drawn in groups: all pairs that are
    linked by shared takes stay together. With fewer than `FEWEST_GROUPS` such groups, third-person and first-person
    takes are drawn separately, and a pair counts as often as the product of its two takes (the pigeonhole bootstrap,
    which errs towards wide intervals).
    """

    third: Numbers  # (P,) number of each pair's third-person take
    first: Numbers  # (P,)
    group: Numbers  # (P,) number of the group of linked pairs

    @classmethod
    def of(cls, pairs: Sequence[Pair]) -> Resampling:
        """The resampling that these pairs need.

        >>> from actor_observer.pairs import Clock
        >>> clock = Clock.scaled(9, 9)
        >>> Resampling.of([Pair("1", "a", "x", clock), Pair("2", "b", "x", clock), Pair("3", "c", "y", clock)]).group
        array([0, 0, 1])
        """
        third = np.unique([pair.third for pair in pairs], return_inverse=True)[1]
        first = np.unique([pair.first for pair in pairs], return_inverse=True)[1]
        return cls(third, first, _linked(third, first))

    @classmethod
    def independent(cls, count: int) -> Resampling:
        """For `count` videos with nothing in common.

        >>> Resampling.independent(3).how
        'pairs'
        """
        numbers = np.arange(count)
        return cls(numbers, numbers, numbers)

    def among(self, kept: Numbers) -> Resampling:
        """The resampling of some of the pairs, in that order."""
        columns = (self.third, self.first, self.group)
        return Resampling(*(np.unique(column[kept], return_inverse=True)[1] for column in columns))

    @cached_property
    def how(self) -> Literal["pairs", "groups", "takes"]:
        """What is drawn: pairs, groups of linked pairs, or takes of each view."""
        if _distinct(self.group) == len(self.group):
            return "pairs"
        return "groups" if _distinct(self.group) >= FEWEST_GROUPS else "takes"

    @cached_property
    def units(self) -> int:
        """How many independent things are drawn; one is too few for an interval."""
        if self.how == "takes":
            return min(_distinct(self.third), _distinct(self.first))
        return _distinct(self.group)

    def draws(self, rng: np.random.Generator, replicates: int) -> Iterator[NDArray[np.float64]]:
        """How often each pair counts in each replicate (P,).

        >>> [*Resampling.independent(3).draws(np.random.default_rng(0), 2)]
        [array([0., 2., 1.]), array([3., 0., 0.])]
        """
        if self.how == "takes":
            for _ in range(replicates):
                yield _draw(self.third, rng)[0] * _draw(self.first, rng)[0]
            return
        for start in range(0, replicates, AT_ONCE):
            yield from _draw(self.group, rng, min(AT_ONCE, replicates - start))

    def in_words(self) -> str:
        """A note for the table.

        >>> Resampling.independent(22).in_words()
        'Intervals over 22 pairs.'
        """
        groups = _distinct(self.group)
        if self.how == "pairs":
            return (
                f"Intervals over {groups} pairs."
                if groups > 1
                else ("One pair: no interval." if groups else "No pairs.")
            )
        if self.how == "groups":
            return f"Intervals over {groups} groups of pairs that share takes, as wholes."
        takes = f"{_distinct(self.third)} third-person and {_distinct(self.first)} first-person takes"
        if self.units == 1:
            return f"All pairs share one take ({takes}): no intervals."
        return f"Intervals over {takes}, separately, because pairs share takes and form fewer than 10 groups."


def _linked(third: Numbers, first: Numbers) -> Numbers:
    """Number the connected groups of the graph whose nodes are takes and whose edges are pairs."""
    if not len(third):
        return np.empty(0, dtype=np.int64)
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    thirds, firsts = int(third.max()) + 1, int(first.max()) + 1
    size = thirds + firsts
    edges = coo_array((np.ones(len(third)), (third, thirds + first)), shape=(size, size))
    group = connected_components(edges, directed=False)[1][third]
    return np.asarray(np.unique(group, return_inverse=True)[1], dtype=np.int64)


def _distinct(numbers: Numbers) -> int:
    return len(np.unique(numbers))


def _draw(unit: Numbers, rng: np.random.Generator, replicates: int = 1) -> NDArray[np.float64]:
    """How often each item counts (R, P) where its unit is drawn with replacement."""
    count = int(unit.max()) + 1
    drawn = rng.integers(0, count, (replicates, count)) + count * np.arange(replicates)[:, None]
    return np.bincount(drawn.ravel(), minlength=replicates * count).reshape(replicates, count).astype(float)[:, unit]

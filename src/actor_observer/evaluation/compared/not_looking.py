"""The rival that does not look: both videos run in proportion, from start to end, and nobody sees a pixel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from actor_observer.evaluation.compared.method import Method, Protocol
from actor_observer.evaluation.measures.correspondence import quad_distances
from actor_observer.features.embeddings import Embeddings, TakeEmbedding
from actor_observer.pairs.clock import Clock
from actor_observer.pairs.manifest import Manifest, Pair
from actor_observer.sampling.quads import Quads, quads

__all__ = ["CANNOT_TELL", "IN_PROPORTION", "Proportion", "harder_quads", "positions"]

IN_PROPORTION = "in proportion (no pixels)"
CANNOT_TELL = (
    f"The row {IN_PROPORTION} is empty: by these pairs' own clocks both videos run in proportion from start to end, "
    "so that this rule is the truth. Such a set cannot tell what a method adds to it."
)
_SAME = 0.1  # seconds: a clock that is nowhere further from scaled lengths says no more than they do
_SAME_SHARE = 0.01  # of the third-person take, if that is more


@dataclass(frozen=True)
class Proportion:
    """The rule for some pairs, as a method; `method` is None where most pairs' clocks are the rule itself.

    Two performances of one script take nearly the same course, so a rule that maps t/length to t/length can be very
    good at what looks like understanding. Whatever a method gets, this stands beside it.
    """

    method: Method | None

    @classmethod
    def of(cls, embeddings: Embeddings, pairs: Sequence[Pair], trained: Embeddings | None = None) -> Proportion:
        """For the takes of these embeddings, whose features are not used.

        >>> takes = {id: TakeEmbedding("third", np.arange(0.5, 9), np.zeros((9, 1))) for id in "ax"}
        >>> Proportion.of(Embeddings(takes), [Pair("1", "a", "x", Clock.scaled(9, 9))]).method is None
        True
        >>> found = Proportion.of(Embeddings(takes), [Pair("1", "a", "x", Clock(((0.0, 2.0),)))]).method
        >>> found.embeddings["a"].features[4].tolist()
        [0.5]
        """
        if 2 * sum(_told_by_lengths(embeddings, pair) for pair in pairs) > len(pairs):
            return cls(None)
        return cls(Method(IN_PROPORTION, positions(embeddings), temporal=False, trained=positions(trained or {})))

    @property
    def notes(self) -> tuple[str, ...]:
        """What a table must say about it."""
        return () if self.method else (CANNOT_TELL,)


def positions(embeddings: Embeddings | dict[str, TakeEmbedding]) -> Embeddings:
    """The same takes and times, with nothing but each frame's place in its take, from 0 to 1."""
    return Embeddings(
        {
            id: TakeEmbedding(take.view, take.times, np.asarray(take.times / take.length)[:, None])
            for id, take in embeddings.items()
        }
    )


def harder_quads(manifest: Manifest, pairs: Sequence[Pair], embeddings: Embeddings, p: Protocol) -> tuple[Quads, int]:
    """The quads in which the rule takes the wrong moment for at least one of the two, and of how many they are.

    All quads of a pair are looked through, and at most `per_pair` of the harder ones are drawn. The choice does not
    change when i and j do, so that a rule blind to the third person still gets 50 %.
    """
    every, _ = quads(manifest, pairs, p.far, p.step, None, p.seed, p.far_share)
    wrong = np.flatnonzero(quad_distances(positions(embeddings), every, pairs).right() < 0.75)
    rng = np.random.default_rng(p.seed)
    drawn: list[NDArray[np.intp]] = []
    for number in np.unique(every.pair[wrong]):
        own = wrong[every.pair[wrong] == number]
        drawn.append(np.sort(rng.choice(own, p.per_pair, replace=False)) if len(own) > p.per_pair else own)
    return every[np.concatenate(drawn) if drawn else wrong], len(every)


def _told_by_lengths(embeddings: Embeddings, pair: Pair) -> bool:
    """Whether the pair's clock is scaled lengths, all along the first-person take."""
    third, first = embeddings[pair.third], embeddings[pair.first]
    scaled = Clock.scaled(third.length, first.length)
    shown = first.times[pair.clock.first_in_both(first.times)]
    apart = np.abs(pair.clock.to_third(shown) - scaled.to_third(shown)).max(initial=0.0)
    return bool(apart <= max(_SAME, _SAME_SHARE * third.length))

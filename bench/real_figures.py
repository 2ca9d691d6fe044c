"""The tables of bench/real.py: one row for each method, pooled over folds, averaged over seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from actor_observer.evaluation.compared.exchange import exchanged
from actor_observer.evaluation.compared.method import Protocol
from actor_observer.evaluation.compared.not_looking import CANNOT_TELL, IN_PROPORTION
from actor_observer.evaluation.measures.correspondence import QuadDistances, quad_distances
from actor_observer.evaluation.measures.placement import Placement, place_all
from actor_observer.evaluation.measures.published_rules import PublishedTriplets, published_triplets
from actor_observer.evaluation.statistics.bootstrap import Interval
from actor_observer.evaluation.statistics.chance import UniformGuess
from actor_observer.evaluation.statistics.over_videos import Statistic, mean_of, median_of, share_of, top_share
from actor_observer.evaluation.tables.correspondence_tables import quad_weight
from actor_observer.evaluation.tables.layout import Cell, Figures
from actor_observer.features import Embeddings
from actor_observer.pairs import Manifest, Pair
from actor_observer.sampling import Quads, quads
from seeds import over_seeds

PROTOCOL = Protocol(near=0.1, far=1.0, far_share=0.5, moment=1.0, moment_share=0.5, step=1 / 12, per_pair=60)
SHARES = PROTOCOL.shares
PERCENT = tuple("all" if share == 1 else f"{100 * share:g} %" for share in SHARES)
REPLICATES = 500

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Tested:
    """A method's embeddings of all test takes, once for each seed; takes of different folds are never compared."""

    name: str
    seeds: tuple[Embeddings, ...]
    temporal: bool = False
    selects: bool = False


class Bench:
    """The questions that all methods get: the same quads, triplets and moments."""

    def __init__(self, manifest: Manifest, folds: Sequence[Sequence[Pair]]) -> None:
        self.manifest, self.folds = manifest, folds
        self.pairs = [pair for fold in folds for pair in fold]
        p = PROTOCOL
        self.quads: Quads = quads(manifest, self.pairs, p.far, p.step, p.per_pair, p.seed, p.far_share)[0]

    def over_seeds(self, statistics: Sequence[Statistic]) -> Interval:
        """The mean over seeds, with its interval over videos."""
        return over_seeds(statistics, len(self.pairs), REPLICATES)

    def distances(self, method: Tested) -> list[QuadDistances]:
        return [quad_distances(seed, self.quads, self.pairs) for seed in method.seeds]

    def difference(self, ours: Tested, theirs: Tested) -> Interval:
        """How much better ours is at fair correspondence: paired, over the same quads of the same videos."""
        mine, other = (np.mean([one.right() for one in self.distances(method)], axis=0) for method in (ours, theirs))
        return self.over_seeds([mean_of(mine - other, self.quads.pair)])

    def gaps(self, ours: Tested, methods: Sequence[Tested]) -> Figures:
        """How many points better ours is than each other method."""
        rows: dict[str, tuple[Cell, ...]] = {
            label(method): (self.difference(ours, method),) for method in methods if method is not ours
        }
        column = "points, all quads"
        return Figures("real-gaps", f"{ours.name} is better by (fair, paired)", (column,), rows, (column,))

    def fair(self, methods: Sequence[Tested]) -> Figures:
        rows: dict[str, tuple[Cell, ...]] = {"chance": (0.5,) * len(SHARES), IN_PROPORTION: (None,) * len(SHARES)}
        for method in methods:
            found = self.distances(method)
            choices = {"by margin": [one.margin() for one in found]}
            if method.selects:
                choices["by selector"] = [quad_weight(seed, self.quads, self.pairs) for seed in method.seeds]
            for how, chosen in choices.items():
                rows[f"{label(method)}, {how}"] = tuple(
                    self.over_seeds(
                        [top_share(d.right(), d.pair, c, share) for d, c in zip(found, chosen, strict=True)]
                    )
                    for share in SHARES
                )
            swapped = self.over_seeds([self.right_exchanged(seed) for seed in method.seeds])
            rows[f"{label(method)}, takes exchanged"] = (swapped, *[None] * (len(SHARES) - 1))
        notes = (
            f"{len(self.quads)} balanced quads of {len(np.unique(self.quads.pair))} pairs.",
            CANNOT_TELL,
            "Takes exchanged: with the first-person take of another pair of the fold, what the time alone gives.",
            "A share is chosen over the quads of all folds; a selector's weights are relative to their own take.",
        )
        return Figures("real-fair", "Correspondence, fair protocol (%)", PERCENT, rows, PERCENT, notes)

    def published(self, methods: Sequence[Tested]) -> Figures:
        columns = (*PERCENT, f"x thrown away, {PERCENT[-1]}")
        rows: dict[str, tuple[Cell, ...]] = {"chance": (0.5,) * len(columns)}
        found: list[PublishedTriplets] = []
        for method in methods:
            p = PROTOCOL
            found = [
                published_triplets(
                    replace_weights(seed, method.selects), self.manifest, self.pairs, p.far, p.seed, p.far_share
                )
                for seed in method.seeds
            ]
            cells: list[Cell] = [
                self.over_seeds([top_share(one.right(), one.pair, one.choice(), share) for one in found])
                for share in SHARES
            ]
            blind = [top_share(one.blind_right(), one.pair, one.choice(), SHARES[-1]) for one in found]
            rows[label(method)] = (*cells, self.over_seeds(blind))
        rows["best guess from positions alone"] = (found[0].position_score(), *[None] * (len(columns) - 1))
        notes = ("Chosen by the selector's weight where there is one, else by |d+ - d-|; one negative for each frame.",)
        return Figures("real-published", "Correspondence, published protocol (%)", columns, rows, columns, notes)

    def alignment(self, methods: Sequence[Tested]) -> Figures:
        columns = (
            *("best pair, median", "spread of its place", "every moment, mean over videos"),
            *("mean over moments", "median over moments", "takes exchanged, mean over videos"),
        )
        rows: dict[str, tuple[Cell, ...]] = {}
        for method in methods:
            placed = [placements(seed, self.pairs) for seed in method.seeds]
            if not rows:
                rows |= chance_rows(placed[0])
            swapped = [placements(seed, self.exchanged(seed)) for seed in method.seeds]
            rows[label(method)] = (
                self.over_seeds([best_error(one) for one in placed]),
                float(np.mean([np.std(np.concatenate([video.best_place for video in one])) for one in placed])),
                *(self.over_seeds([how(one) for one in placed]) for how in (per_video, per_moment, middle_moment)),
                None if method.temporal else self.over_seeds([per_video(one) for one in swapped]),
            )
        moments = sum(len(one.truth) for one in placed[0])
        notes = (
            f"{moments} moments of {len(self.pairs)} pairs. Frames are 1/12 s apart: an error of 0.08 s is one frame.",
        )
        return Figures("real-alignment", "Alignment, border-safe (s)", columns, rows, (), notes)

    def right_exchanged(self, embeddings: Embeddings) -> Statistic:
        """The share of quads right with takes exchanged, by pair."""
        p, others = PROTOCOL, self.exchanged(embeddings)
        asked, _ = quads(self.manifest, others, p.far, p.step, p.per_pair, p.seed, p.far_share)
        number = {pair.id: number for number, pair in enumerate(self.pairs)}
        whose = np.array([number[pair.id] for pair in others])[asked.pair]
        return share_of(quad_distances(embeddings, asked, others).right(), whose)

    def exchanged(self, embeddings: Embeddings) -> list[Pair]:
        """First-person takes of other pairs of the same fold."""
        return [pair for fold in self.folds for pair in exchanged(embeddings, fold)]

    def by_seed(self, methods: Sequence[Tested]) -> Figures:
        """The spread over seeds, and the score of each fold."""
        rows: dict[str, tuple[Cell, ...]] = {}
        ends = np.cumsum([len(fold) for fold in self.folds])
        columns = ("fair, each seed", "fair, each fold", "best pair, each seed", "every moment, each seed")
        for method in methods:
            found = self.distances(method)
            right = np.mean([one.right() for one in found], axis=0)
            fold = np.searchsorted(ends, self.quads.pair, side="right")
            placed = [placements(seed, self.pairs) for seed in method.seeds]
            ones = np.ones(len(self.pairs))
            rows[label(method)] = (
                listed([100 * one.right().mean() for one in found], 1),
                listed([100 * right[fold == number].mean() for number in range(len(ends))], 0),
                listed([best_error(one)(ones) for one in placed], 3),
                listed([per_video(one)(ones) for one in placed], 3),
            )
        return Figures("real-seeds", "Spread over seeds and folds (%, s)", columns, rows)


def chance_rows(placed: Sequence[Placement]) -> dict[str, tuple[Cell, ...]]:
    """A uniform guess, counted exactly, and always the middle."""
    grids = [(one.third, one.truth) for one in placed]
    each, all_moments = UniformGuess(grids, by_moment=False), UniformGuess(grids)
    both = [abs(one.middle - one.truth[len(one.truth) // 2]) for one in placed]
    middle = np.concatenate([one.middle_error for one in placed])
    by_video = float(np.mean([one.middle_error.mean() for one in placed]))
    return {
        "uniform guess": (each.median(), 12**-0.5, each.mean(), all_moments.mean(), all_moments.median(), None),
        "always the middle": (
            *(float(np.median(both)), 0.0, by_video),
            *(float(middle.mean()), float(np.median(middle)), None),
        ),
    }


def placements(embeddings: Embeddings, pairs: Sequence[Pair]) -> list[Placement]:
    """Where the moments of every pair were put; all of these pairs overlap."""
    found = place_all(embeddings, pairs, PROTOCOL.moment, PROTOCOL.moment_share)
    known = [one for one in found if one is not None]
    assert len(known) == len(found)
    return known


def best_error(placed: Sequence[Placement]) -> Statistic:
    return median_of(np.array([one.best_error for one in placed]), np.arange(len(placed)))


def per_video(placed: Sequence[Placement]) -> Statistic:
    return mean_of(np.array([one.error.mean() for one in placed]), np.arange(len(placed)))


def per_moment(placed: Sequence[Placement]) -> Statistic:
    return _of_moments(mean_of, placed)


def middle_moment(placed: Sequence[Placement]) -> Statistic:
    return _of_moments(median_of, placed)


def _of_moments(how: Callable[[Array, NDArray[np.integer]], Statistic], placed: Sequence[Placement]) -> Statistic:
    video = np.concatenate([np.full(len(one.truth), number) for number, one in enumerate(placed)])
    return how(np.concatenate([one.error for one in placed]), video)


def replace_weights(embeddings: Embeddings, selects: bool) -> Embeddings:
    """Drop the weights of a selector that was not trained."""
    if selects:
        return embeddings
    return Embeddings({id: replace(take, weight=None, weight_negative=None) for id, take in embeddings.items()})


def label(method: Tested) -> str:
    return f"{method.name} (uses time)" if method.temporal else method.name


def listed(values: Sequence[float], digits: int) -> str:
    return ", ".join(f"{value:.{digits}f}" for value in values)

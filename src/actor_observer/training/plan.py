"""What every step asks for: which frames, of which takes, at which times; fixed by (seed, epoch, step) alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actor_observer.errors import UserError
from actor_observer.frames.augment import Draws
from actor_observer.pairs.manifest import VIEWS, View
from actor_observer.sampling.labelled import Labelled, LabelledSource
from actor_observer.sampling.pair_moments import MomentSource, PairMoments
from actor_observer.sampling.rows import Rows
from actor_observer.sampling.stream import Stream, step_rng
from actor_observer.sampling.triplets import Triplets, TripletSource
from actor_observer.training.material import Material
from actor_observer.training.ranks import Ranks
from actor_observer.training.recipes import Recipe

__all__ = ["Asked", "Plan", "Planner"]

LABELLED_SEED = 7919  # added to the run's seed, so that labelled frames have an order of their own


@dataclass(frozen=True)
class Asked(Rows):
    """Frames asked for: V of them for each item (three of a triplet, both views' moments of a pair, one labelled)."""

    take: NDArray[np.int64]  # (N, V) number of the take in the material
    time: NDArray[np.float64]  # (N, V) seconds
    mark: NDArray[np.int64]  # (N,) number of the pair, or of the class


@dataclass(frozen=True)
class Plan:
    """One process's share of one part of a step."""

    paired: Asked
    labelled: Asked
    draws: tuple[Draws, Draws] | None = None  # of paired and labelled frames


class Planner:
    """Every step of a run, in any order: `planner.plan(number)` needs no other step to have been planned."""

    def __init__(
        self, recipe: Recipe, material: Material, ranks: Ranks, aspects: NDArray[np.float64] | None = None
    ) -> None:
        self.recipe, self.material, self.ranks = recipe, material, ranks
        self.aspects = aspects  # (takes,) width over height, where frames will be cropped
        self._number = {take.id: number for number, take in enumerate(material.takes)}
        paired, labelled = batch_sizes(recipe, bool(material.labels))
        self.paired = _paired_source(recipe, material, paired)
        self._paired = Stream[Any](self.paired, paired, recipe.seed) if self.paired is not None else None
        self._labelled = None
        if labelled:
            source = LabelledSource(material.train, material.labelled, recipe.rate)
            seed = recipe.seed + (LABELLED_SEED if self._paired else 0)
            # few labelled frames are no reason not to start: they come more often
            self._labelled = Stream(_Repeated(source, labelled), labelled, seed)
        self.steps_per_epoch = len(self._paired or self._labelled or ())
        self.steps = self.steps_per_epoch * recipe.epochs
        pairs = self.paired.pairs if self.paired is not None else []
        self._pair_takes = np.array([(self._number[p.third], self._number[p.first]) for p in pairs]).reshape(-1, 2)
        self._labelled_takes = np.array([self._number[take.id] for take in material.labelled], dtype=np.int64)
        for size in (paired, labelled):
            if size % (recipe.accumulate * ranks.count):
                parts = f"{recipe.accumulate} parts on {ranks.count} processes"
                raise UserError(f"a batch of {paired} and {labelled} labelled cannot be cut into {parts}; change batch")

    @property
    def views(self) -> tuple[View, ...]:
        """The view of each of an item's frames."""
        counts = (self.recipe.moments,) * 2 if self.recipe.objective == "contrast" else (1, 2)
        return tuple(view for view, count in zip(VIEWS, counts, strict=True) for _ in range(count))

    def plan(self, number: int) -> list[Plan]:
        """The parts of a step (steps count from 0 over all epochs), one for each accumulation."""
        epoch, step = divmod(number, self.steps_per_epoch)
        paired, labelled = self._ask_paired(epoch, step), self._ask_labelled(number)
        draws = self._draws(epoch, step, paired, labelled)
        parts = []
        for part in range(self.recipe.accumulate):
            own = [self._share(len(asked), part) for asked in (paired, labelled)]
            cut = (draws[0][own[0]], draws[1][own[1]]) if draws is not None else None
            parts.append(Plan(paired[own[0]], labelled[own[1]], cut))
        return parts

    def take_ids(self, number: int) -> list[str]:
        """The takes that a step looks at, on all processes."""
        epoch, step = divmod(number, self.steps_per_epoch)
        asked = self._ask_paired(epoch, step), self._ask_labelled(number)
        return sorted({self.material.takes[take].id for part in asked for take in part.take.ravel()})

    def _share(self, items: int, part: int) -> slice:
        size = items // self.recipe.accumulate
        own = self.ranks.part(size)
        return slice(part * size + own.start, part * size + own.stop)

    def _ask_paired(self, epoch: int, step: int) -> Asked:
        if self._paired is None:
            return Asked(np.zeros((0, 3), np.int64), np.zeros((0, 3)), np.zeros(0, np.int64))
        drawn: Triplets | PairMoments = next(self._paired.epoch(epoch, step))
        third, first = self._pair_takes[drawn.pair].T[..., None]  # (N, 1) each
        if isinstance(drawn, Triplets):
            time = np.stack([drawn.x, drawn.z, drawn.z_negative], axis=1)
            return Asked(np.concatenate([third, first, first], axis=1), time, drawn.pair)
        take = np.concatenate([third.repeat(self.recipe.moments, 1), first.repeat(self.recipe.moments, 1)], axis=1)
        return Asked(take, np.concatenate([drawn.third, drawn.first], axis=1), drawn.pair)

    def _ask_labelled(self, number: int) -> Asked:
        if self._labelled is None:
            return Asked(np.zeros((0, 1), np.int64), np.zeros((0, 1)), np.zeros(0, np.int64))
        drawn = next(self._labelled.epoch(*divmod(number, len(self._labelled))))
        return Asked(self._labelled_takes[drawn.take][:, None], drawn.time[:, None], drawn.label)

    def _draws(self, epoch: int, step: int, paired: Asked, labelled: Asked) -> tuple[Draws, Draws] | None:
        """The crops of the whole batch: every process draws all of them and uses its own."""
        if self.aspects is None:
            return None
        rng, crops = step_rng(self.recipe.seed, epoch, step, "crops"), self.recipe.crops
        return (
            crops.draw(self.views, len(paired), self.aspects[paired.take], rng),
            crops.draw(("third",), len(labelled), self.aspects[labelled.take], rng),
        )


def batch_sizes(recipe: Recipe, labels: bool) -> tuple[int, int]:
    """Paired items and labelled frames of a batch: the share of labelled ones is a share of all.

    >>> from actor_observer.training.recipes import recipe_named
    >>> batch_sizes(recipe_named("paper-transfer"), labels=True), batch_sizes(recipe_named("paper-transfer"), False)
    ((7, 8), (15, 0))
    """
    if recipe.objective == "classification":
        return 0, recipe.batch
    share = recipe.labelled_share if labels else 0.0
    if recipe.objective == "triplet":
        labelled = round(recipe.batch * share)
        return recipe.batch - labelled, labelled
    return recipe.batch, round(recipe.batch * recipe.moments * share / (1 - share))


def _paired_source(recipe: Recipe, material: Material, batch: int) -> TripletSource | MomentSource | None:
    if recipe.objective == "classification":
        return None
    if recipe.objective == "contrast":
        return MomentSource(material.train, material.pairs, recipe.moments, min(recipe.near, recipe.sigma), batch)
    near, far, share = recipe.near, recipe.far, recipe.far_share
    return TripletSource(material.train, material.pairs, near, far, recipe.rate, recipe.jitter, share)


class _Repeated:
    """A source as many times over as it takes to fill a batch."""

    def __init__(self, source: LabelledSource, batch: int) -> None:
        self._source = source
        self._times = -(-batch // max(1, len(source)))

    def __len__(self) -> int:
        return len(self._source) * self._times

    def draw(self, items: NDArray[np.int64], rng: np.random.Generator) -> Labelled:
        return self._source.draw(items % len(self._source), rng)


def skipped_pairs(planner: Planner) -> Sequence[str]:
    """A line about the pairs that nothing can be drawn from, if there are any."""
    skipped = planner.paired.skipped if planner.paired is not None else {}
    if not skipped:
        return []
    id, why = next(iter(skipped.items()))
    return [f"{len(skipped)} training pairs are not used, e.g. {id}: {why}"]

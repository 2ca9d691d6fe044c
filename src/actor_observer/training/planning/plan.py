"""Which frames each step asks for: takes and times, fixed by (seed, epoch, step) alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actor_observer.errors import UserError
from actor_observer.frames.augmenting.augment import Draws
from actor_observer.pairs.manifest import Take
from actor_observer.pairs.tar_shards import in_tar
from actor_observer.sampling.labelled import Labelled, LabelledSource
from actor_observer.sampling.stream import Stream, step_rng
from actor_observer.training.objectives import objective_of
from actor_observer.training.objectives.samples import Asked, nothing_asked
from actor_observer.training.planning.material import Material
from actor_observer.training.planning.ranks import Ranks
from actor_observer.training.planning.recipes import Recipe

__all__ = ["Plan", "Planner", "skipped_pairs"]

MIXED = 8  # tar files whose frames are mixed with each other
LABELLED_SEED = 7919  # added to the run's seed, so that labelled frames have an order of their own


@dataclass(frozen=True)
class Plan:
    """One process's share of one part of a step."""

    paired: Asked
    labelled: Asked
    draws: tuple[Draws, Draws] | None = None  # of paired and labelled frames


class Planner:
    """Plans every step of a run, in any order: `planner.plan(number)` does not depend on earlier calls."""

    def __init__(
        self, recipe: Recipe, material: Material, ranks: Ranks, aspects: NDArray[np.float64] | None = None
    ) -> None:
        self.recipe, self.material, self.ranks = recipe, material, ranks
        self.aspects = aspects  # (takes,) width over height, where frames will be cropped
        self._number = {take.id: number for number, take in enumerate(material.takes)}
        self.objective = objective_of(recipe)
        paired, labelled = self.objective.batch_sizes(bool(material.labels))
        self.paired = self.objective.source(material, paired)
        if self.paired is not None and not len(self.paired):
            raise UserError(_nothing_to_draw(self.paired.skipped))
        self.pairs = self.paired.pairs if self.paired is not None else []  # an item's mark is an index into these
        takes = [(self._number[pair.third], self._number[pair.first]) for pair in self.pairs]
        self._pair_takes = np.array(takes, dtype=np.int64).reshape(-1, 2)
        self._labelled_takes = np.array([self._number[take.id] for take in material.labelled], dtype=np.int64)
        shard_of = shards_of(material.takes)
        self._paired = None
        if self.paired is not None:
            where = None if shard_of is None else shard_of[self._pair_takes[_all(self.paired).pair, 0]]
            self._paired = Stream[Any](self.paired, paired, recipe.seed, shards=where, mixed=MIXED)
        self._labelled = None
        if labelled:
            source = LabelledSource(material.train, material.labelled, recipe.anchor_rate)
            seed = recipe.seed + (LABELLED_SEED if self._paired else 0)
            often = _Repeated(source, labelled)  # if there are few labelled frames, each comes more often
            where = None if shard_of is None else shard_of[self._labelled_takes[_all(often).take]]
            self._labelled = Stream(often, labelled, seed, shards=where, mixed=MIXED)
        self.steps_per_epoch = len(self._paired or self._labelled or ())
        self.steps = self.steps_per_epoch * recipe.epochs
        for size in (paired, labelled):
            if size % (recipe.accumulate * ranks.count):
                parts = f"{recipe.accumulate} parts on {ranks.count} processes"
                raise UserError(
                    f"a batch of {paired} and {labelled} labelled cannot be split evenly into {parts}; change batch"
                )

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
            return nothing_asked(len(self.objective.views))
        drawn = next(self._paired.epoch(epoch, step))
        return self.objective.ask(drawn, self._pair_takes[drawn.pair])

    def _ask_labelled(self, number: int) -> Asked:
        if self._labelled is None:
            return nothing_asked(1)
        drawn = next(self._labelled.epoch(*divmod(number, len(self._labelled))))
        return Asked(self._labelled_takes[drawn.take][:, None], drawn.time[:, None], drawn.label)

    def _draws(self, epoch: int, step: int, paired: Asked, labelled: Asked) -> tuple[Draws, Draws] | None:
        """The crops of the whole batch: every process draws all of them and uses its own."""
        if self.aspects is None:
            return None
        rng, crops = step_rng(self.recipe.seed, epoch, step, "crops"), self.recipe.crops
        return (
            crops.draw(self.objective.views, len(paired), self.aspects[paired.take], rng),
            crops.draw(("third",), len(labelled), self.aspects[labelled.take], rng),
        )


def shards_of(takes: Sequence[Take]) -> NDArray[np.int64] | None:
    """The number of the tar that each take lies in (takes,); None where none does, and any order is as quick.

    >>> shards_of([])
    """
    if not any(in_tar(take.path) for take in takes):
        return None
    places = [take.path.parent if in_tar(take.path) else take.path for take in takes]
    number = {place: number for number, place in enumerate(dict.fromkeys(places))}
    return np.array([number[place] for place in places], dtype=np.int64)


def _all(source: Any) -> Any:
    """Every item of a source, drawn once: which pair or take each is of does not depend on chance."""
    return source.draw(np.arange(len(source)), np.random.default_rng(0))


class _Repeated:
    """A source repeated as often as it takes to fill a batch."""

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
    count = len(skipped) + len(planner.pairs)
    return [f"{len(skipped)} of {count} training pairs are not used: {_some(skipped)}"]


def _nothing_to_draw(skipped: Mapping[str, str]) -> str:
    return (
        f"no sample can be drawn from any training pair: {_some(skipped)} "
        "(pairs of a few seconds need a lower far, or far_share)"
    )


def _some(skipped: Mapping[str, str], most: int = 3) -> str:
    """The first few of them, with the reason of each."""
    named = [f"{id}: {why}" for id, why in list(skipped.items())[:most]]
    return "; ".join(named) + (f"; and {len(skipped) - most} more" if len(skipped) > most else "")

"""How long a recipe takes on this machine: a few steps are tried, the others are counted."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch

from actor_observer.errors import UserError
from actor_observer.features.embeddings import Embeddings, TakeEmbedding
from actor_observer.features.feature_cache import FeatureCache
from actor_observer.features.look import Look
from actor_observer.model.backbones.registry import create_backbone
from actor_observer.model.device import best_device
from actor_observer.pairs.manifest import Manifest, Take
from actor_observer.sampling.windows import frame_times
from actor_observer.stopping import temporary_folder
from actor_observer.training.batches.readers import aspects_of, reader_for
from actor_observer.training.loop import Loop
from actor_observer.training.planning.material import Material, choose_material
from actor_observer.training.planning.plan import Planner
from actor_observer.training.planning.ranks import Ranks
from actor_observer.training.planning.recipes import Recipe
from actor_observer.training.start import make_network
from actor_observer.training.validate import Validation

__all__ = ["Trial", "embedding_speed", "frames_of", "try_recipe"]

FEW = 8  # pairs, and labelled takes, that are tried
WARM_UP, STEPS = 2, 6  # steps after the first that are not timed, and those that are
PATIENCE = 60.0  # seconds after which a trial ends with the steps that it has timed, were it one
STRETCH = 20.0  # seconds of each take that are embedded: takes may be hours long
T = TypeVar("T")


@dataclass(frozen=True)
class Trial:
    """What a run would do.

    >>> Trial(steps=3600, step_seconds=0.5, timed=6, validation_frames=0).training_seconds
    1800.0
    """

    steps: int  # of the whole run
    step_seconds: float
    timed: int  # steps that this is the median of
    validation_frames: int  # frames embedded over all validations; a frozen backbone embeds them once, before

    @property
    def training_seconds(self) -> float:
        """Seconds of all steps."""
        return self.steps * self.step_seconds


class _Enough(Exception):
    """The trial has seen what it needs."""


def try_recipe(
    recipe: Recipe, manifest: Manifest, device: str = "auto", tried: dict[Recipe, list[float]] | None = None
) -> Trial:
    """Count a run's steps, and time a few of them, on a few of its takes, from random weights.

    `tried` keeps the seconds found: recipes that differ only in whom they learn from are timed once.

    >>> try_recipe(Recipe(), Manifest({}))
    Traceback (most recent call last):
    actor_observer.errors.UserError: no training pairs of the same person in the data (see: actor-observer inspect)
    """
    material = choose_material(recipe, manifest)
    ranks = Ranks(device=torch.device(best_device(device)))
    steps = Planner(recipe, material, ranks).steps
    times = 1 if recipe.frozen else recipe.epochs // recipe.validate_every
    validated = times * frames_of(material.validation_takes, recipe.look_rate)
    tried = {} if tried is None else tried
    alike = replace(recipe, name="", people="same", labelled_apart=())
    if alike not in tried:
        few = Material(material.train, _spread(material.pairs), _spread(material.labelled), Manifest({}), ())
        tried[alike] = _step_seconds(recipe, few, ranks)
    seconds = tried[alike]
    return Trial(steps, statistics.median(seconds), len(seconds), validated)


def _step_seconds(recipe: Recipe, few: Material, ranks: Ranks) -> list[float]:
    """Seconds of a few steps of a run on this material: of one, where a step takes long.

    No loss is looked at: from random weights a deep network with stored batch statistics soon overflows, and a step
    takes as long with numbers that are none.
    """
    recipe = replace(recipe, init="random", epochs=1000, compile=False)  # it would take minutes
    network, _ = make_network(recipe, few)
    phi = _any_features(recipe, few.takes, network.backbone.feature_size) if recipe.frozen else None
    planner = Planner(recipe, few, ranks, None if phi is not None else aspects_of(few.takes))
    reader = reader_for(planner, phi, network)
    moments: list[float] = []
    started = time.perf_counter()

    def each() -> None:
        if ranks.device.type == "cuda":
            torch.cuda.synchronize()
        moments.append(time.perf_counter())
        late = moments[-1] - started > PATIENCE
        if len(moments) > WARM_UP + STEPS or (late and len(moments) > 1):
            raise _Enough

    step, validation = planner.objective.make_step(network, planner.pairs), Validation(recipe, few, phi, ranks.device)
    with suppress(_Enough):
        Loop(Path(), planner, reader, step, validation, each=each, trial=True).run()
    seconds = [later - earlier for earlier, later in pairwise(moments)]
    return seconds[WARM_UP:] or seconds[-1:]


def _any_features(recipe: Recipe, takes: Sequence[Take], size: int) -> Embeddings:
    """Numbers in place of φ: a step takes as long with any, and nothing need be decoded for them."""
    made = {}
    for take in takes:
        times = frame_times(take.length, recipe.look_rate)
        made[take.id] = TakeEmbedding(take.view, times, np.zeros((len(times), size), np.float32))
    return Embeddings(made)


def embedding_speed(recipe: Recipe, takes: Sequence[Take], device: str = "auto", look_rate: float = 6.0) -> float:
    """Frames a second that the recipe's backbone embeds, decoding included, tried on a few takes."""
    backbone = create_backbone(recipe.network.backbone, pretrained=False)
    look, place = Look(look_rate, recipe.size, recipe.crop), best_device(device)
    few = [replace(take, length=min(take.length, STRETCH)) for take in _spread(tuple(takes))]
    with temporary_folder() as folder:
        FeatureCache(folder / "warm-up").features(recipe.network.backbone, backbone, few[:1], look, place)
        started = time.perf_counter()
        found, _ = FeatureCache(folder).features(recipe.network.backbone, backbone, few, look, place)
        taken = time.perf_counter() - started
    if not found:
        raise UserError(f"none of the takes tried can be read, e.g. {few[0].path} (see: actor-observer inspect)")
    return sum(len(take.times) for take in found.values()) / taken


def frames_of(takes: Sequence[Take], look_rate: float) -> int:
    """How many frames are embedded of takes.

    >>> frames_of([Take("a", "third", Path("a.mp4"), 2.0)], look_rate=3.0)
    6
    """
    return sum(len(frame_times(take.length, look_rate)) for take in takes)


def _spread(items: Sequence[T]) -> tuple[T, ...]:
    """A few of them, evenly chosen."""
    count = min(FEW, len(items))
    return tuple(items[number * len(items) // count] for number in range(count))

"""What bench/objectives.py trains: the objectives, the settings that are tried for each, and one run in a process."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from actor_observer.features import Embeddings, FeatureCache, Look
from actor_observer.model import create_backbone
from actor_observer.model.device import best_device
from actor_observer.pairs import Manifest, Pair, Take
from actor_observer.training import Recipe, recipe_named, train, with_settings

TEMPERATURES = ("0.05", "0.1", "0.2")


@dataclass(frozen=True)
class Objective:
    """An objective, and the settings that are tried for it."""

    name: str
    settings: tuple[str, ...]
    tries: tuple[tuple[str, ...], ...]


def temperatures(*more: str) -> tuple[tuple[str, ...], ...]:
    return tuple((f"temperature={value}", *more) for value in TEMPERATURES)


def objectives(kind: str) -> list[Objective]:
    """Triplets come as many as moments do: 12 visits of 24 moments are 288 (rendered), 24 are 24 (robots)."""
    triplets = (
        ("objective=triplet", "batch=288", "anchor_rate=0.8")
        if kind == "rendered"
        else ("objective=triplet", "batch=24", "anchor_rate=7")
    )
    wide = ("sigma=2",) if kind == "rendered" else ("sigma=0.3",)
    narrow = ("sigma=0.5",) if kind == "rendered" else ("sigma=0.1",)
    return [
        Objective(
            "triplets (the paper's loss)", triplets, (("network.unit_length=true",), ("network.unit_length=false",))
        ),
        Objective("soft InfoNCE (contrast)", ("objective=contrast",), temperatures(*wide)),
        Objective("InfoNCE, sharp", ("objective=contrast", *narrow), temperatures()),
        Objective("cycle-consistency", ("objective=cycle",), (*temperatures(*wide), *temperatures(*narrow))),
        Objective("soft-DTW", ("objective=soft-dtw",), temperatures()),
        Objective("soft InfoNCE and order within a take", ("objective=order",), temperatures()),
    ]


COMMON = ("network.select=false", "labelled_share=0", "refit=false")


def recipe_of(kind: str, settings: Sequence[str], seed: int) -> Recipe:
    start = ["size=160", "epochs=20", "validate_every=4"] if kind == "rendered" else ["validate_every=10"]
    return with_settings(
        recipe_named("quick" if kind == "rendered" else "quick-short"), [*start, *COMMON, *settings, f"seed={seed}"]
    )


@dataclass(frozen=True)
class Job:
    """One run, for a worker process."""

    recipe: Recipe
    manifest: Manifest
    run: Path
    cache: Path | None
    device: str


def fit(job: Job) -> float:
    """Train, unless that was done before; gives the best validation score."""
    torch.set_num_threads(1)
    if not (job.run / "done").exists():
        train(job.recipe, job.manifest, job.run, cache=job.cache, device=job.device, quiet=True, checked=True)
        (job.run / "done").touch()
    lines = [json.loads(line) for line in (job.run / "log.jsonl").read_text().splitlines()]
    return max((line["validation"] for line in lines if "validation" in line), default=0.0)


def features(takes: Sequence[Take], look: Look, cache: Path | None, device: str) -> Embeddings:
    """Of ImageNet's backbone."""
    backbone = create_backbone("mobilenet_v2")
    found, faults = FeatureCache(cache).features("mobilenet_v2", backbone, takes, look, best_device(device))
    assert not faults, next(iter(faults.values()))
    return found


def with_validation(manifest: Manifest, learn: Sequence[Pair], held: Sequence[Pair]) -> Manifest:
    """A manifest of some pairs to train on and others to validate on."""
    takes, pairs = {}, []
    for split, some in (("train", learn), ("validation", held)):
        for pair in some:
            pairs.append(replace(pair, split=split))  # type: ignore[arg-type]
            for id in (pair.third, pair.first):
                takes[id] = replace(manifest.takes[id], split=split)  # type: ignore[arg-type]
    return replace(manifest, takes=takes, pairs=tuple(pairs))

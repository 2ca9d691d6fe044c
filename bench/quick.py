"""Does `quick` earn its place? Several seeds of it against frozen features, the clock and the ridge map.

    python bench/quick.py DATA [--seeds 3] [--out quick.json] [--set NAME=VALUE …]

The first seed starts with an empty feature cache and is timed, with the test split's features at 6 frames a second.
All are judged on the balanced quads of the validation split, by the data's own clocks; intervals come from a bootstrap
over videos, differences are paired. The epoch that is kept is chosen on these same quads, which flatters it a
little; the score of the last epoch is printed as well.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import torch
import tyro
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from tyro.conf import Positional

from actor_observer import load
from actor_observer.evaluation import ClockRival, Raw, RidgeMap, Rival, Standardised, accuracy, quad_distances
from actor_observer.evaluation.compared.not_looking import IN_PROPORTION, Proportion
from actor_observer.evaluation.statistics.bootstrap import bootstrap
from actor_observer.evaluation.statistics.over_videos import mean_of
from actor_observer.features import Embeddings, FeatureCache, Look, embed_features, embed_manifest
from actor_observer.pairs import Manifest, read_manifest
from actor_observer.sampling import quads
from actor_observer.training import Recipe, recipe_named, train, with_settings
from actor_observer.training.planning.material import choose_material

RIVALS: dict[str, Rival] = {
    "frozen features": Raw(),
    "frozen, standardised per view": Standardised(),
    "clock (uses temporal context)": ClockRival(),
    "ridge map": RidgeMap(),
}

Rights = NDArray[np.float64]  # (Q,) the share of its two directions that a quad got right


def main(
    data: Positional[Path], seeds: int = 3, out: Path | None = None, set: tuple[str, ...] = (), test: bool = True
) -> None:
    """Train, judge, compare."""
    recipe, manifest = with_settings(recipe_named("quick"), set), read_manifest(data)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        seconds = []
        for seed in range(seeds):
            start = time.perf_counter()
            train(replace(recipe, seed=seed), manifest, work / str(seed), cache=work / "cache", quiet=True)
            seconds.append(time.perf_counter() - start)
        tested = test_features(work, manifest, recipe) if test else 0.0
        phi = features(work, manifest, recipe)
        rights, last = judge(work, manifest, recipe, phi, seeds)
    print(f"first seed, empty cache: {seconds[0]:.0f} s; test split at 6 frames/s: {tested:.0f} s; ", end="")
    print(f"further seeds: {', '.join(f'{s:.0f}' for s in seconds[1:])} s; {torch.get_num_threads()} threads")
    rows = report(manifest, recipe, rights, last)
    if out is not None:
        out.write_text(json.dumps({"seconds": seconds, "test_seconds": tested, "rows": rows, "last": last}, indent=1))


def features(work: Path, manifest: Manifest, recipe: Recipe) -> Embeddings:
    """φ of all training and validation takes, from the cache that training filled."""
    material, network = choose_material(recipe, manifest), load(work / "0")
    takes = {take.id: take for take in (*material.takes, *material.validation_takes)}.values()
    look = Look(recipe.look_rate, recipe.size, recipe.crop)
    return FeatureCache(work / "cache").features(network.config.backbone, network.backbone, takes, look)[0]


def test_features(work: Path, manifest: Manifest, recipe: Recipe) -> float:
    """Seconds to embed the test split at 6 frames a second."""
    start = time.perf_counter()
    embed_manifest(load(work / "0"), manifest.of("test"), Look(6.0, recipe.size, recipe.crop), work / "cache")
    return time.perf_counter() - start


def judge(
    work: Path, manifest: Manifest, recipe: Recipe, phi: Embeddings, seeds: int
) -> tuple[dict[str, Rights], list[float]]:
    """Which quads each method got right, and the score of each seed's last epoch."""
    material = choose_material(recipe, manifest)
    pairs = material.validation_pairs
    asked, _ = quads(material.validation, pairs, recipe.far, per_pair=recipe.quads_per_pair)
    train_ids = {id for pair in material.pairs for id in (pair.third, pair.first)}
    train_phi = Embeddings({id: phi[id] for id in phi if id in train_ids})
    held = Embeddings({take.id: phi[take.id] for take in material.validation_takes})
    rights = {}
    if blind := Proportion.of(held, pairs).method:  # where clocks are scaled lengths, it would be the truth
        rights[IN_PROPORTION] = quad_distances(blind.embeddings, asked, pairs).right()
    for name, rival in RIVALS.items():
        fitted = rival.fit(train_phi, material.pairs)
        rights[name] = quad_distances(held.mapped(fitted.embed), asked, pairs).right()
    ours = [quad_distances(embed_features(load(work / str(s)), held), asked, pairs).right() for s in range(seeds)]
    for seed, right in enumerate(ours):
        rights[f"quick, seed {seed}"] = right
    rights["quick, mean over seeds"] = np.mean(ours, axis=0)
    rights["pair"] = asked.pair.astype(float)
    logs = [(work / str(seed) / "log.jsonl").read_text().splitlines() for seed in range(seeds)]
    return rights, [float(json.loads(log[-1])["validation"]) for log in logs]


def report(
    manifest: Manifest, recipe: Recipe, rights: dict[str, Rights], last: Sequence[float]
) -> dict[str, dict[str, object]]:
    video = rights.pop("pair").astype(np.int64)
    ours = rights["quick, mean over seeds"]
    names, whose = np.unique(video, return_inverse=True)
    count = f"{len(video)} quads of {len(np.unique(video))} validation pairs"
    table = Table("", f"quads right (%), {count}", "quick is better by (points)", title="quick and its rivals")
    rows: dict[str, dict[str, object]] = {}
    for name, right in rights.items():
        score, gap = accuracy(right, video), bootstrap(mean_of(ours - right, whose), len(names))
        paired = gap.percent() if not name.startswith("quick") else ""
        table.add_row(name, score.percent(), paired)
        rows[name] = {"score": asdict(score), "difference": asdict(gap)}
    Console(width=120).print(table)
    print(f"last epochs: {', '.join(f'{100 * value:.1f}' for value in last)}; mean {100 * np.mean(last):.1f}")
    return rows


if __name__ == "__main__":
    tyro.cli(main)

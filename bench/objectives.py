"""Every objective on the same frozen features with the same budget: which wins where?

    python bench/objectives.py rendered DATA --out DIR [--seeds 3] [--workers 5]
    python bench/objectives.py robots [DATA] --out DIR [--seeds 3]

DATA is `bench/learning_sets.py`'s OUT/judged, or robot pairs (those of the package, if not given). All objectives train
the heads of `quick` (rendered) or `quick-short` (robots) on frozen ImageNet MobileNetV2, without labels and without the
selector, the same number of frames a step and the same number of steps. The temperature (and the seconds of the clock's
tolerance, where an objective has one) is chosen for each on validation pairs with seed 0: for the robots, on a third of
each fold's training scripts. Test pairs are then judged once, with all seeds. Brackets are 95 % intervals over videos
of the mean over seeds; the spread of the seeds stands beside them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
import tyro
from tyro.conf import Positional

from actor_observer import load
from actor_observer.evaluation.exact_truth import find_truth
from actor_observer.evaluation.methods import Protocol
from actor_observer.evaluation.tables.layout import Cell, Figures, as_markdown
from actor_observer.features import Embeddings, FeatureCache, Look, embed_features
from actor_observer.features.device import best_device
from actor_observer.model import create_backbone
from actor_observer.pairs import ROBOTS, Manifest, Pair, Take, read_manifest
from actor_observer.training import Recipe, recipe_named, train, with_settings
from objective_figures import COLUMNS, PERCENT, PHASE_RATE, PHASES, ae2, measured
from real import groups, only
from real_figures import PROTOCOL as SHORT_PROTOCOL

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
        else (*("objective=triplet", "batch=24", "anchor_rate=7"),)
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


def fit(job: tuple[Recipe, Manifest, Path, Path | None, str]) -> float:
    """Train in a worker process; gives the best validation score."""
    recipe, manifest, run, cache, device = job
    torch.set_num_threads(1)
    if not (run / "done").exists():
        train(recipe, manifest, run, cache=cache, device=device, quiet=True, checked=True)
        (run / "done").touch()
    lines = [json.loads(line) for line in (run / "log.jsonl").read_text().splitlines()]
    return max((line["validation"] for line in lines if "validation" in line), default=0.0)


def main(
    kind: Positional[Literal["rendered", "robots"]],
    data: Positional[Path] = ROBOTS,
    *,
    out: Path,
    seeds: int = 3,
    workers: int = 2,
    cache: Path | None = None,
    device: str = "auto",
    phases: bool = True,  # AE2's measures, where there are script steps
    tune: bool = True,  # robots: False takes the recipe's own settings for every objective
) -> None:
    out.mkdir(parents=True, exist_ok=True)
    manifest = read_manifest(data)
    torch.set_num_threads(4)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        if kind == "rendered":
            figures = rendered(manifest, data, out, seeds, cache, device, pool, phases)
        else:
            figures = robots(manifest, out, seeds, cache, device, pool, tune)
    (out / f"objectives-{kind}.md").write_text("\n\n".join(map(as_markdown, figures)) + "\n")
    (out / f"objectives-{kind}.json").write_text(json.dumps({one.key: one.as_json() for one in figures}))
    print("\n\n".join(map(as_markdown, figures)), flush=True)


def features(manifest: Manifest, takes: Sequence[Take], look: Look, cache: Path | None, device: str) -> Embeddings:
    backbone = create_backbone("mobilenet_v2")
    found, faults = FeatureCache(cache).features("mobilenet_v2", backbone, takes, look, best_device(device))
    assert not faults, next(iter(faults.values()))
    return found


def chosen_settings(
    pool: ProcessPoolExecutor, jobs: dict[tuple[str, int], Any], tries: list[Objective]
) -> dict[str, int]:
    """The try of each objective that validated best."""
    scores = dict(zip(jobs, pool.map(fit, jobs.values()), strict=True))
    best = {}
    for one in tries:
        own = [scores[one.name, number] for number in range(len(one.tries))]
        best[one.name] = int(np.argmax(own))
        print(
            f"{one.name}: validation {' '.join(f'{100 * s:.1f}' for s in own)}: {one.tries[best[one.name]]}", flush=True
        )
    return best


def rendered(
    manifest: Manifest,
    data: Path,
    out: Path,
    seeds: int,
    cache: Path | None,
    device: str,
    pool: ProcessPoolExecutor,
    phases: bool,
) -> list[Figures]:
    todo = objectives("rendered")
    recipe = recipe_of("rendered", (), 0)
    look = Look(recipe.look_rate, recipe.size, recipe.crop)
    takes = list(manifest.takes.values())
    learned = features(manifest, [take for take in takes if take.split != "test"], look, cache, device)
    judged = features(manifest, list(manifest.of("test").takes.values()), replace(look, look_rate=6.0), cache, device)

    def job(one: Objective, number: int, seed: int) -> tuple[Recipe, Manifest, Path, Path | None, str]:
        run = out / "runs" / f"{one.name} {number} {seed}"
        return recipe_of("rendered", [*one.settings, *one.tries[number]], seed), manifest, run, cache, device

    tries = {(one.name, number): job(one, number, 0) for one in todo for number in range(len(one.tries))}
    best = chosen_settings(pool, tries, todo)
    rest = [job(one, best[one.name], seed) for one in todo for seed in range(1, seeds)]
    list(pool.map(fit, rest))
    test = manifest.of("test")
    truth = find_truth(data)
    pairs = list(truth.exact(test.pairs)) if truth else list(test.pairs)
    steps = (
        {id: learned[id] for pair in manifest.of("train").pairs for id in (pair.third, pair.first)} if phases else {}
    )
    jobs = [
        Asked(
            label(one, best),
            [out / "runs" / f"{one.name} {best[one.name]} {seed}" for seed in range(seeds)],
            judged,
            steps,
            test,
            pairs,
            manifest,
        )
        for one in todo
    ]
    rows: dict[str, tuple[Cell, ...]] = {}
    stepped: dict[str, tuple[Cell, ...]] = {}
    for asked, (row, measures) in zip(jobs, pool.map(judge_runs, jobs), strict=True):
        rows[asked.name] = row
        if phases:
            stepped[asked.name] = measures
        told = {**rows, **{f"{name}, phases": cells for name, cells in stepped.items()}}
        (out / "partial.json").write_text(
            json.dumps([f"{name}: {list(map(str, cells))}" for name, cells in told.items()])
        )
    figures = [Figures("objectives-rendered", f"Rendered test set, {len(pairs)} pairs", COLUMNS, rows, PERCENT)]
    if stepped:
        note = f"Phases are the steps of the script; {PHASE_RATE:g} frame a second; seed 0."
        figures.append(
            Figures("objectives-phases", "AE2's measures, rendered test set", PHASES, stepped, PHASES[:4], (note,))
        )
    return figures


@dataclass(frozen=True)
class Asked:
    """One objective's runs, and what they are judged on."""

    name: str
    runs: list[Path]
    judged: Embeddings  # φ of the test takes
    steps: dict[str, Any]  # φ of the training takes, for AE2's measures; none: those are left out
    test: Manifest
    pairs: list[Pair]
    manifest: Manifest


def judge_runs(asked: Asked) -> tuple[tuple[Cell, ...], tuple[Cell, ...]]:
    """Its row of the table, and of AE2's: in a worker process."""
    torch.set_num_threads(1)
    networks = [load(run) for run in asked.runs]
    own = [embed_features(network, asked.judged) for network in networks]
    row = measured(own, asked.test, asked.pairs, Protocol(), retrieve=True)
    return row, ae2(networks[0], asked.steps, own[0], asked.manifest) if asked.steps else ()


def robots(
    manifest: Manifest, out: Path, seeds: int, cache: Path | None, device: str, pool: ProcessPoolExecutor, tune: bool
) -> list[Figures]:
    todo = objectives("robots")
    if not tune:  # the recipe's own temperature, and what an objective's settings say
        todo = [replace(one, tries=((),)) for one in todo]
    pairs = list(manifest.pairs)
    folds = groups(manifest, pairs, 5, seed=0)
    recipe = recipe_of("robots", (), 0)
    look = Look(recipe.look_rate, recipe.size, recipe.crop)
    phi = features(manifest, list(manifest.takes.values()), look, cache, device)
    held: dict[str, list[list[Embeddings]]] = {one.name: [] for one in todo}  # name -> fold -> seed
    for fold, judged in enumerate(folds):
        rest = [pair for number, part in enumerate(folds) if number != fold for pair in part]
        inner = groups(manifest, rest, 3, seed=1)[0]
        learn = [pair for pair in rest if pair not in inner]
        small = with_validation(manifest, learn, inner)
        tries = {
            (one.name, number): (
                recipe_of("robots", [*one.settings, *one.tries[number]], 0),
                small,
                out / "runs" / f"{fold} {one.name} {number}",
                cache,
                device,
            )
            for one in todo
            for number in range(len(one.tries))
        }
        best = chosen_settings(pool, tries, todo) if tune else {one.name: 0 for one in todo}
        jobs = {
            (one.name, seed): (
                recipe_of("robots", [*one.settings, *one.tries[best[one.name]]], seed),
                only(manifest, rest),
                out / "runs" / f"{fold} {one.name} whole {seed}",
                cache,
                device,
            )
            for one in todo
            for seed in range(seeds)
        }
        list(pool.map(fit, jobs.values()))
        ids = [id for pair in judged for id in (pair.third, pair.first)]
        for one in todo:
            found = [load(jobs[one.name, seed][2]) for seed in range(seeds)]
            held[one.name].append([embed_features(network, {id: phi[id] for id in ids}) for network in found])
    rows: dict[str, tuple[Cell, ...]] = {}
    ordered = [pair for fold in folds for pair in fold]
    for one in todo:
        own = [
            Embeddings({id: take for fold in held[one.name] for id, take in fold[seed].items()})
            for seed in range(seeds)
        ]
        rows[one.name] = measured(own, manifest, ordered, SHORT_PROTOCOL, retrieve=False)
    title = f"Robot pairs, {len(ordered)} pairs in 5 folds by script"
    return [Figures("objectives-robots", title, COLUMNS[:-1], rows, PERCENT[:-1])]


def with_validation(manifest: Manifest, learn: Sequence[Pair], held: Sequence[Pair]) -> Manifest:
    """A manifest of some pairs to train on and others to validate on."""
    takes, pairs = {}, []
    for split, some in (("train", learn), ("validation", held)):
        for pair in some:
            pairs.append(replace(pair, split=split))  # type: ignore[arg-type]
            for id in (pair.third, pair.first):
                takes[id] = replace(manifest.takes[id], split=split)  # type: ignore[arg-type]
    return replace(manifest, takes=takes, pairs=tuple(pairs))


def label(one: Objective, best: dict[str, int]) -> str:
    return f"{one.name} ({', '.join(one.tries[best[one.name]]).replace('network.', '')})"


if __name__ == "__main__":
    tyro.cli(main)

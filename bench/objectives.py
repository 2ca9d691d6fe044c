"""Every objective on the same frozen features with the same budget: which wins where?

    python bench/objectives.py rendered DATA --out DIR [--seeds 3] [--workers 5]
    python bench/objectives.py robots [DATA] --out DIR [--seeds 3] [--no-tune]

DATA is `bench/learning_sets.py`'s OUT/judged, or robot pairs (those of the package, if not given). All objectives train
the heads of `quick` (rendered) or `quick-short` (robots) on frozen ImageNet MobileNetV2, without labels and without the
selector, the same number of frames a step and the same number of steps. The temperature (and the seconds of the clock's
tolerance, where an objective has one) is chosen for each on validation pairs with seed 0: for the robots, on a third of
each fold's training scripts; `--no-tune` takes the recipe's own. Test pairs are then judged once, with all seeds.
Brackets are 95 % intervals over videos of the mean over seeds; the spread of the seeds stands beside them. DIR gets
each row as soon as it is there; called again, it trains only what is missing.
"""

from __future__ import annotations

import faulthandler
import json
import threading
import traceback
from abc import ABC, abstractmethod
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Literal

import numpy as np
import torch
import tyro
from tyro.conf import Positional

from actor_observer import load
from actor_observer.evaluation.compared.method import Protocol
from actor_observer.evaluation.compared.not_looking import IN_PROPORTION, positions
from actor_observer.evaluation.measures.exact_truth import find_truth
from actor_observer.evaluation.tables.layout import Cell, Figures, as_markdown
from actor_observer.features import Embeddings, Look, TakeEmbedding, embed_features
from actor_observer.pairs import ROBOTS, Manifest, Pair, Take, read_manifest
from objective_figures import COLUMNS, PERCENT, PHASE_RATE, PHASES, ae2, measured
from objective_runs import Job, Objective, features, fit, objectives, recipe_of, with_validation
from proportion import unseen
from real import groups, only
from real_figures import PROTOCOL as SHORT_PROTOCOL

JUDGE_RATE = 6.0  # frames a second of the rendered test pairs
Row = tuple[Cell, ...]


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
    only: tuple[str, ...] = (),  # objectives by name; none: all
    tune: bool = True,  # False takes the recipe's own settings for every objective
) -> None:
    out.mkdir(parents=True, exist_ok=True)
    faulthandler.enable()  # a crash in native code says where
    torch.set_num_threads(4)
    todo = [one for one in objectives(kind) if not only or one.name in only]
    if not tune:
        todo = [replace(one, tries=((),)) for one in todo]
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool, ThreadPoolExecutor(len(todo)) as each:
        bench = (Rendered if kind == "rendered" else Robots)(data, out, seeds, cache, device, pool, phases)
        made = list(each.map(bench.attempt, todo))  # a thread for each: it only waits for processes
    print("\n\n".join(map(as_markdown, bench.tables())), flush=True)
    if not all(made):
        raise SystemExit(
            "no row for " + ", ".join(one.name for one, there in zip(todo, made, strict=True) if not there)
        )


@dataclass
class Bench(ABC):
    """Trains and judges one objective after the other, each in as many processes as are free."""

    data: Path
    out: Path
    seeds: int
    cache: Path | None
    device: str
    pool: Executor
    phases: bool
    kind: str = ""
    rows: dict[str, Row] = field(default_factory=dict)
    stepped: dict[str, Row] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.manifest = read_manifest(self.data)
        recipe = recipe_of(self.kind, (), 0)
        self.look = Look(recipe.look_rate, recipe.size, recipe.crop)

    def attempt(self, one: Objective) -> bool:
        """Make a row. What fails is told at once, for the other rows go on."""
        try:
            self.row(one)
        except (Exception, SystemExit):  # a worker process hands on both
            print(f"{one.name}: no row\n{traceback.format_exc()}", flush=True)
            return False
        return True

    @abstractmethod
    def row(self, one: Objective) -> None:
        """Train and judge one objective."""

    @abstractmethod
    def tables(self) -> list[Figures]:
        """The tables of all rows so far."""

    def job(self, one: Objective, number: int, seed: int, manifest: Manifest, run: str) -> Job:
        recipe = recipe_of(self.kind, [*one.settings, *one.tries[number]], seed)
        return Job(recipe, manifest, self.out / "runs" / run, self.cache, self.device)

    def best_of(self, one: Objective, tries: list[Job]) -> int:
        """The try that validated best; with a single one there is nothing to choose."""
        if len(tries) == 1:
            return 0
        scores = list(self.pool.map(fit, tries))
        best = int(np.argmax(scores))
        told = " ".join(f"{100 * score:.1f}" for score in scores)
        print(f"{tries[0].run.name}: validation {told}: {one.tries[best]}", flush=True)
        return best

    def add(self, rows: dict[str, Row], name: str, row: Row) -> None:
        with self._lock:
            rows[name] = row
            print(f"{name}: {list(map(str, row))}", flush=True)
            tables = self.tables()
            (self.out / f"objectives-{self.kind}.md").write_text("\n\n".join(map(as_markdown, tables)) + "\n")
            (self.out / f"objectives-{self.kind}.json").write_text(
                json.dumps({one.key: one.to_dict() for one in tables})
            )


@dataclass
class Rendered(Bench):
    """One split; settings are chosen on its validation pairs."""

    kind: str = "rendered"

    def __post_init__(self) -> None:
        super().__post_init__()
        learned = [take for take in self.manifest.takes.values() if take.split != "test"]
        features(learned, self.look, self.cache, self.device)  # once, for all processes
        features(tested(self.manifest), replace(self.look, look_rate=JUDGE_RATE), self.cache, self.device)
        self.add(self.rows, IN_PROPORTION, self.pool.submit(judge_nothing, self.data).result())

    def row(self, one: Objective) -> None:
        def job(number: int, seed: int) -> Job:
            return self.job(one, number, seed, self.manifest, f"{one.name} {number} {seed}")

        best = self.best_of(one, [job(number, 0) for number in range(len(one.tries))])
        runs = [job(best, seed) for seed in range(self.seeds)]
        list(self.pool.map(fit, runs))
        settings = ", ".join(one.tries[best]).replace("network.", "")
        name = f"{one.name} ({settings})" if settings else one.name
        self.add(self.rows, name, self.pool.submit(judge, self.data, runs, self.look).result())
        if self.phases:
            self.add(self.stepped, name, self.pool.submit(judge_phases, self.data, runs[0], self.look).result())

    def tables(self) -> list[Figures]:
        pairs = len(self.manifest.of("test").pairs)
        found = [Figures("objectives-rendered", f"Rendered test set, {pairs} pairs", COLUMNS, self.rows, PERCENT)]
        if self.stepped:
            note = f"Phases are the steps of the script; {PHASE_RATE:g} frame a second; seed 0."
            title = "AE2's measures, rendered test set"
            found.append(Figures("objectives-phases", title, PHASES, self.stepped, PHASES[:4], (note,)))
        return found


def tested(manifest: Manifest) -> list[Take]:
    return list(manifest.of("test").takes.values())


def embedded(run: Job, manifest: Manifest, look: Look) -> Embeddings:
    """The test takes, by a run."""
    phi = features(tested(manifest), replace(look, look_rate=JUDGE_RATE), run.cache, run.device)
    return embed_features(load(run.run), phi)


def judge(data: Path, runs: list[Job], look: Look) -> Row:
    """The fair measures on the test pairs, in a worker process."""
    torch.set_num_threads(1)
    manifest, truth = read_manifest(data), find_truth(data)
    test = manifest.of("test")
    pairs: list[Pair] = list(truth.exact(test.pairs)) if truth else list(test.pairs)
    return measured([embedded(run, manifest, look) for run in runs], test, pairs, Protocol(), retrieve=True)


def judge_nothing(data: Path) -> Row:
    """The same of the rule that does not look."""
    manifest, truth = read_manifest(data), find_truth(data)
    test = manifest.of("test")
    pairs: list[Pair] = list(truth.exact(test.pairs)) if truth else list(test.pairs)
    blank = Embeddings({take.id: unseen(take) for take in test.takes.values()})
    return measured([positions(blank)], test, pairs, Protocol(), retrieve=True)


def judge_phases(data: Path, run: Job, look: Look) -> Row:
    """AE2's measures of one run, in a worker process."""
    torch.set_num_threads(1)
    manifest = read_manifest(data)
    learned = manifest.of("train")
    ids = {id for pair in learned.pairs for id in (pair.third, pair.first)}
    phi = features([learned.takes[id] for id in sorted(ids)], look, run.cache, run.device)
    return ae2(load(run.run), dict(phi), embedded(run, manifest, look), manifest)


@dataclass
class Robots(Bench):
    """Five folds by script; settings are chosen inside the training part of each."""

    kind: str = "robots"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.folds = groups(self.manifest, list(self.manifest.pairs), 5, seed=0)
        features(list(self.manifest.takes.values()), self.look, self.cache, self.device)  # once, for all processes

    def row(self, one: Objective) -> None:
        runs: dict[tuple[int, int], Job] = {}
        for fold in range(len(self.folds)):
            rest = [pair for number, part in enumerate(self.folds) if number != fold for pair in part]
            inner = groups(self.manifest, rest, 3, seed=1)[0]
            small = with_validation(self.manifest, [pair for pair in rest if pair not in inner], inner)
            tries = [self.job(one, number, 0, small, f"{fold} {one.name} {number}") for number in range(len(one.tries))]
            best = self.best_of(one, tries)
            for seed in range(self.seeds):
                whole = only(self.manifest, rest)
                runs[fold, seed] = self.job(one, best, seed, whole, f"{fold} {one.name} whole {seed}")
        list(self.pool.map(fit, runs.values()))
        seeds = [[runs[fold, seed] for fold in range(len(self.folds))] for seed in range(self.seeds)]
        self.add(self.rows, one.name, self.pool.submit(judge_folds, self.data, self.folds, seeds, self.look).result())

    def tables(self) -> list[Figures]:
        title = f"Robot pairs, {len(self.manifest.pairs)} pairs in 5 folds by script"
        return [Figures("objectives-robots", title, COLUMNS[:-1], self.rows, PERCENT[:-1])]


def judge_folds(data: Path, folds: list[list[Pair]], seeds: list[list[Job]], look: Look) -> Row:
    """The fair measures on all pairs, each fold by the run that did not see it; in a worker process."""
    torch.set_num_threads(1)
    manifest, any_run = read_manifest(data), seeds[0][0]
    phi = features(list(manifest.takes.values()), look, any_run.cache, any_run.device)
    held = []
    for runs in seeds:
        found: dict[str, TakeEmbedding] = {}
        for run, part in zip(runs, folds, strict=True):
            ids = [id for pair in part for id in (pair.third, pair.first)]
            found |= dict(embed_features(load(run.run), {id: phi[id] for id in ids}))
        held.append(Embeddings(found))
    return measured(held, manifest, [pair for fold in folds for pair in fold], SHORT_PROTOCOL, retrieve=False)


if __name__ == "__main__":
    tyro.cli(main)

"""Reproduce the paper on a data set: every training, every judgement, its tables beside ours, one page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import yaml

from actor_observer.disk import write_whole
from actor_observer.errors import UserError
from actor_observer.evaluation.evaluate import embed_runs
from actor_observer.evaluation.judge import fingerprint
from actor_observer.evaluation.judged_data import Bar, JudgedData
from actor_observer.model.loading import load
from actor_observer.model.saved_recipe import RECIPE
from actor_observer.pairs.manifest import Manifest
from actor_observer.pairs.read import read_manifest
from actor_observer.paper.compare import read_results
from actor_observer.paper.page import PAGE, Reproduced, write_page
from actor_observer.paper.stages import Stage, claim, run_stages
from actor_observer.paper.trainings import CLASSIFIER, Training, Trainings, choose_trainings
from actor_observer.training.planning.material import choose_material
from actor_observer.training.planning.plan import Planner
from actor_observer.training.planning.ranks import Ranks, joined, ranks_asked
from actor_observer.training.planning.settings import as_plain
from actor_observer.training.run import train

__all__ = ["Reproduction"]


@dataclass(frozen=True)
class Reproduction:
    """The paper's experiments on one data set, in one folder.

    >>> Reproduction("no-such-folder", "out").manifest
    Traceback (most recent call last):
    actor_observer.errors.UserError: no-such-folder: no such file or folder
    """

    data: str | Path
    out: str | Path
    quick: bool = False  # frozen features, minutes
    settings: Sequence[str] = ()  # NAME=VALUE, for every recipe
    checkpoint: str | Path | None = None  # a published classifier, in place of training one
    videos: Sequence[str | Path] = ()  # further folders of recordings
    seed: int = 0
    cache: str | Path | None = None
    device: str = "auto"
    say: Callable[[str], object] = lambda line: None
    bar: Bar | None = None  # shows progress
    first: str | None = None  # which camera is the actor's, of data sets that do not say

    @property
    def folder(self) -> Path:
        """Where everything goes."""
        return Path(self.out).resolve()

    @property
    def runs(self) -> Path:
        """The folder of the runs' folders."""
        return self.folder / "runs"

    @cached_property
    def manifest(self) -> Manifest:
        """The data, read once."""
        return read_manifest(self.data, self.videos, self.seed, self.first)

    @cached_property
    def trainings(self) -> Trainings:
        """What is trained."""
        return choose_trainings(self.manifest, self.quick, [f"seed={self.seed}", *self.settings])

    def run(self) -> Path:
        """Do everything that is not done yet; returns the page. Under torchrun, every process calls this."""
        first = ranks_asked()[0] == 0
        say = self.say if first else lambda line: None
        self.check()
        claim(self.folder, self.identity(), first)
        for note in (*self.manifest.notes, *self.trainings.notes):
            say(f"note: {note}")
        with joined(self.device):  # once for all stages
            run_stages(self.stages(), self.folder, first, say)
        return self.folder / PAGE

    def stages(self) -> list[Stage]:
        """All of them, in order: a training is judged as soon as it is done."""
        stages = []
        for training in self.trainings.every:
            name, what = training.name, training.what
            if name == CLASSIFIER and self.checkpoint:
                stages.append(Stage(f"train-{name}", f"read {self.checkpoint}", self._take_checkpoint))
            else:
                stages.append(Stage(f"train-{name}", what, lambda this=training: self._train(this)))  # type: ignore[misc]
            rivals = not stages[1:]
            judge = "ImageNet, rivals, and both protocols" if rivals else "both protocols"
            stages.append(Stage(f"judge-{name}", judge, lambda n=name, r=rivals: self._judge(n, r)))  # type: ignore[misc]
        return [*stages, Stage("page", "Tables 1, 2 and 3, the figures, one page", self._page)]

    def on(self, ranks: Ranks | None = None) -> JudgedData:
        """The data to judge on."""
        shown = {"bar": self.bar} if self.bar and (ranks is None or ranks.first) else {}
        shared = {"part_of": (ranks.rank, ranks.count), "wait": ranks.wait} if ranks else {}
        say = self.say if ranks is None or ranks.first else lambda line: None
        plain = JudgedData(self.data, "test", self.videos, self.seed, self.cache, self.device, say=say)
        return replace(plain, read=self.manifest, **shown, **shared)  # type: ignore[arg-type]

    def check(self) -> None:
        """Find what would stop a later stage now: nothing to draw from, a batch that the processes cannot share."""
        _, count = ranks_asked()
        for training in self.trainings.every:
            material = choose_material(training.recipe, self.manifest)
            try:
                Planner(training.recipe, material, Ranks(count=count))
            except UserError as error:
                raise UserError(f"{training.name}: {error}") from None
        if not self.manifest.of("test").pairs:
            raise UserError(f"{self.data}: no pairs in its test split to judge (see: actor-observer inspect)")
        if self.checkpoint and self.trainings.named(CLASSIFIER):
            load(self.checkpoint)

    def identity(self) -> dict[str, object]:
        """What the folder is of: the data, the options, every recipe."""
        recipes = {training.name: as_plain(training.recipe) for training in self.trainings.every}
        return {
            "data": fingerprint(self.manifest),
            "quick": self.quick,
            "settings": list(self.settings),
            "seed": self.seed,
            "checkpoint": str(self.checkpoint or ""),
            "recipes": recipes,
        }

    def _train(self, training: Training) -> None:
        train(training.recipe_in(self.runs), self.manifest, self.runs / training.name, (), self.cache, self.device)

    def _take_checkpoint(self) -> None:
        """Keep a published classifier as a run's folder, so that everything else finds it like one trained here."""
        assert self.checkpoint is not None
        folder = self.runs / CLASSIFIER
        with joined(self.device) as ranks:
            if ranks.first:
                load(self.checkpoint).save_pretrained(folder)
                about = {"name": CLASSIFIER, "objective": "classification", "init": str(self.checkpoint)}
                write_whole(folder / RECIPE, yaml.safe_dump(about).encode())
            ranks.wait()

    def _judge(self, name: str, rivals: bool) -> None:
        """All processes embed the takes; the first judges."""
        with joined(self.device) as ranks:
            on = self.on(ranks)
            found = embed_runs([self.runs / name], on, rivals)
            if ranks.first:
                found.judge(on).write(self.runs / name)
            ranks.wait()

    def _page(self) -> None:
        with joined(self.device) as ranks:
            if ranks.first:
                results = read_results(self.trainings, self.runs, self.on())
                write_page(Reproduced(results, self.trainings, self.folder, self.on()))
            ranks.wait()

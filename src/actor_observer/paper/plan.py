"""What a reproduction would do, stage by stage, and how long it would take here: a short trial, then counting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rich.table import Table
from rich.text import Text

from actor_observer.evaluation.evaluate import LEARN_RATE
from actor_observer.model.device import best_device
from actor_observer.paper.reproduce import Reproduction
from actor_observer.paper.stages import seconds_of
from actor_observer.paper.trainings import CLASSIFIER
from actor_observer.training.planning.recipes import Recipe
from actor_observer.training.trial import embedding_speed, frames_of, try_recipe

__all__ = ["Plan", "PlannedStage", "plan"]

JUDGED_RATE = 6.0  # frames a second


@dataclass(frozen=True)
class PlannedStage:
    """One line of the plan.

    >>> PlannedStage("judge-transfer", "both protocols", frames=7200, seconds=3600.0).hours
    1.0
    """

    name: str
    what: str
    steps: int = 0  # of training
    frames: int = 0  # that are embedded
    seconds: float = 0.0
    done: bool = False

    @property
    def hours(self) -> float:
        """Hours on one device of this kind."""
        return self.seconds / 3600


@dataclass(frozen=True)
class Plan:
    """All stages, with what was tried."""

    stages: tuple[PlannedStage, ...]
    device: str
    notes: tuple[str, ...] = ()

    @property
    def hours(self) -> float:
        """Hours of what is not done yet."""
        return sum(stage.hours for stage in self.stages if not stage.done)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        stages = [vars(stage) | {"hours": round(stage.hours, 4)} for stage in self.stages]
        return {"device": self.device, "hours_left": round(self.hours, 3), "stages": stages, "notes": list(self.notes)}

    def as_rich(self) -> Table:
        """For the terminal."""
        unit = "GPU hours" if self.device.startswith("cuda") else "hours (CPU)"
        table = Table(box=None, pad_edge=False, header_style="bold", caption_justify="left")
        for column, side in (("stage", "left"), ("what", "left"), ("steps", "right"), ("frames", "right")):
            table.add_column(column, justify=side)  # type: ignore[arg-type]
        table.add_column(unit, justify="right")
        for stage in self.stages:
            hours = "done" if stage.done else f"{stage.hours:.2f}" if stage.seconds else "–"
            counts = [f"{count:,}" if count else "" for count in (stage.steps, stage.frames)]
            table.add_row(Text(stage.name), Text(stage.what), *counts, hours)
        table.add_row("in all, still to do", "", "", "", f"{self.hours:.2f}", style="bold")
        return table


def plan(job: Reproduction) -> Plan:
    """Try every kind of training on a few takes, and count the rest. Nothing is written."""
    speeds: dict[tuple[str, int], float] = {}
    test, train = job.manifest.of("test"), job.manifest.of("train")
    lines: list[PlannedStage] = []
    timed: list[int] = []
    tried: dict[Recipe, list[float]] = {}

    def speed(recipe: Recipe) -> float:
        key = (recipe.network.backbone, recipe.size)
        if key not in speeds:
            speeds[key] = embedding_speed(recipe, list(test.takes.values()), job.device, JUDGED_RATE)
        return speeds[key]

    device = best_device(job.device)
    slow = "" if device.startswith("cuda") else ": without a GPU that may take some minutes for each"
    job.say(f"timing a few steps of {len(job.trainings.every)} trainings on {device}{slow}")
    for training in job.trainings.every:
        recipe, name = training.recipe, training.name
        fps = speed(recipe)
        if name == CLASSIFIER and job.checkpoint:
            lines.append(_line(job, f"train-{name}", f"read {job.checkpoint}"))
        else:
            trial = try_recipe(recipe, job.manifest, job.device, tried)
            timed.append(trial.timed)
            job.say(f"train-{name}: {trial.steps:,} steps, {trial.step_seconds:.3g} s each")
            seconds = trial.training_seconds + trial.validation_frames / fps
            lines.append(_line(job, f"train-{name}", training.what, trial.steps, trial.validation_frames, seconds))
        frames = frames_of(list(test.takes.values()), JUDGED_RATE)
        if len(lines) == 1:  # the rivals learn from the training takes
            frames += frames_of(list(train.takes.values()), recipe.look_rate or LEARN_RATE)
        lines.append(_line(job, f"judge-{name}", "both protocols", 0, frames, frames / fps))
    lines.append(_line(job, "page", "Tables 1, 2 and 3, the figures, one page"))
    compiled = " Trainings compile the backbone, the trial does not: they are faster." * ("cuda" in device)
    notes = (
        f"Tried from random weights, {_few_of(timed)} on a few takes (alike ones once); not counted: statistics and "
        f"drawing (minutes), and checking the files.{compiled} Under torchrun the hours are shared by the processes.",
        *job.manifest.notes,
        *job.trainings.notes,
    )
    return Plan(tuple(lines), device, notes)


def _few_of(timed: list[int]) -> str:
    """How many steps were timed, in words: one says little where a machine is busy.

    >>> _few_of([6, 6]), _few_of([6, 1])
    ('6 steps of each training', '1 to 6 steps of each training')
    """
    least, most = min(timed, default=0), max(timed, default=0)
    many = f"{most} step{'s' * (most != 1)}" if least == most else f"{least} to {most} steps"
    return f"{many} of each training"


def _line(
    job: Reproduction, name: str, what: str, steps: int = 0, frames: int = 0, seconds: float = 0.0
) -> PlannedStage:
    return PlannedStage(name, what, steps, frames, seconds, seconds_of(job.folder, name) is not None)

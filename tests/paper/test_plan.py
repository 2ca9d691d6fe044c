"""The plan counts what a run would do, and its cost grows with the data, not with its square."""

import os
import sys
from pathlib import Path

import pytest

from actor_observer.pairs import read_manifest
from actor_observer.paper.plan import plan
from actor_observer.paper.reproduce import Reproduction
from actor_observer.training.planning.material import choose_material
from actor_observer.training.planning.plan import Planner
from actor_observer.training.planning.ranks import Ranks
from paper.toy import WHOLE
from tiny import CHARADES, EGO_V1, charades_rows, write_csv, write_video


def test_the_plan_counts_the_steps_that_training_will_do(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actor_observer.training.trial.STEPS", 2)  # that are timed
    said: list[str] = []
    job = Reproduction(data, tmp_path / "out", False, WHOLE, device="cpu", say=said.append)
    made = plan(job)
    assert "trainings on cpu: without a GPU" in said[0]
    assert sum(line.startswith("train-") for line in said) == len(job.trainings.every)
    assert [stage.name for stage in made.stages] == [stage.name for stage in job.stages()]
    recipe = job.trainings.named("transfer").recipe
    steps = Planner(recipe, choose_material(recipe, job.manifest), Ranks()).steps
    (transfer,) = (stage for stage in made.stages if stage.name == "train-transfer")
    assert transfer.steps == steps and transfer.seconds > 0 and not transfer.done
    assert made.hours > 0 and not (tmp_path / "out").exists()


def test_reading_and_counting_are_not_quadratic(tmp_path: Path) -> None:
    calls = [work(tmp_path / str(pairs), pairs) for pairs in (60, 120)]
    assert calls[1] < 2.3 * calls[0]


def work(folder: Path, pairs: int) -> int:
    """Python calls that it takes to read a look-alike of so many pairs and to choose and count all trainings."""
    one = write_video(folder / "one.mp4", frames=24, fps=1)  # as long as the table says
    (folder / "videos").mkdir()
    for split, prefix in (("train", "T"), ("test", "U")):
        rows = charades_rows(pairs, 24, prefix, subjects=20)
        others = [row | {"id": row["charades_video"], "subject": f"X{row['subject']}"} for row in rows[::2]]
        write_csv(folder / f"CharadesEgo_v1_{split}.csv", rows, EGO_V1)
        write_csv(folder / f"Charades_v1_{split}.csv", others, CHARADES)
        for row in (*rows, *others):
            os.link(one, folder / "videos" / f"{row['id']}.mp4")
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    read_manifest(folder)  # imports and caches
    sys.setprofile(count)
    try:
        job = Reproduction(folder, folder / "out")
        job.check()
        job.identity()
    finally:
        sys.setprofile(None)
    return calls

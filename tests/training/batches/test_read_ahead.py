"""Training from tars: read through in the order of need, the same steps on any rank and when resumed."""

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from actor_observer.frames.kept.jpegs_of import FrameForm
from actor_observer.frames.kept.keep import keep_frames
from actor_observer.pairs import read_manifest
from actor_observer.training.batches.read_ahead import LEAD, ReadAhead
from actor_observer.training.batches.readers import FrameReader
from actor_observer.training.planning.material import choose_material
from actor_observer.training.planning.plan import Planner, shards_of
from actor_observer.training.planning.ranks import Ranks
from training.small import paper


@pytest.fixture(scope="module")
def tars(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("tars")
    keep_frames(data, read_manifest(data), out, FrameForm(size=36), tar=0.05)
    return out


def planner_of(data: Path, *settings: str, **ranks: Any) -> Planner:
    recipe = paper("labelled_share=0", "anchor_rate=4", *settings)
    material = choose_material(recipe, read_manifest(data))
    return Planner(recipe, material, Ranks(**ranks), np.ones(len(material.takes)))


def test_every_tar_is_read_once_an_epoch_before_it_is_needed(tars: Path) -> None:
    planner = planner_of(tars, "epochs=3", "batch=2")
    shards = shards_of(planner.material.takes)
    assert shards is not None and len(set(shards)) >= 4
    ahead = ReadAhead(planner, 5, planner.steps)
    needed = [*ahead.tars()]
    for epoch in range(3):
        own = [tar for number, tar in needed if number // planner.steps_per_epoch == epoch]
        assert len(own) == len(set(own)) == len({take.path.parent for take in planner.material.takes})
    steps = [number for number, _ in needed]
    assert steps == sorted(steps) and steps[0] == 5

    read: list[Path] = []
    expected = [tar for _, tar in ReadAhead(planner, 0, planner.steps).tars()]
    with ReadAhead(planner, 0, planner.steps, read.append) as running:
        time.sleep(0.05)
        early = [tar for number, tar in ReadAhead(planner, 0, planner.steps).tars() if number <= LEAD]
        assert set(read) <= set(early)  # no more than is needed soon
        for number in range(planner.steps):
            running.now(number)
        until = time.monotonic() + 300
        while len(read) < len(expected) and time.monotonic() < until:
            time.sleep(0.01)
    assert read == expected


def test_only_one_process_of_a_machine_reads_and_folders_need_no_reading(tars: Path, data: Path) -> None:
    assert ReadAhead(planner_of(tars), 0, 9).useful
    assert not ReadAhead(planner_of(tars, local=1), 0, 9).useful
    assert not ReadAhead(planner_of(data), 0, 9).useful


def test_two_ranks_have_the_halves_of_what_one_has(tars: Path) -> None:
    whole = planner_of(tars)
    for rank in (0, 1):
        half = planner_of(tars, rank=rank, count=2)
        for number in (0, 3, whole.steps - 1):
            (all_of_it,), (own,) = whole.plan(number), half.plan(number)
            mine = slice(len(own.paired) * rank, len(own.paired) * (rank + 1))
            np.testing.assert_array_equal(own.paired.time, all_of_it.paired.time[mine])


def test_pixels_from_tars_are_the_same_when_resumed_at_any_step(tars: Path) -> None:
    reader = FrameReader(planner_of(tars, "batch=2"))
    whole = dict(reader.steps(0, 6))
    for start in (1, 4):
        for number, (part,) in reader.steps(start, 6):
            assert torch.equal(part.frames, whole[number][0].frames)
            np.testing.assert_array_equal(part.paired.time, whole[number][0].paired.time)

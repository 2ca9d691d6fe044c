"""Varied sets: clocks are exact, cameras differ as promised, and sets that are not varied stay what they were."""

import csv
import hashlib
import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest

from actor_observer.errors import UserError
from actor_observer.pairs.clock import Clock
from actor_observer.playhouse import MINI, SetPlan, plan_set, plan_together, read_truth
from actor_observer.playhouse.acting.body import pose_body
from actor_observer.playhouse.make import make
from actor_observer.playhouse.planner import Tempo
from actor_observer.playhouse.record import Look, filming_of, record
from actor_observer.playhouse.set_plan import PairPlan, bystanders_of, performance_of
from actor_observer.playhouse.tables import write_tables
from actor_observer.playhouse.varied_plan import vary
from drawing import needs_drawing
from make_mini import FORMS


@pytest.fixture(scope="module")
def plan() -> SetPlan:
    return vary(plan_together(40, 3), 3)


def shared(pair: PairPlan) -> tuple[float, float]:
    """When both cameras run, in seconds of the performance."""
    takes = pair.third, pair.first
    ends = [take.offset + take.length / take.rate for take in takes]
    return max(take.offset for take in takes), min(ends)


def test_a_set_that_is_not_varied_is_the_same_as_ever() -> None:
    """These digests were taken before there were varied sets; a set in a folder is known by them."""
    digest = hashlib.sha256(repr(plan_together(3, 7)).encode()).hexdigest()
    assert digest == "9443e79ac32689d86eaa541171242a66ee96fa1efc09e457ffbd0c7aa91b3729"
    steady = plan_mini("steady")
    digest = hashlib.sha256(repr(steady).encode()).hexdigest()
    assert digest == "0658699a08d3cb8ae2ad2edee75f299a7a5fa0074b2b62995015ac7d42539049"
    take = steady.takes[0]
    hands = filming_of(take).bodies(take.moments(take.times)).hands[[0, 60, 120, 180], 0]
    kept = [[0.404, 0.111, -0.868], [0.152, 0.459, -0.375], [0.363, 0.156, -0.863], [0.332, 0.166, -0.876]]
    np.testing.assert_allclose(hands, kept, atol=1e-3)


def plan_mini(tempo: Tempo) -> SetPlan:
    """The plan of the small set in the package, or of the one in steady tempo that was there before."""
    form = {name: FORMS[tempo][name] for name in ("fps", "seconds")}
    return plan_set(60, 2018, labelled=20, shares=(0.6, 0.2, 0.2), different=("test",), tempo=tempo, **form)


def test_the_set_in_the_package_is_what_its_script_makes() -> None:
    plan, made = plan_mini("free"), json.loads((MINI / "truth" / "made.json").read_text())
    assert hashlib.sha256(repr(plan).encode()).hexdigest() == made["plan"]
    assert hashlib.sha256(repr([take.free for take in plan.takes]).encode()).hexdigest() == made["free"]
    for take in plan.takes[:4]:
        truth = read_truth(MINI / "truth" / f"{take.id}.npz")
        hands = filming_of(take).bodies(take.moments(take.times)).hands
        np.testing.assert_allclose(hands, truth["hands"], atol=1e-3)


def test_varying_depends_on_nothing_but_the_seed(plan: SetPlan) -> None:
    few = replace(plan_together(40, 3), pairs=plan_together(40, 3).pairs[:3])
    again, other = (vary(few, seed).pairs[2] for seed in (3, 4))
    assert again == plan.pairs[2] != other
    assert again.first.shot == plan.pairs[2].third.head_shot


def test_the_clock_in_the_table_is_exact_and_the_rate_is_one(plan: SetPlan, tmp_path: Path) -> None:
    (tmp_path / "truth").mkdir()
    write_tables(plan, tmp_path)
    rows = list(csv.DictReader((tmp_path / "pairs.csv").open()))
    assert len(rows) == len(plan.pairs)
    for row, pair in zip(rows, plan.pairs, strict=True):
        clock = Clock.parse(row["clock"])
        third = np.linspace(0.0, pair.third.length, 50)
        here, there = pair.third.moments(third), pair.first.moments(clock.to_first(third))
        np.testing.assert_allclose(here, there, atol=2e-6)
        assert abs(clock.to_first(1000.0) - clock.to_first(0.0) - 1000.0) <= 0.1001


def test_recordings_overlap_in_part_and_start_apart(plan: SetPlan) -> None:
    for pair in plan.pairs:
        start, end = shared(pair)
        length = performance_of(pair.third).length
        assert end - start > 0.39 * length and pair.third.offset != pair.first.offset
        for take in (pair.third, pair.first):
            assert take.offset >= 0 and take.offset + take.length / take.rate < length + 0.1
    assert len({round(pair.first.rate, 7) for pair in plan.pairs}) > 30


def test_cameras_differ_as_promised(plan: SetPlan) -> None:
    thirds, firsts = ([getattr(pair, view).shot for pair in plan.pairs] for view in ("third", "first"))
    assert {shot.hold for shot in thirds} == {"fixed", "hand-held", "panning"}
    assert 0.4 < np.mean([shot.hold == "fixed" for shot in thirds]) < 0.8
    assert {bool(shot.lens.bend) for shot in firsts} == {True, False}
    assert max(shot.height for shot in thirds) > 4.5 and min(shot.height for shot in thirds) < 2.5
    assert any(shot.upright for shot in thirds) and not all(shot.upright for shot in thirds)
    assert min(shot.crf for shot in thirds) < 22 and max(shot.crf for shot in thirds) > 28
    assert {len(pair.third.lively.bystanders) for pair in plan.pairs if pair.third.lively} == {0, 1, 2}
    rates = np.array([(pair.third.fps, pair.first.fps) for pair in plan.pairs])
    assert (rates[:, 0] != rates[:, 1]).all() and rates.min() == 10 and rates.max() == 60


def test_both_cameras_see_one_performance(plan: SetPlan) -> None:
    for pair in plan.pairs[:6]:
        moments = np.linspace(*shared(pair), 40)
        third, first = (filming_of(take).bodies(moments) for take in (pair.third, pair.first))
        np.testing.assert_array_equal(third.look, first.look)
        np.testing.assert_array_equal(third.grips, first.grips)


def test_bystanders_move_and_keep_out_of_the_way(plan: SetPlan) -> None:
    near, crowd = [], [pair for pair in plan.pairs if pair.third.lively and pair.third.lively.bystanders][:6]
    for pair in crowd:
        performance = performance_of(pair.third)
        times = np.linspace(0, performance.length, 60)
        actor = performance.tracks(times).root[:, :2]
        for other in bystanders_of(pair.third):
            assert other.length >= performance.length and other.actor.name != performance.actor.name
            assert other.actor.split == performance.actor.split
            bodies = pose_body(other, times, np.zeros((60, 3)))
            assert np.ptp(bodies.grips, axis=0).max() > 0.1
            near.append(np.linalg.norm(other.tracks(times).root[:, :2] - actor, axis=1))
    assert np.mean(np.concatenate(near) > 0.5) > 0.9


def test_varied_needs_together(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="--together"):
        make(tmp_path, pairs=1, seed=0, varied=True)


@needs_drawing
def test_files_are_written_as_the_shots_say(plan: SetPlan, tmp_path: Path) -> None:
    for folder in ("videos", "truth"):
        (tmp_path / folder).mkdir()
    upright = next(pair.third for pair in plan.pairs if pair.third.shot and pair.third.shot.upright)
    bent = next(pair.first for pair in plan.pairs if pair.first.shot and pair.first.shot.lens.bend)
    for take in (upright, bent):
        assert take.shot
        take = replace(take, shot=replace(take.shot, seconds=1.0, gop=5))
        record(take, tmp_path, Look((64, 48), 23, "veryfast"))
        with av.open(str(tmp_path / "videos" / f"{take.id}.mp4")) as file:
            stream = file.streams.video[0]
            assert float(stream.average_rate or 0) == pytest.approx(take.fps, rel=1e-3)
            assert (stream.width, stream.height) == ((48, 64) if take is not bent and take.shot.upright else (64, 48))
            frames = list(file.decode(stream))
        keys = [i for i, frame in enumerate(frames) if frame.key_frame]
        assert len(frames) == take.frames and max(b - a for a, b in pairwise([*keys, len(frames)])) <= 5
        np.testing.assert_allclose([frame.time for frame in frames], take.times, atol=1e-3)
        assert len(read_truth(tmp_path / "truth" / f"{take.id}.npz")["informative"]) == take.frames

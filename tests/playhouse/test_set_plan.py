"""The plan: scripts, performances, clocks and splits, all without drawing."""

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from actor_observer.errors import UserError
from actor_observer.pairs.clock import Clock
from actor_observer.playhouse.acting.actors import CAST, cast_of
from actor_observer.playhouse.acting.choreography import CHOREOGRAPHIES
from actor_observer.playhouse.acting.scripting.actions import ACTIONS
from actor_observer.playhouse.acting.spells import draw_spells
from actor_observer.playhouse.home.homes import LAYOUTS, layouts_of
from actor_observer.playhouse.home.objects import KINDS
from actor_observer.playhouse.make import _claim
from actor_observer.playhouse.planner import plan_set, plan_together
from actor_observer.playhouse.record import Look
from actor_observer.playhouse.set_plan import SetPlan, performance_of


@pytest.fixture(scope="module")
def plan() -> SetPlan:
    return plan_set(pairs=100, seed=4, labelled=20, tempo="steady")


def test_the_world_is_as_large_as_promised() -> None:
    assert len(LAYOUTS) >= 12 and len(KINDS) >= 24 and len(ACTIONS) >= 30 and len(CAST) >= 12
    assert len(cast_of("train")) >= 6 and len(cast_of("validation")) == 2 and len(cast_of("test")) == 4
    assert {action.verb for action in ACTIONS.values()} == set(CHOREOGRAPHIES)


def test_a_plan_is_the_same_for_a_seed_and_another_for_another() -> None:
    assert plan_set(6, 1, labelled=2) == plan_set(6, 1, labelled=2) != plan_set(6, 2, labelled=2)


def test_scripts_have_three_to_seven_actions_and_last_20_to_40_seconds(plan: SetPlan) -> None:
    lengths = np.array([take.length for take in plan.takes])
    assert all(3 <= len(take.script.steps) <= 7 for take in plan.takes)
    assert lengths.max() <= 40.1 and np.mean(lengths >= 20) > 0.95 and lengths.min() > 15.9


def test_the_clock_maps_phase_boundaries_exactly(plan: SetPlan) -> None:
    for pair in plan.pairs[:20]:
        for third in (pair.third, pair.different):
            assert third is not None
            clock = Clock.parse(str(pair.clock(third)))  # as it goes through clocks.csv
            ends = performance_of(third).ends, performance_of(pair.first).ends
            np.testing.assert_allclose(clock.to_first(ends[0]), ends[1], atol=1e-6)


def test_corresponding_moments_have_the_same_action_phase_and_object(plan: SetPlan) -> None:
    rng = np.random.default_rng(0)
    for pair in plan.pairs[:20]:
        assert pair.different
        for third in (pair.third, pair.different):
            there, here = performance_of(third), performance_of(pair.first)
            times = rng.uniform(0, there.length, 50)
            moments = pair.clock(third).to_first(times)
            steps, phases = there.progress(times)
            np.testing.assert_array_equal(steps, here.progress(moments)[0])
            np.testing.assert_allclose(phases, here.progress(moments)[1], atol=1e-6)
            assert there.in_use(times) == here.in_use(moments)


def test_labels_are_the_actions_of_the_performance(plan: SetPlan) -> None:
    for take in plan.takes[:40]:
        performance = performance_of(take)
        for action, step in zip(take.actions, take.script.steps, strict=True):
            middle = np.array([(action.start + action.end) / 2])
            assert take.script.steps[int(performance.progress(middle)[0][0])] == step
            assert action.label == step.label and action.label in ACTIONS


def test_scaled_time_is_wrong_by_about_as_much_as_in_charades_ego(plan: SetPlan) -> None:
    wrong = []
    for pair in plan.pairs:
        scaled, clock = Clock.scaled(pair.third.length, pair.first.length), pair.clock()
        times = np.linspace(0, pair.third.length, 100)
        wrong.append(np.abs(scaled.to_third(clock.to_first(times)) - times))
    assert 1.0 < float(np.median(np.concatenate(wrong))) < 1.6


def test_splits_share_neither_actors_nor_homes_nor_scripts_nor_looks(plan: SetPlan) -> None:
    for field in ("actor", "layout", "looks", "script"):
        sets = {
            split: {getattr(take, field) for take in plan.takes if take.split == split}
            for split in ("train", "validation", "test")
        }
        for one, two in itertools.combinations(sets.values(), 2):
            assert not one & two, field


def test_labelled_takes_are_apart_from_the_pairs_in_clip_subject_and_script(plan: SetPlan) -> None:
    paired = [take for pair in plan.pairs for take in pair.takes]
    for field in ("id", "actor", "script"):
        assert not {getattr(take, field) for take in plan.labelled} & {getattr(take, field) for take in paired}
    texts = [pair.third.script.text for pair in plan.pairs] + [take.script.text for take in plan.labelled]
    assert len(set(texts)) == len(texts)


def test_the_different_person_is_another_actor_in_another_home(plan: SetPlan) -> None:
    for pair in plan.pairs:
        assert pair.different and pair.different.script == pair.third.script
        assert pair.different.actor != pair.third.actor and pair.different.layout != pair.third.layout
        assert replace(pair.third, id="", view="first", performance=(), filming=()) == replace(
            pair.first, id="", performance=(), filming=()
        )


def test_homes_of_a_split_can_stage_the_scripts_of_each_other() -> None:
    for split in ("train", "validation", "test"):
        for one in layouts_of(split):
            assert any(len(one.kinds & two.kinds) > 1 for two in layouts_of(split) if one != two)


@pytest.mark.parametrize(("view", "share"), [("first", 0.19), ("third", 0.24)])
def test_spells_take_their_share(view: str, share: float) -> None:
    spells = [draw_spells(view, 30.0, np.random.default_rng(seed)) for seed in range(200)]  # type: ignore[arg-type]
    assert sum(s.end - s.start for row in spells for s in row) / 6000 == pytest.approx(share, abs=0.04)


def test_together_at_the_same_speed_differs_by_parts_per_million() -> None:
    rates = [pair.first.rate for pair in plan_together(8, 3, rates=(1 - 100e-6, 1 + 100e-6)).pairs]
    assert len(set(rates)) == 8 and max(abs(rate - 1) for rate in rates) <= 100e-6


def test_together_has_one_performance_with_offset_and_rate() -> None:
    for pair in plan_together(8, 3).pairs:
        clock = pair.clock()
        late = abs(clock.to_third(0.0))
        rate = clock.to_first(1.0) - clock.to_first(0.0)
        assert 2.0 / 1.11 <= late <= 8.0 / 0.89 and 0.9 <= rate <= 1.1
        there, here = np.array([10.0]), np.array([clock.to_first(10.0)])
        np.testing.assert_allclose(pair.third.moments(there), pair.first.moments(here), atol=1e-4)
        assert pair.third.fps != pair.first.fps and pair.first.length > 5


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "\0"])
def test_a_mark_that_cannot_be_read_is_one_line(text: str, tmp_path: Path) -> None:
    (tmp_path / "truth").mkdir()
    (tmp_path / "truth" / "made.json").write_text(text)
    with pytest.raises(UserError, match=r"made\.json: cannot be read"):
        _claim(tmp_path, plan_set(1, 0), Look((224, 168), 23, "veryfast"))

"""Free tempo: two performances differ as people's do, and the clock between them is exact where both do the same."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from actor_observer.errors import UserError
from actor_observer.evaluation import score_quads
from actor_observer.evaluation.compared.not_looking import positions
from actor_observer.features import Embeddings
from actor_observer.pairs.clock import Clock
from actor_observer.playhouse import SetPlan, plan_set
from actor_observer.playhouse.acting.free_tempo import EXTRA, SIGMA
from actor_observer.playhouse.acting.scripting.orders import draw_order
from actor_observer.playhouse.make import _claim
from actor_observer.playhouse.record import Look
from actor_observer.playhouse.set_plan import performance_of
from actor_observer.sampling import quads
from proportion import in_30_seconds, of_plan, unseen


@pytest.fixture(scope="module")
def plan() -> SetPlan:
    return plan_set(pairs=30, seed=4, shares=(0.0, 1.0, 0.0), different=())


def test_free_is_the_default_and_depends_on_nothing_but_the_seed(plan: SetPlan) -> None:
    again = plan_set(pairs=30, seed=4, shares=(0.0, 1.0, 0.0), different=(), tempo="free")
    assert again == plan and all(take.free for take in plan.takes)
    steady = plan_set(pairs=30, seed=4, shares=(0.0, 1.0, 0.0), different=(), tempo="steady")
    assert not any(take.free for take in steady.takes)


def test_a_folder_does_not_mix_tempos(tmp_path: Path) -> None:
    (tmp_path / "truth").mkdir()
    look, seconds = Look((64, 48), 23, "veryfast"), (14.0, 22.0)
    _claim(tmp_path, plan_set(1, 0, seconds=seconds, tempo="steady"), look)
    with pytest.raises(UserError, match="other settings"):
        _claim(tmp_path, plan_set(1, 0, seconds=seconds, tempo="free"), look)


def test_the_clock_is_exact_where_both_do_the_same_and_says_where_they_do_not(plan: SetPlan) -> None:
    for pair in plan.pairs:
        clock = Clock.parse(str(pair.clock()))  # as it goes through clocks.csv
        there, here = performance_of(pair.third), performance_of(pair.first)
        times = np.arange(0.01, there.length, 0.07)
        times = times[np.abs(times[:, None] - there.ends).min(axis=1) > 0.003]
        shown = clock.in_both(times)
        moments = clock.to_first(times[shown])
        assert clock.first_in_both(moments).all()
        np.testing.assert_allclose(clock.to_third(moments), times[shown], atol=1e-9)
        steps, phases = there.progress(times[shown])
        np.testing.assert_array_equal(steps, here.progress(moments)[0])
        np.testing.assert_allclose(phases, here.progress(moments)[1], atol=1e-5)
        assert there.in_use(times[shown]) == here.in_use(moments)
        names = np.array([there.phases[n].name for n in there.at(times)[0]])
        assert not shown[np.isin(names, EXTRA)].any()
        own = there.progress(times)[0]
        left_out = set(range(len(pair.third.script.steps))) - set(pair.first.free.order if pair.first.free else ())
        assert not shown[np.isin(own, list(left_out))].any()


def test_pairs_differ_in_order_in_what_is_played_and_in_starts(plan: SetPlan) -> None:
    clocks = [pair.clock() for pair in plan.pairs]
    turned = [any(a[0][1] > b[0][1] for a, b in pairwise(clock.pieces)) for clock in clocks]
    assert 0.15 < np.mean(turned) < 0.75
    played = [len({take.free.order for take in (pair.third, pair.first) if take.free}) for pair in plan.pairs]
    assert 1 in played and 2 in played
    starts = np.array([clock.pieces[0][0] for clock in clocks])
    assert np.ptp(starts[:, 0]) > 5 and np.median(np.abs(starts[:, 0] - starts[:, 1])) > 1.0
    names = {phase.name for pair in plan.pairs for phase in performance_of(pair.third).phases}
    assert {"retry", "interlude", "pause"} <= names


def test_free_hands_hang_when_the_first_action_begins(plan: SetPlan) -> None:
    """Nobody keeps an arm stretched out from before."""
    for pair in plan.pairs[:15]:
        performance = performance_of(pair.third)
        at = next(n for n, phase in enumerate(performance.phases) if phase.step >= 0)
        if at:
            hands = performance.phases[at - 1].posture
            assert max(hands.dominant[1], hands.other[1]) < 0.3


def test_actions_take_log_normal_times(plan: SetPlan) -> None:
    ratios = []
    for pair in plan.pairs:
        seconds = []
        for take in (pair.third, pair.first):
            performance = performance_of(take)
            steps = np.array([phase.step if phase.name not in EXTRA else -1 for phase in performance.phases])
            lasted = np.diff(performance.ends)
            seconds.append({number: lasted[steps == number].sum() for number in set(steps.tolist()) - {-1}})
        ratios += [np.log(seconds[0][number] / seconds[1][number]) for number in set(seconds[0]) & set(seconds[1])]
    assert np.std(ratios) == pytest.approx(SIGMA * np.sqrt(2), rel=0.2)


def test_orders_keep_things_in_hand_and_doors_shut() -> None:
    """Whatever the order: nothing is put down, used or closed that was not taken or opened before."""
    scripts = {take.script for take in plan_set(pairs=60, seed=9, different=(), tempo="steady").takes}
    changed = 0
    for script in scripts:
        order = draw_order(script, np.random.default_rng(len(script.text)))
        changed += order != tuple(range(len(script.steps)))
        held, opened = "", set[str]()
        for number in order:
            step = script.steps[number]
            if step.verb == "take":
                assert not held
                held = step.thing
            elif step.verb in ("put", "drink", "read", "hold", "eat", "shoes"):
                assert held == step.thing
                held = held if step.verb not in ("put", "shoes") else ""
            elif step.verb == "open":
                opened.add(step.thing)
            elif step.verb == "close":
                assert step.thing in opened
    assert changed > 20


def test_the_rule_that_does_not_look_gets_little() -> None:
    """The goal, on more pairs, is in docs/results/rendered.md; here few pairs, so with room."""
    manifest, pairs = of_plan(30, 4, (0, 30, 0), "validation", "free")
    blind = positions(Embeddings({id: unseen(take) for id, take in manifest.takes.items()}))
    assert score_quads(blind, quads(manifest, pairs)[0], pairs).value < 0.75
    assert in_30_seconds(blind, pairs)[0].value > 3.5

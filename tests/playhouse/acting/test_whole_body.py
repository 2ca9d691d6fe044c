"""Whole-body movement: feet, knees and room are respected, and nothing moves as no person could."""

from dataclasses import replace

import numpy as np
import pytest

from actor_observer.playhouse import plan_together
from actor_observer.playhouse.acting.body import Bodies, pose_body
from actor_observer.playhouse.acting.glances import Glances
from actor_observer.playhouse.acting.performance import Performance
from actor_observer.playhouse.acting.whole_body import MOVES
from actor_observer.playhouse.home.free_floor import clearance, free_spots
from actor_observer.playhouse.home.homes import LAYOUTS, Layout, build_home
from actor_observer.playhouse.set_plan import performance_of
from actor_observer.playhouse.varied_plan import vary

STEP = 0.02


def played(move: str) -> tuple[Performance, Bodies]:
    take = vary(plan_together(1, 5), 5).pairs[0].third
    assert take.lively
    lively = replace(take.lively, moves=(move,), before=12.0, between=0.0, after=0.0)
    performance = performance_of(replace(take, lively=lively))
    times = np.arange(0, performance.length, STEP)
    return performance, pose_body(performance, times, np.zeros((len(times), 3)))


@pytest.mark.parametrize("move", list(MOVES))
def test_every_move_is_one_of_a_person(move: str) -> None:
    performance, bodies = played(move)
    layout = performance.home.layout
    assert (np.abs(bodies.eyes[:, 0]) < layout.width / 2).all() and (np.abs(bodies.eyes[:, 1]) < layout.depth / 2).all()
    assert bodies.eyes[:, 2].min() > 0.5 and bodies.eyes[:, 2].max() < 2.2
    head = np.linalg.norm(np.diff(bodies.eyes, axis=0), axis=1) / STEP
    hands = np.linalg.norm(np.diff(bodies.grips, axis=0), axis=2).max(axis=1) / STEP
    phase = performance.at(np.arange(len(head)) * STEP)[0]
    moves = np.array([performance.phases[i].step < 0 and performance.phases[i].name != "pause" for i in phase])
    assert moves.mean() > 0.2 and head[moves].max() < 4.5 and hands[moves].max() < 12.0  # m/s
    feet = np.stack([bodies.limbs[f"foot_{side}"][0][:, 2] for side in "rl"])
    assert feet.min() > 0.0 and feet.min(axis=0).max() < (0.45 if move in ("jump", "arm swings", "dance") else 0.2)


def test_jumps_leave_the_floor_and_squats_bend_the_knees() -> None:
    _, jump = played("jump")
    feet = np.stack([jump.limbs[f"foot_{side}"][0][:, 2] for side in "rl"]).min(axis=0)
    assert feet.max() - feet.min() > 0.07
    _, squat = played("squats")
    hips = squat.limbs["pelvis"][0][:, 2]
    assert np.quantile(hips, 0.95) - hips.min() > 0.18


def test_steps_are_felt_in_the_head_and_swing_the_arms() -> None:
    performance, lively = played("stroll")
    times = np.arange(0, performance.length, STEP)
    flat = pose_body(replace(performance, gait=0.0), times, np.zeros((len(times), 3)))
    walking = performance.tracks(times).speed > 0.7
    assert walking.any()
    bob = (lively.eyes - flat.eyes)[walking]
    assert bob[:, 2].std() > 0.004 and np.abs(bob).max() < 0.1
    assert np.linalg.norm((lively.grips - flat.grips)[walking], axis=2).mean() > 0.03


def test_glances_are_quick_and_hold_still_in_between() -> None:
    glances = Glances.random(np.random.default_rng(0), 60.0, 2.0, 1.0)
    speed = np.abs(np.diff(glances(np.arange(0, 60, STEP)), axis=0)[:, 0]) / STEP
    assert np.mean(speed == 0) > 0.6 and 1.0 < speed.max() < 8.0  # rad/s


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_free_spots_are_free(layout: Layout) -> None:
    home = build_home(layout, 0)
    spots = free_spots(home, np.random.default_rng(0), 3)
    assert clearance(home, spots).min() > 0.25
    assert np.linalg.norm(spots[0] - spots[1]) > 0.3

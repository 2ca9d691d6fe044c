"""Bodies and things move as bodies and things do."""

import numpy as np
import pytest

from actor_observer.playhouse.acting.body import FORE, HAND, UPPER, pose_body
from actor_observer.playhouse.acting.motion import quaternions, turn_matrix
from actor_observer.playhouse.acting.performance import Performance
from actor_observer.playhouse.acting.things import pose_things
from actor_observer.playhouse.planner import plan_set
from actor_observer.playhouse.set_plan import performance_of


@pytest.fixture(scope="module")
def performances() -> list[Performance]:
    plans = plan_set(pairs=16, seed=11, tempo="steady"), plan_set(pairs=10, seed=12, tempo="free")
    return [performance_of(pair.first) for plan in plans for pair in plan.pairs]


def still(times: np.ndarray) -> np.ndarray:
    return np.zeros((len(times), 3))


def test_quaternions_are_those_of_the_matrices() -> None:
    turns = np.random.default_rng(0).uniform(-3, 3, (200, 3))
    w, x, y, z = quaternions(turn_matrix(turns)).T
    back = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)], -1)  # first column
    np.testing.assert_allclose(back, turn_matrix(turns)[:, :, 0], atol=1e-9)


def test_limbs_keep_their_length_and_hands_reach_their_goals(performances: list[Performance]) -> None:
    missed = []
    for performance in performances:
        times = np.arange(0, performance.length, 0.1)
        bodies, scale = pose_body(performance, times, still(times)), performance.actor.scale
        for side in ("r", "l"):
            upper = np.linalg.norm(bodies.limbs[f"fore_{side}"][0] - bodies.limbs[f"upper_{side}"][0], axis=1)
            np.testing.assert_allclose(upper, UPPER * scale, atol=1e-6)
        tracks, flip = performance.tracks(times), np.array([performance.actor.dominant_side, 1, 1])
        ground = np.concatenate([tracks.root[:, :2], 0 * times[:, None]], axis=1)
        goals = ground[:, None] + np.einsum("tij,tkj->tki", bodies.frame, tracks.hands * flip)
        missed.append(np.linalg.norm(goals - bodies.grips, axis=-1).ravel())
        assert (np.linalg.norm(bodies.hands, axis=-1) * (UPPER + FORE + HAND) < 1.0).all()
    assert np.mean(np.concatenate(missed) > 0.03) < 0.03


def test_nothing_jumps(performances: list[Performance]) -> None:
    for performance in performances:
        times = np.arange(0, performance.length, 1 / 60)
        bodies = pose_body(performance, times, still(times))
        for name, (places, turns) in {**bodies.limbs, **pose_things(performance, times, bodies)}.items():
            np.testing.assert_allclose(np.linalg.det(turns), 1.0, atol=1e-6)
            if not name.startswith(("open_", "fist_")):  # two shapes of one hand, of which one is put away
                speed = np.linalg.norm(np.diff(places, axis=0), axis=1) * 60
                assert speed.max() < 13.0, (name, speed.max())


def test_a_thing_rests_where_it_was_put(performances: list[Performance]) -> None:
    puts = 0
    for performance in performances:
        for number, step in enumerate(performance.script.steps):
            rows = [i for i, phase in enumerate(performance.phases) if phase.step == number]
            if step.verb != "put" or not rows:
                continue
            key = performance.phases[rows[-1]].things[step.thing]
            times = np.array([performance.ends[rows[-1] + 1]])
            place, turn = pose_things(performance, times, pose_body(performance, times, still(times)))[step.thing]
            assert key.carrier == "" and np.allclose(place[0], key.rest)
            assert turn[0][2, 2] == pytest.approx(1.0)  # upright
            puts += 1
    assert puts > 10

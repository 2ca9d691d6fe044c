"""One belief over all clocks: a wrong pair is put right by the others, and a stranger spoils nobody's."""

import itertools

import numpy as np
import pytest

from actor_observer.alignment.joint import Joint, Pull, join, together

OFFSETS = np.arange(-600, 601) / 10


def pull(at: float, sure: float) -> Pull:
    """The belief of two recordings: so much of it at one offset, the rest anywhere."""
    hill = np.exp(-0.5 * ((OFFSETS - at) / 0.1) ** 2)
    return Pull(OFFSETS, np.log(sure * len(OFFSETS) * hill / hill.sum() + 1 - sure))


def joined(truth: list[float], sure: dict[tuple[int, int], float], wrong: dict[tuple[int, int], float]) -> Joint:
    pairs = itertools.combinations(range(len(truth)), 2)
    pulls = {(a, b): pull(wrong.get((a, b), truth[b] - truth[a]), sure.get((a, b), 0.9)) for a, b in pairs}
    return join(len(truth), pulls, shared=0.5)


def test_clocks_add_up_and_all_are_sure() -> None:
    found = joined([0.0, 3.0, -7.5, 12.0], {}, {})
    assert found.offsets == pytest.approx([0.0, 3.0, -7.5, 12.0], abs=0.05)
    assert (found.shares > 0.95).all()


def test_a_wrong_pair_is_put_right_by_the_others() -> None:
    found = joined([0.0, 3.0, -7.5, 12.0, 5.0], {(0, 3): 0.97}, {(0, 3): -20.0})
    assert found.offsets == pytest.approx([0.0, 3.0, -7.5, 12.0, 5.0], abs=0.05)


def test_several_weak_pairs_that_agree_are_worth_more_than_each() -> None:
    weak = {(number, 4): 0.4 for number in range(4)}
    found = joined([0.0, 1.0, 2.0, 3.0, 9.0], weak, {})
    assert found.offsets[4] == pytest.approx(9.0, abs=0.05) and found.shares[4] > 0.7
    alone = joined([0.0, 9.0], {(0, 1): 0.4}, {})
    assert alone.shares[1] < 0.5


def test_a_stranger_is_told_and_spoils_nobodys_clock() -> None:
    strange = {(number, 3): 0.05 for number in range(3)}
    found = joined([0.0, 3.0, -7.5, 0.0], strange, {(0, 3): 30.0, (1, 3): -11.0, (2, 3): 4.0})
    assert found.offsets[:3] == pytest.approx([0.0, 3.0, -7.5], abs=0.05)
    assert (found.shares[:3] > 0.8).all() and found.shares[3] < 0.5


@pytest.mark.parametrize("seed", range(40))
def test_no_clocks_are_told_that_are_less_likely_than_the_truth(seed: int) -> None:
    """A third of the pairs is wrong, some of them surely: the strongest pulls alone lead one world in eight astray."""
    rng = np.random.default_rng(seed)
    truth = rng.uniform(-15, 15, 5).round(1)
    pulls = {}
    for one, other in itertools.combinations(range(5), 2):
        wrong = float(rng.uniform(-30, 30)) if rng.random() < 0.35 else None
        pulls[one, other] = pull(
            float(truth[other] - truth[one]) if wrong is None else round(wrong, 1), rng.uniform(0.3, 0.97)
        )
    least = sum(float(pulls[one, other].at(truth[[other]] - truth[one])[0]) for one, other in pulls)
    assert join(5, pulls, shared=0.5).total >= least - 1e-6


def test_twenty_cameras() -> None:
    truth = [float(offset) for offset in np.random.default_rng(0).uniform(-20, 20, 20)]
    found = joined(truth, {}, {(3, 9): 1.0, (4, 5): -50.0})
    assert found.offsets == pytest.approx(np.array(truth) - truth[0], abs=0.11)


def grouped(truth: list[float], sure: dict[tuple[int, int], float], wrong: dict[tuple[int, int], float]) -> list[int]:
    """Who is in step; two that are not named say nothing about each other."""
    pairs = [*itertools.combinations(range(len(truth)), 2)]
    pulls = {(a, b): pull(wrong.get((a, b), truth[b] - truth[a]), sure.get((a, b), 0.0)) for a, b in pairs}
    joint = join(len(truth), pulls, shared=0.3)
    at = {(a, b): joint.offsets[b] - joint.offsets[a] for a, b in pairs}
    linked = {ends: sure.get(ends, 0.0) * (abs(wrong.get(ends, at[ends]) - at[ends]) < 0.3) for ends in pairs}
    return [*together(joint, pulls, 0.3, linked, sure=0.9)]


def test_who_is_placed_by_nobody_it_was_compared_with_stays_out() -> None:
    assert grouped([0.0, 3.0, 5.0], {(0, 1): 0.97, (1, 2): 0.3}, {}) == [0, 1]
    assert grouped([0.0, 3.0, 5.0], {(0, 1): 0.97, (1, 2): 0.97}, {}) == [0, 1, 2]
    assert grouped([0.0, 3.0, 5.0], {(0, 1): 0.5, (1, 2): 0.5}, {}) == []


def test_several_that_are_unsure_alone_and_agree_are_sure_together() -> None:
    assert grouped([0.0, 3.0, -4.0], {(0, 1): 0.97, (0, 2): 0.8, (1, 2): 0.8}, {}) == [0, 1, 2]
    assert grouped([0.0, 3.0, -4.0], {(0, 1): 0.97, (0, 2): 0.8}, {}) == [0, 1]


def test_the_largest_group_counts_and_of_two_alike_the_one_with_the_first() -> None:
    two_events = {(0, 1): 0.97, (2, 3): 0.97, (3, 4): 0.97, (2, 4): 0.97}
    assert grouped([0.0, 3.0, 1.0, 2.0, 5.0], two_events, {}) == [2, 3, 4]
    assert grouped([0.0, 3.0, 1.0, 2.0], {(0, 1): 0.97, (2, 3): 0.97}, {}) == [0, 1]


@pytest.mark.parametrize("seed", range(20))
def test_two_events_are_not_joined_by_what_they_have_in_common_by_chance(seed: int) -> None:
    """Three cameras and two, each sure among themselves; across, every two are half sure of any offset."""
    rng = np.random.default_rng(seed)
    across = {(a, b): float(rng.uniform(0.2, 0.6)) for a in range(3) for b in (3, 4)}
    chance = {ends: round(float(rng.uniform(-30, 30)), 1) for ends in across}
    own = {(0, 1): 0.97, (1, 2): 0.97, (0, 2): 0.97, (3, 4): 0.97}
    assert grouped([0.0, 3.0, -7.5, 1.0, 6.0], own | across, chance) == [0, 1, 2]

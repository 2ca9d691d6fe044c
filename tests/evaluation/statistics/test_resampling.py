"""Pairs that share a take are drawn together, and one unit gives no interval."""

import math

import numpy as np
import pytest

from actor_observer.evaluation.statistics.bootstrap import Interval, bootstrap
from actor_observer.evaluation.statistics.over_videos import mean_of
from actor_observer.evaluation.statistics.resampling import Resampling
from actor_observer.pairs import Clock, Pair


def linked(*edges: tuple[str, str]) -> Resampling:
    return Resampling.of([Pair(f"{a}{b}", a, b, Clock.scaled(9, 9)) for a, b in edges])


def test_pairs_are_grouped_through_any_chain_of_shared_takes() -> None:
    found = linked(("a", "x"), ("b", "y"), ("c", "x"), ("c", "z"), ("d", "w"))
    assert found.group.tolist() == [0, 1, 0, 0, 2]


def test_takes_of_the_two_views_may_have_the_same_name() -> None:
    assert linked(("1", "2"), ("2", "1")).how == "pairs"


@pytest.mark.parametrize(
    ("edges", "how", "units"),
    [
        ([(f"t{n}", f"f{n}") for n in range(4)], "pairs", 4),  # few, but nothing is shared
        ([(f"t{n}.{c}", f"f{n}") for n in range(12) for c in range(4)], "groups", 12),
        ([(f"t{n}", f"f{m}") for n in range(3) for m in range(5)], "takes", 3),
        ([(f"t{n}", "f") for n in range(5)], "takes", 1),
    ],
)
def test_what_is_drawn_depends_on_what_is_shared(edges: list[tuple[str, str]], how: str, units: int) -> None:
    found = linked(*edges)
    assert (found.how, found.units) == (how, units)


def test_a_group_counts_as_a_whole() -> None:
    found = linked(*[(f"t{n}.{c}", f"f{n}") for n in range(12) for c in range(4)])
    counts = next(found.draws(np.random.default_rng(0), 1)).reshape(12, 4)
    assert (counts == counts[:, :1]).all() and counts.sum() == 48


def test_product_weights_multiply_the_counts_of_both_takes() -> None:
    found = linked(*[(f"t{n}", f"f{m}") for n in range(4) for m in range(5)])
    counts = next(found.draws(np.random.default_rng(0), 1)).reshape(4, 5)
    assert np.linalg.matrix_rank(counts) == 1
    assert counts.sum() == 4 * 5


def test_pairs_of_shared_takes_get_wide_enough_intervals() -> None:
    """Twelve first-person takes with four partners each covered 70 %; the full table is bench/coverage.py's."""
    rng = np.random.default_rng(0)
    over = linked(*[(f"t{n}.{c}", f"f{n}") for n in range(12) for c in range(4)])
    own, naive = [], []
    for _ in range(100):
        values = np.repeat(rng.normal(size=12), 4) + 0.5 * rng.normal(size=48)
        for resampling, covered in ((over, own), (48, naive)):
            found = bootstrap(mean_of(values, np.arange(48)), resampling, replicates=300)
            covered.append(found.low <= 0 <= found.high)
    assert np.mean(own) > 0.87  # of 100 sets: 94 % less three standard deviations
    assert np.mean(naive) < np.mean(own) - 0.1


def test_one_video_has_no_interval() -> None:
    found = bootstrap(mean_of(np.array([1.0, 3.0]), np.array([0, 0])), 1)
    assert found.value == 2.0 and math.isnan(found.low) and not found.known
    assert str(found) == "2.000" and found.percent() == "200.0"
    assert str(Interval(0.5, 0.4, 0.6)) == "0.500 [0.400, 0.600]"


def test_few_videos_widen_the_interval() -> None:
    """Student's factor: the mean of five normal numbers is covered as often as that of a hundred."""
    rng = np.random.default_rng(1)
    covered = []
    for _ in range(150):
        values = rng.normal(size=5)
        found = bootstrap(mean_of(values, np.arange(5)), 5, replicates=150)
        covered.append(found.low <= 0 <= found.high)
    assert np.mean(covered) > 0.87  # plain percentiles: 0.82


def test_pairs_that_all_share_one_take_have_no_interval() -> None:
    shared = linked(*((f"t{n}", "f") for n in range(5)))
    assert not bootstrap(mean_of(np.arange(5.0), np.arange(5)), shared).known


def test_intervals_over_six_videos_hold_the_truth_nearly_as_often_as_they_say() -> None:
    """Plain percentiles hold it in 85 % of cases."""
    rng, held = np.random.default_rng(0), []
    for _ in range(250):
        found = bootstrap(mean_of(rng.normal(size=6), np.arange(6)), 6, replicates=300)
        held.append(found.low <= 0 <= found.high)
    assert 0.91 <= np.mean(held) <= 0.99

"""Intervals of shares hold near 0 and 1 and for few videos, and never claim certainty."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actor_observer.evaluation.statistics.bootstrap import bootstrap
from actor_observer.evaluation.statistics.over_videos import mean_of, mean_share, share_of, top_share
from actor_observer.evaluation.statistics.resampling import Resampling
from actor_observer.evaluation.statistics.shares import share_interval, share_over
from actor_observer.pairs import Clock, Pair


def test_all_right_is_as_sure_as_so_many_videos_are() -> None:
    """Clopper and Pearson: 16 of 16 is at least 0.025 ** (1/16)."""
    found = share_interval([4] * 16, [4] * 16)
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(0.025 ** (1 / 16))
    none = share_interval([0] * 16, [4] * 16)
    assert (none.low, none.high) == pytest.approx((0.0, 1 - 0.025 ** (1 / 16)))


@pytest.mark.parametrize("together", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("true", [0.99, 0.95])
def test_intervals_hold_the_truth_where_a_bootstrap_does_not(true: float, together: float) -> None:
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(300):
        own = np.full(14, true) if together == 0 else (rng.random(14) < true).astype(float)
        own = rng.beta(true, 1 - true, 14) if together == 0.5 else own
        asked = rng.integers(1, 9, 14)
        found = share_interval(rng.binomial(asked, own), asked)
        held += found.low <= true <= found.high
    assert held >= 0.93 * 300


def test_many_videos_that_differ_get_the_interval_of_a_bootstrap() -> None:
    rng = np.random.default_rng(1)
    video = np.repeat(np.arange(80), 40)
    right = (rng.random(3200) < np.clip(rng.normal(0.75, 0.15, 80), 0, 1)[video]).astype(float)
    ours, theirs = share_over(share_of(right, video), 80), bootstrap(mean_of(right, video), 80)
    assert ours.value == pytest.approx(theirs.value)
    assert 1.0 <= (ours.high - ours.low) / (theirs.high - theirs.low) <= 1.2


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=12))
def test_an_interval_holds_its_figure_and_is_never_a_point(answers: list[tuple[int, int]]) -> None:
    counts = [right + wrong for right, wrong in answers]
    found = share_interval([right for right, _ in answers], counts)
    if sum(count > 0 for count in counts) < 2:
        assert not found.known
    else:
        assert 0 <= found.low <= found.value <= found.high <= 1 and found.high - found.low > 0.01


def test_successes_beyond_the_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="between 0 and the counts"):
        share_interval([5], [4])


def test_pairs_that_share_takes_count_as_their_takes_do() -> None:
    """12 by 12 takes, every pair right: 12 of 12, not 144 of 144. One take for all: no interval."""
    clock = Clock.scaled(9, 9)
    every = [Pair(f"{n} {m}", f"t{n}", f"f{m}", clock) for n in range(12) for m in range(12)]
    found = share_over(share_of(np.ones(144), np.arange(144)), Resampling.of(every))
    assert found.low == pytest.approx(0.025 ** (1 / 12))
    star = [Pair(f"{m}", "t", f"f{m}", clock) for m in range(12)]
    assert math.isnan(share_over(share_of(np.ones(12), np.arange(12)), Resampling.of(star)).low)


def test_a_chosen_share_is_as_sure_as_the_videos_that_were_chosen() -> None:
    """The best tenth lies in two videos of twenty, all right: two of two, not twenty."""
    video = np.repeat(np.arange(20), 10)
    found = share_over(top_share(np.ones(200), video, -video.astype(float), 0.1), 20)
    assert found.low == pytest.approx(0.025**0.5)


def test_several_seeds_are_not_more_videos() -> None:
    one = share_of(np.ones(20), np.arange(20))
    assert share_over(mean_share([one, one, one]), 20) == share_over(one, 20)

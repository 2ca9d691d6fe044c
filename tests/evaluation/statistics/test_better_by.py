"""How much better a figure is than the best of its rivals."""

import numpy as np
import pytest

from actor_observer.evaluation.statistics.better_by import better_by
from actor_observer.evaluation.statistics.over_videos import mean_of
from actor_observer.evaluation.statistics.resampling import Resampling

VIDEOS = np.arange(12)
OVER = Resampling.independent(12)


def test_the_best_rival_is_settled_again_in_every_draw() -> None:
    """Two rivals, each good in half of the videos: in most draws one of them is better than both are on the whole."""
    half = (VIDEOS < 6).astype(float)
    mine = mean_of(np.full(12, 0.5), VIDEOS)
    both = better_by(mine, [mean_of(half, VIDEOS), mean_of(1 - half, VIDEOS)], OVER)
    assert both.value == 0 and both.high == pytest.approx(0, abs=1e-9) and both.low < -0.1


def test_less_is_better_where_it_is_an_error() -> None:
    mine, other = (mean_of(values, VIDEOS) for values in (np.full(12, 1.0), 2.0 + VIDEOS / 12))
    assert better_by(mine, [other], OVER, larger=False).low > 0
    assert better_by(other, [mine], OVER, larger=False).high < 0


def test_no_difference_in_any_video_is_not_certainty() -> None:
    """12 videos of 12 leave a share of 26 % open."""
    right = mean_of(np.ones(12), VIDEOS)
    found = better_by(right, [right], OVER)
    assert (found.low, found.value, found.high) == pytest.approx((-0.265, 0.0, 0.265), abs=1e-3)


def test_a_rival_that_was_not_measured_does_not_count() -> None:
    found = better_by(mean_of(np.ones(12), VIDEOS), [lambda counts: float("nan"), lambda counts: 0.5], OVER)
    assert found.value == 0.5
    assert np.isnan(better_by(mean_of(np.ones(12), VIDEOS), [], OVER).value)

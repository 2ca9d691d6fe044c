"""A figure over weighted videos equals that of data in which each video is repeated as often as it counts."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from actor_observer.evaluation.statistics.over_videos import mean_of, median_of, top_share


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 6), st.integers(0, 9999))
def test_counting_a_video_twice_is_having_it_twice(videos: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    video = np.concatenate([np.arange(videos), rng.integers(0, videos, 12)])
    values, choice = rng.integers(0, 9, len(video)) / 4, rng.permutation(len(video)).astype(float)
    counts = rng.integers(0, 3, videos)
    counts[0] = 1
    rows = np.repeat(np.arange(len(video)), counts[video])
    often = counts.astype(float)
    np.testing.assert_allclose(mean_of(values, video)(often), values[rows].mean())
    np.testing.assert_allclose(median_of(values, video)(often), np.median(values[rows]))
    best = rows[np.argsort(-choice[rows], kind="stable")]
    if len(rows) % 2 == 0:
        found = top_share(values, video, choice, share=0.5)(often)
        np.testing.assert_allclose(found, values[best[: len(rows) // 2]].mean())


def test_videos_that_are_not_there_give_no_figure() -> None:
    none = np.zeros(2)
    values, video = np.ones(3), np.array([0, 1, 1])
    assert np.isnan(mean_of(values, video)(none)) and np.isnan(median_of(values, video)(none))

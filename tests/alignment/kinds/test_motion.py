"""Bursts of motion that two recordings share are found, at any frame rates, between frames."""

import numpy as np
import pytest

from actor_observer.alignment.kinds.motion import MotionEvidence, motion_channels, motion_rate
from actor_observer.alignment.recordings.evidence import Scores
from actor_observer.alignment.recordings.lags import Lags, lag_grid
from actor_observer.frames.motion import Motion
from made_motion import made_motion, recording_of


def channels(third: Motion, first: Motion, lags: Lags) -> list[tuple[str, Scores]]:
    return motion_channels(recording_of(third, "third"), recording_of(first, "first"), lags)


def best_offset(third: Motion, first: Motion) -> float:
    """By all channels added up, between lags."""
    lags = lag_grid(third.length, first.length, motion_rate(third, first))
    total = np.sum([scores().sum(axis=0) for _, scores in channels(third, first, lags)], axis=0)
    at = int(total.argmax())
    before, here, after = total[at - 1 : at + 2]
    return float(lags.offsets[at] + 0.5 * (before - after) / (before - 2 * here + after) / lags.per_second)


@pytest.mark.parametrize("rates", [(15.0, 15.0), (30.0, 24.0), (10.0, 30.0), (12.5, 30.0)])
@pytest.mark.parametrize("offset", [7.0, -3.21])
def test_bursts_are_found_at_any_frame_rates(rates: tuple[float, float], offset: float) -> None:
    third, first = made_motion(40, rates[0], salt=1), made_motion(30, rates[1], start=offset, salt=2)
    assert best_offset(third, first) == pytest.approx(offset, abs=0.05)


def test_offsets_between_frames_are_found() -> None:
    apart = []
    for number, offset in enumerate(np.linspace(4.0, 4.0 + 1 / 15, 8)):
        third = made_motion(40, 15, seed=number, salt=1, noise=0.1)
        first = made_motion(30, 15, start=offset, seed=number, salt=2, noise=0.1)
        apart.append(best_offset(third, first) - offset)
    assert np.abs(apart).max() < 0.4 / 15 and np.median(np.abs(apart)) < 0.15 / 15


def test_every_signal_of_either_view_finds_the_offset() -> None:
    third, first = made_motion(60, 15, salt=1), made_motion(45, 15, start=5, salt=2)
    lags = lag_grid(60, 45, 15.0)
    peaks = {name: lags.offsets[scores()[0].argmax()] for name, scores in channels(third, first, lags)}
    assert len(peaks) == 9
    assert {name: peak for name, peak in peaks.items() if abs(peak - 5) > 0.2} == {}


def test_strangers_have_no_peak_like_partners() -> None:
    heights = {}
    for who, seed in (("partner", 0), ("stranger", 5)):
        third, first = made_motion(40, 15, salt=1), made_motion(30, 15, start=5, seed=seed, salt=2)
        lags = lag_grid(40, 30, 15.0)
        total = np.sum([scores().sum(axis=0) for _, scores in channels(third, first, lags)], axis=0)
        heights[who] = total.max() / total.std()
    assert heights["partner"] > 1.5 * heights["stranger"]


def test_where_nothing_moves_motion_says_nothing() -> None:
    moving = made_motion(12, 10, salt=1)
    still = Motion(moving.times, np.zeros_like(moving.whole), np.zeros_like(moving.cells), moving.length)
    lags = lag_grid(12, 12, 10.0)
    assert MotionEvidence().lags(recording_of(still, "third"), recording_of(moving, "first"), lags) is None
    assert MotionEvidence().lags(recording_of(moving, "third"), recording_of(still, "first"), lags) is None


def test_the_rate_is_the_faster_ones_up_to_thirty() -> None:
    slow, fast = made_motion(5, 10), made_motion(5, 30)
    assert motion_rate(slow, fast) == pytest.approx(30, rel=0.01)
    assert motion_rate(slow, slow) == pytest.approx(10, rel=0.01)
    assert motion_rate(made_motion(20, 1), made_motion(20, 2)) == 5.0

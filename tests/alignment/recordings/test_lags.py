"""Correlations at every lag: exact where they can be counted by hand, in chunks as in whole, with drift."""

import numpy as np
import pytest

from actor_observer.alignment.recordings import lags as module
from actor_observer.alignment.recordings.evidence import on_lags
from actor_observer.alignment.recordings.lags import Lags, along_rates, chunk_middles, correlate, lag_grid


@pytest.mark.parametrize(("third", "first"), [(10.0, 5.0), (5.0, 10.0), (8.0, 8.0), (3600.0, 20.0), (3600.0, 3600.0)])
def test_every_offset_leaves_enough_shared_and_none_that_does_is_left_out(third: float, first: float) -> None:
    lags = lag_grid(third, first, 10.0)
    shared = np.minimum(third, lags.offsets + first) - np.maximum(0, lags.offsets)
    least = min(0.2 * min(third, first), 60.0)
    assert shared.min() >= least - 1e-6
    for beyond in (lags.offsets[0] - 0.1, lags.offsets[-1] + 0.1):
        assert min(third, beyond + first) - max(0, beyond) < least


def by_hand(third: np.ndarray, first: np.ndarray, shift: int) -> float:
    pairs = [(i + shift, i) for i in range(len(first)) if 0 <= i + shift < len(third)]
    return sum(third[a] * first[b] for a, b in pairs) / np.sqrt(len(pairs) + 3)  # short overlaps are drawn towards zero


def test_scores_are_the_sums_of_products_over_the_root_of_the_overlap() -> None:
    rng = np.random.default_rng(0)
    third, first = rng.normal(size=40), rng.normal(size=25)
    lags = lag_grid(40.0, 25.0, 1.0)
    scores, middles = correlate(third, first, lags), chunk_middles(25.0)
    expected = np.array([by_hand(third, first, round(offset)) for offset in lags.offsets])
    ratio = scores.sum(axis=0) / expected
    assert scores.shape == (len(middles), lags.count) and middles.mean() == 12.5
    assert np.allclose(ratio, ratio[0])  # one unit for all lags: the spread under chance


def test_chunks_add_up_to_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    third, first = rng.normal(size=400), rng.normal(size=300)
    lags = lag_grid(40.0, 30.0, 10.0)
    whole = correlate(third, first, lags)
    monkeypatch.setattr(module, "CHUNK", 2.0)
    parts, middles = correlate(third, first, lags), chunk_middles(30.0)
    assert len(parts) == len(middles) == 15 and np.allclose(np.diff(middles), 2)
    assert np.allclose(parts.sum(axis=0), whole.sum(axis=0))


def test_unrelated_signals_score_like_chance_however_slow_they_are() -> None:
    rng = np.random.default_rng(2)
    for width in (1, 5, 15):
        smooth = np.ones(width) / np.sqrt(width)
        peaks = []
        for _ in range(30):
            third, first = (np.convolve(rng.normal(size=700), smooth, "same") for _ in range(2))
            third, first = third / third.std(), first / first.std()
            peaks.append(correlate(third, first, lag_grid(70.0, 70.0, 10.0)).sum(axis=0).std())
        assert 0.7 < np.mean(peaks) < 1.3, width


def test_a_constant_signal_says_nothing() -> None:
    scores = correlate(np.zeros(100), np.random.default_rng(0).normal(size=80), lag_grid(10.0, 8.0, 10.0))
    assert not scores.any()


def test_drift_is_found_over_a_long_recording() -> None:
    rng = np.random.default_rng(3)
    per_second, seconds, rate, offset = 5.0, 1800, 1 + 200e-6, 40.0
    bursts = np.convolve(rng.normal(size=round(seconds * per_second * 1.1)), np.hanning(5), "same")
    times = (np.arange(round(0.9 * seconds * per_second)) + 0.5) / per_second
    third = bursts / bursts.std()
    first = np.interp((offset + rate * times) * per_second - 0.5, np.arange(len(third)), third)
    lags = lag_grid(len(third) / per_second, len(first) / per_second, per_second)
    scores, middles = correlate(third, first / first.std(), lags), chunk_middles(len(first) / per_second)
    assert len(middles) > 5
    rates = np.linspace(1 - 400e-6, 1 + 400e-6, 17)
    total = along_rates(scores, middles, lags, rates.tolist())
    best, column = np.unravel_index(total.argmax(), total.shape)
    assert rates[best] == pytest.approx(rate, abs=51e-6)
    at_middle = offset + (rate - 1) * middles.mean()
    assert lags.offsets[column] == pytest.approx(at_middle, abs=0.11)
    assert total.max() > total[8].max()  # better than without drift


def test_scores_at_other_lags_are_read_between_its_own() -> None:
    own, common = Lags(-2, 5, 1.0), Lags(-4, 9, 2.0)
    read = on_lags(own.offsets[None] * 3, own, common)
    assert np.allclose(read[0], common.offsets * 3)

"""Treatments keep when things happen and drop how large, how slow and how regular they are."""

import numpy as np
import pytest

from actor_observer.alignment.kinds.treatments import TREATMENTS, loudness, onsets, ranks, resampled, whitened

RATE = 15.0


def bursts(count: int = 450, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    signal = 0.02 * rng.random(count)
    for at in rng.integers(10, count - 20, 20):
        signal[at : at + 8] += np.hanning(8) * rng.uniform(0.5, 3)
    return signal


@pytest.mark.parametrize("how", TREATMENTS)
def test_all_give_signals_of_mean_zero_and_spread_one_and_of_the_same_length(how: str) -> None:
    for count in (451, 450, 60):
        treated = TREATMENTS[how](bursts(451)[:count], RATE)
        assert len(treated) == count and np.isfinite(treated).all()
        assert abs(treated.mean()) < 1e-9 and treated.std() == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("how", TREATMENTS)
def test_nothing_that_changes_becomes_nothing(how: str) -> None:
    assert not TREATMENTS[how](np.full(100, 3.0), RATE).any()
    assert np.isfinite(TREATMENTS[how](np.zeros(1), RATE)).all()


@pytest.mark.parametrize("how", TREATMENTS)
def test_gain_does_not_matter(how: str) -> None:
    signal = bursts()
    quiet, loud = (TREATMENTS[how](loudness(gain * signal), RATE) for gain in (1.0, 40.0))
    assert np.allclose(quiet, loud, atol=1e-6)


@pytest.mark.parametrize("how", TREATMENTS)
def test_a_shifted_signal_is_treated_alike(how: str) -> None:
    signal = loudness(bursts(900))
    early, late = (TREATMENTS[how](signal[start : start + 450], RATE) for start in (0, 100))
    assert np.corrcoef(early[150:400], late[50:300])[0, 1] > 0.8


def test_ranks_do_not_care_how_large_a_burst_is() -> None:
    signal = bursts()
    huge = signal.copy()
    huge[huge.argmax()] *= 1000
    assert np.corrcoef(ranks(signal, RATE), ranks(np.minimum(huge, 10 * signal.max()), RATE))[0, 1] > 0.8


def test_equal_values_rank_alike_wherever_they_stand() -> None:
    signal = np.zeros(600)
    signal[290:300] = 1.0
    ranked = ranks(signal, RATE)
    assert np.ptp(ranked[:200]) == 0 and ranked[0] == ranked[-1]  # a still stretch is no slope


def test_a_slow_trend_goes_away() -> None:
    signal = bursts()
    rising = signal + np.linspace(0, 3 * signal.std(), len(signal))
    for how in ("ranks", "onsets", "whitened"):
        assert np.corrcoef(TREATMENTS[how](signal, RATE), TREATMENTS[how](rising, RATE))[0, 1] > 0.9, how


def test_onsets_are_where_motion_begins() -> None:
    signal = np.zeros(300)
    signal[100:200] = 1.0
    found = onsets(signal, RATE)
    assert abs(int(found.argmax()) - 100) <= 2
    assert found[195:206].max() < 0.2 * found.max()


def test_whitening_takes_a_rhythm_down_and_leaves_what_does_not_repeat() -> None:
    time = np.arange(900) / RATE
    rhythm = np.sin(2 * np.pi * 1.5 * time)
    once = bursts(900, seed=4)
    mixed = 4 * rhythm + once / once.std()
    shares = {power: abs(np.corrcoef(whitened(power)(mixed, RATE), rhythm)[0, 1]) for power in (0.0, 0.7, 1.0)}
    assert shares[0.0] > 0.9 and shares[0.7] < 0.9 * shares[0.0] and shares[1.0] < 0.8 * shares[0.7]


def test_resampling_keeps_the_times() -> None:
    times = np.array([0.1, 0.4, 0.5, 1.9])
    read = resampled(times, times.astype(np.float32), 2.0, 10.0)
    grid = (np.arange(20) + 0.5) / 10
    assert np.allclose(read, np.clip(grid, 0.1, 1.9), atol=1e-6)

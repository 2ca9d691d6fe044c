"""Two sounds of one event are put in step; others are not."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.signal import fftconvolve, resample

from actor_observer.alignment.hearing import sound_lags
from actor_observer.alignment.hearing.sound import Heard, SoundMatch, match_heard
from actor_observer.alignment.hearing.sound_lags import listen
from actor_observer.frames.audio.sound import SOUND_RATE, Sound
from tiny import write_video
from tiny_sound import match_sound, write_sounding

Track = NDArray[np.float64]


def event(seconds: float, seed: int, rate: int = SOUND_RATE) -> Track:
    """Knocks and rustles at irregular times."""
    rng = np.random.default_rng(seed)
    track = np.zeros(round(seconds * rate))
    for at in rng.integers(0, len(track) - rate // 2, round(3 * seconds)):
        length = rng.integers(rate // 40, rate // 3)
        burst = rng.normal(size=length) * np.exp(-np.arange(length) / (length / 5))
        colour = rng.normal(size=rng.integers(2, 30))
        track[at : at + length] += fftconvolve(burst, colour, "same") / np.abs(colour).sum() * rng.uniform(0.2, 1)
    return track / np.abs(track).max()


def noisy(track: Track, seed: int, share: float = 1.0) -> Track:
    """With noise as strong as the track, 0 dB."""
    noise = np.random.default_rng(1000 + seed).normal(size=len(track)) * track.std() * share
    return (track + noise) / np.abs(track + noise).max()


def heard(track: Track, name: str = "a", start: float = 0.0) -> Heard:
    sound = Sound((track / max(np.abs(track).max(), 1e-9) * 20_000).astype(np.int16), start)
    return Heard(name, sound, listen(sound), sound.silent)


def cut(track: Track, begin: float, end: float, rate: int = SOUND_RATE) -> Track:
    return track[round(begin * rate) : round(end * rate)]


def clock_error(match: SoundMatch, offset: float, rate: float = 1.0) -> float:
    """Seconds off in the middle of what is shared."""
    return abs(match.offset + match.rate * match.middle - (offset + rate * match.middle))


def test_files_of_one_event(tmp_path: Path) -> None:
    rate = 32_000
    track = event(24, 0, rate)
    third = write_sounding(tmp_path / "third.mp4", 0.05 * noisy(cut(track, 0, 18, rate), 1), rate)
    loud = np.clip(8 * noisy(cut(track, 7, 24, rate), 2), -1, 1)  # badly clipped
    loud = resample(loud, round(len(loud) * 44_100 / rate))
    first = write_sounding(tmp_path / "first.mp4", np.stack([loud, loud]), 44_100, start=0.6)
    match = match_sound(third, first)
    assert match is not None and match.sure
    assert clock_error(match, 7 - 0.6) < 0.002
    assert match.offset_error < 0.02 and match.shared == pytest.approx(11, abs=0.1)


def test_no_sound_track(tmp_path: Path) -> None:
    mute = write_video(tmp_path / "mute.mp4")
    sounding = write_sounding(tmp_path / "sounding.mp4", event(2, 0), SOUND_RATE)
    assert match_sound(mute, sounding) is None
    assert match_sound(sounding, mute) is None


def test_silence_says_nothing() -> None:
    match = match_heard(heard(event(12, 0)), heard(np.zeros(12 * SOUND_RATE), "head.mp4"))
    assert match.note == "head.mp4 is silent"
    assert match.probability == 0.5 and not match.sure and not match.candidates


def test_too_short_says_nothing() -> None:
    match = match_heard(heard(event(12, 0)), heard(event(12, 0)[:1000]))
    assert "too little" in match.note and match.probability == 0.5


@pytest.mark.parametrize("seed", range(6))
def test_unrelated_sound_is_refused(seed: int) -> None:
    match = match_heard(heard(event(30, seed)), heard(event(20, 100 + seed)))
    assert not match.sure and match.probability < 0.5


def test_steady_noise_is_refused() -> None:
    rng = np.random.default_rng(0)
    match = match_heard(heard(rng.normal(size=20 * SOUND_RATE)), heard(rng.normal(size=20 * SOUND_RATE)))
    assert match.probability < 0.5


def test_a_clock_that_drifts_by_145_ppm() -> None:
    track = event(150, 3)
    first = resample(cut(track, 20, 140), round(120 * SOUND_RATE * (1 - 145e-6)))
    match = match_heard(heard(noisy(track, 1)), heard(noisy(first, 2)))
    assert match.sure
    assert match.rate == pytest.approx(1 + 145e-6, abs=5e-6)
    assert match.offset == pytest.approx(20, abs=0.002)
    assert abs(match.rate - 1 - 145e-6) < match.rate_error < 50e-6


@pytest.mark.parametrize("most", [60, 5])
def test_chunks_are_joined_along_the_drift(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(sound_lags, "CHUNK", 300)
    monkeypatch.setattr(sound_lags, "MOST_CHUNKS", most)
    cells = np.random.default_rng(0).normal(size=(9000, sound_lags.BANDS)).astype(np.float32)
    third = sound_lags.Pattern(cells, 1.0)
    first = sound_lags.Pattern(cells[np.rint(200 + np.arange(8000) * (1 + 400e-6)).astype(int)], 0.5)
    best = sound_lags.find_lags(third, first)[0]
    assert best.rate == pytest.approx(1 + 400e-6, abs=60e-6)
    assert best.offset + best.rate * 80 == pytest.approx(1 + 4 + (80 - 0.5) * (1 + 400e-6), abs=0.015)


def test_a_loop_is_ambiguous() -> None:
    loop = np.tile(event(4, 5), 8)
    match = match_heard(heard(noisy(loop, 1, 0.3)), heard(noisy(cut(loop, 4, 20), 2, 0.3)))
    assert match.ambiguous and not match.sure
    offsets = [candidate.offset for candidate in match.candidates]
    assert len(offsets) >= 3
    assert all(abs(offset / 4 - round(offset / 4)) < 0.002 for offset in offsets)
    assert sum(candidate.share for candidate in match.candidates) == pytest.approx(1, abs=0.05)


def test_one_sound_over_the_loop_settles_it() -> None:
    loop = np.tile(event(4, 5), 8) + 0.7 * event(32, 6)
    match = match_heard(heard(noisy(loop, 1, 0.3)), heard(noisy(cut(loop, 4, 20), 2, 0.3)))
    assert match.sure and clock_error(match, 4) < 0.002


def test_a_small_overlap_far_out() -> None:
    track = event(95, 7)
    match = match_heard(heard(noisy(cut(track, 0, 50), 1, 0.5)), heard(noisy(cut(track, 42, 95), 2, 0.5)))
    assert match.sure and clock_error(match, 42) < 0.002
    assert match.shared == pytest.approx(8, abs=0.1)


def test_largest_offset() -> None:
    track = event(60, 8)
    whole, part = heard(track), heard(cut(track, 30, 60))
    assert match_heard(whole, part, max_offset=31).sure
    assert not match_heard(whole, part, max_offset=20).sure


def test_sound_that_begins_before_the_pictures() -> None:
    track = event(20, 9)
    match = match_heard(heard(track, start=-0.5), heard(cut(track, 5, 20), start=0.25))
    assert clock_error(match, 5 - 0.5 - 0.25) < 0.002

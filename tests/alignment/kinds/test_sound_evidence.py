"""What sound says of every offset: much for the right one, something against all where nothing agrees, else nothing."""

import numpy as np
import pytest

from actor_observer.alignment.hearing.sound import Heard
from actor_observer.alignment.hearing.sound_lags import listen
from actor_observer.alignment.kinds.sound_evidence import SoundEvidence
from actor_observer.alignment.recordings.lags import lag_grid
from actor_observer.alignment.recordings.recording import Recording
from actor_observer.frames.audio.sound import SOUND_RATE, Sound


def knocks(seconds: float, seed: int) -> np.ndarray:
    """Bursts of noise at random times, full scale."""
    rng = np.random.default_rng(seed)
    samples = rng.normal(0, 30, round(seconds * SOUND_RATE))
    for at in rng.integers(0, len(samples) - 900, round(4 * seconds)):
        samples[at : at + 800] += rng.normal(0, rng.uniform(2000, 9000), 800)
    return samples.clip(-32768, 32767).astype(np.int16)


def recording(samples: np.ndarray, first: bool = False) -> Recording:
    sound = Sound(samples, 0.0)
    heard = Heard("x", sound, listen(sound), sound.silent)
    return Recording(np.zeros(0, np.uint8), "first" if first else "third", len(samples) / SOUND_RATE, recorder=heard)


def scores(third: Recording, first: Recording) -> tuple[np.ndarray, np.ndarray]:
    lags = lag_grid(third.length, first.length, 30.0)
    told = SoundEvidence().lags(third, first, lags)
    assert told is not None
    [(_, found)] = told.channels
    return lags.offsets, found()[0]


def test_one_event_is_high_at_its_offset_and_low_elsewhere() -> None:
    event = knocks(40, 1)
    offsets, found = scores(recording(event), recording(event[6 * SOUND_RATE : 30 * SOUND_RATE], first=True))
    assert offsets[found.argmax()] == pytest.approx(6.0, abs=0.05)
    assert found.max() > 2 and np.median(found) < -2


def test_sounds_that_agree_nowhere_speak_against_one_event_but_only_so_much() -> None:
    _, found = scores(recording(knocks(90, 2)), recording(knocks(60, 3), first=True))
    assert found.min() > -2.5, "one in ten recordings of one event hear nothing of each other"
    assert np.log(np.exp(found).mean()) < -1


def test_silence_says_nothing() -> None:
    silent = recording(np.zeros(20 * SOUND_RATE, np.int16), first=True)
    assert SoundEvidence().lags(recording(knocks(30, 4)), silent, lag_grid(30, 20, 30.0)) is None

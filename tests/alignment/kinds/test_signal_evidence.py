"""A signal is put in step with what it moves: a room camera, a camera on a head, another signal."""

from dataclasses import replace

import numpy as np
import pytest

from actor_observer.alignment.compare import Comparer, Comparison
from actor_observer.alignment.recordings.recording import Recording, open_signal
from actor_observer.signals import Signal, make_signal
from actor_observer.signals.amounts import velocity
from made_motion import BEFORE, FINE, activity, made_motion, recording_of

RNG = np.random.default_rng(3)


def joints(seconds: float, start: float, per_second: float, seed: int = 0, columns: int = 3) -> Signal:
    """Joints of something that moves as `activity` does, seen from event time `start` on, with jitter in its times."""
    rng = np.random.default_rng([seed, 5])
    fine = activity(600, seed)
    moved = np.stack([np.cumsum(fine * np.sign(np.sin(n + np.arange(len(fine)) / 900))) for n in range(columns)]) / FINE
    at = np.sort(
        np.arange(0, seconds, 1 / per_second) + rng.uniform(-0.2, 0.2, round(seconds * per_second)) / per_second
    )
    rows = np.stack([np.interp(BEFORE + start + at, np.arange(len(fine)) / FINE, one) for one in moved], axis=1)
    return make_signal(at + 1000.0, {"joint": rows + rng.normal(0, 1e-4, rows.shape)})


def off(found: Comparison, truth: float) -> float:
    middle = found.other.length / 2
    return abs(found.belief.to_one(middle) - middle - truth)


@pytest.mark.parametrize("view", ["third", "first"])
@pytest.mark.parametrize("per_second", [15.0, 200.0])
def test_a_signal_and_a_camera(view: str, per_second: float) -> None:
    camera = recording_of(made_motion(40, 30), "third" if view == "third" else "first")
    found = Comparer().compare(camera, open_signal(joints(30, 6.4, per_second)))
    assert found.verdict == "in step" and off(found, 6.4) < 0.03 and found.error < 0.1
    strange = Comparer().compare(camera, open_signal(joints(30, 6.4, per_second, seed=9)))
    assert strange.verdict != "in step"


def test_two_signals_without_any_video_with_a_gap() -> None:
    one, other = joints(60, 0.0, 100.0), joints(40, 9.13, 400.0)
    keep = (other.times < 12) | (other.times > 20)
    holed = replace(
        other,
        times=other.times[keep],
        groups=tuple(replace(group, values=group.values[:, keep]) for group in other.groups),
    )
    found = Comparer().compare(open_signal(one), open_signal(holed))
    assert holed.gaps and found.verdict == "in step" and off(found, 9.13) < 0.01


def test_a_signal_that_never_moves_says_nothing() -> None:
    at = np.arange(900) / 30
    still = open_signal(make_signal(at, {"joint": np.ones(900)}))
    found = Comparer().compare(recording_of(made_motion(40, 30), "third"), still)
    assert found.verdict == "cannot tell" and not found.telling


def test_gravity_and_bias_are_taken_away() -> None:
    at = np.arange(2000) / 100
    shaken = 0.5 * np.sin(9 * at)
    pulled = make_signal(at, {"acc": np.stack([shaken, 0 * at, 9.81 + 0 * at], 1)})
    gyro = make_signal(at, {"gyro": np.stack([shaken + 3.0, 0.1 * shaken, 0.2 * shaken], 1)})
    assert pulled.groups[0].nature == "acceleration" and gyro.groups[0].nature == "rate"
    for signal in (pulled, gyro):
        assert np.abs(velocity(signal, signal.groups[0], 50.0).mean(axis=1)).max() < 0.01


def test_a_gyroscope_is_compared_axis_by_axis_however_it_was_mounted() -> None:
    at = np.arange(6000) / 100
    smooth = np.stack([np.convolve(RNG.normal(size=6000), np.hanning(25), "same") for _ in range(3)], 1)
    turned, _ = np.linalg.qr(RNG.normal(size=(3, 3)))
    one = open_signal(make_signal(at, {"gyro": smooth}))
    other = make_signal(at[1000:5000], {"gyro": (smooth @ turned.T + RNG.normal(0, 0.3, smooth.shape))[1000:5000]})
    found = Comparer().compare(one, open_signal(other))
    assert found.verdict == "in step" and off(found, 10.0) < 0.005


def test_telemetry_in_a_video_counts_with_its_pictures() -> None:
    room, head = recording_of(made_motion(24, 15), "third"), recording_of(made_motion(16, 15, 6.4, salt=2), "first")
    plain = Comparer().compare(room, head)
    head.__dict__["numbers"] = joints(16, 6.4, 200.0)  # as if a camera had written it
    both = Comparer().compare(room, head)
    assert "signal" in both.belief.kinds and "signal" not in plain.belief.kinds and off(both, 6.4) < 0.1


def test_a_recording_knows_what_it_is() -> None:
    signal = open_signal(joints(10, 0.0, 50.0))
    assert (signal.source, signal.shows, signal.sound) == ("signal", False, None) and signal.motion.still
    assert isinstance(signal, Recording) and signal.numbers is signal.signal

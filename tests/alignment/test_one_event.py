"""All evidence added up: the offset follows the recordings, two that fit are both told, the error bar covers."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from actor_observer.alignment.calibration import load_calibration
from actor_observer.alignment.evidence import LagScores
from actor_observer.alignment.kinds.motion import FIRST, THIRD, MotionEvidence, motion_rate
from actor_observer.alignment.kinds.treatments import TREATMENTS
from actor_observer.alignment.lags import Lags
from actor_observer.alignment.one_event import OneEvent, weigh_one_event
from actor_observer.alignment.recording import Recording
from actor_observer.frames.motion import Motion
from made_motion import BEFORE, FINE, activity, made_motion, recording_of

WEIGHTS = {f"{third}/{first}/{how}": 0.05 for third in THIRD for first in FIRST for how in TREATMENTS}


def weigh(third: Motion, first: Motion, **settings: Any) -> OneEvent:
    recordings = recording_of(third, "third"), recording_of(first, "first")
    return weigh_one_event(*recordings, [MotionEvidence()], WEIGHTS, motion_rate(third, first), **settings)


def at_middle(found: OneEvent, first: Motion) -> float:
    return found.to_third(first.length / 2) - first.length / 2


@pytest.mark.parametrize("shift", [-2.0, 0.4, 3.7])
def test_shifting_one_recording_shifts_the_offset(shift: float) -> None:
    third = made_motion(40, 15, salt=1)
    here, there = (weigh(third, made_motion(30, 15, start=start, salt=2)) for start in (3.0, 3.0 + shift))
    assert here.offset == pytest.approx(3.0, abs=0.05)
    assert there.offset - here.offset == pytest.approx(shift, abs=0.05)
    assert here.mass > 0.9 and here.rate == 1.0


def test_exchanging_the_recordings_turns_the_offset_round() -> None:
    third, first = made_motion(40, 15, salt=1), made_motion(30, 15, start=4.0, salt=2)
    assert weigh(first, third).offset == pytest.approx(-weigh(third, first).offset, abs=0.1)


def test_identical_halves_are_two_candidates_of_like_shares() -> None:
    half = activity(600)[BEFORE * FINE : (BEFORE + 20) * FINE]
    twice = np.concatenate([np.full(BEFORE * FINE, 0.02), half, half, np.full(BEFORE * FINE, 0.02)])
    third = made_motion(40, 15, salt=1, event=twice)
    found = weigh(third, made_motion(16, 15, start=2.0, salt=2, event=twice))
    offsets = sorted(one.offset for one in found.candidates[:2])
    assert np.allclose(offsets, [2.0, 22.0], atol=0.05)
    assert min(one.share for one in found.candidates[:2]) > 0.1 and found.mass < 0.9
    assert found.offset_error > 10  # the other offset lies within the error bar
    assert load_calibration().in_step(found) < load_calibration().sure


def test_no_offset_beyond_the_largest_is_given() -> None:
    third, first = made_motion(40, 15, salt=1), made_motion(30, 15, start=6.0, salt=2)
    assert weigh(third, first, max_offset=10.0).offset == pytest.approx(6.0, abs=0.05)
    for most in (0.0, 2.0, 4.0):
        found = weigh(third, first, max_offset=most)
        assert abs(found.offset) <= most + 0.5 / 15 + 1e-9
        assert all(abs(one.offset) <= most + 1 / 15 for one in found.candidates)


def test_a_largest_offset_that_leaves_nothing_shared_is_no_crash() -> None:
    third, first = made_motion(60, 10, salt=1), made_motion(60, 10, start=200, salt=2)
    far = weigh(third, made_motion(8, 10, start=3.0, salt=2), max_offset=0.0)
    assert abs(far.offset) < 0.1
    assert np.isfinite(weigh(third, first, max_offset=1.0).mass)


def test_the_error_bar_covers_the_truth() -> None:
    rng = np.random.default_rng(0)
    covered, widths = [], []
    for number in range(40):
        offset = float(rng.uniform(-5, 12))
        noise = float(rng.choice([0.3, 1.0, 2.0]))
        third = made_motion(36, 15, seed=number, salt=1, noise=noise)
        first = made_motion(24, 15, start=offset, seed=number, salt=2, noise=noise)
        found = weigh(third, first)
        covered.append(abs(at_middle(found, first) - offset) <= found.offset_error)
        widths.append(found.offset_error)
    assert np.mean(covered) >= 0.9
    assert np.median(widths) < 0.2  # and is no barn door


def test_drift_is_told_with_its_error_and_can_be_ruled_out() -> None:
    rate, offset = 1 + 100e-6, 20.0
    long = activity(1500)
    third = made_motion(1400, 6, salt=1, event=long)
    first = made_motion(1300, 6, start=offset, rate=rate, salt=2, event=long)
    found = weigh(third, first)
    assert found.rate == pytest.approx(rate, abs=found.rate_error) and found.rate_error < 150e-6
    assert found.to_third(650.0) == pytest.approx(offset + rate * 650, abs=0.05)
    assert weigh(third, first, same_speed=True).rate == 1.0


@pytest.mark.parametrize("apart", [0.0, 3.0])
def test_sound_that_speaks_for_another_offset_than_the_pictures_is_said(apart: float) -> None:
    class Sound:
        name = "sound"

        def lags(self, third: Recording, first: Recording, lags: Lags) -> LagScores:
            heard = np.where(np.abs(lags.offsets - 4.0 - apart) < 0.05, 6.0, -4.0)[None]
            return LagScores([("!sound", lambda: heard)], np.array([first.length / 2]))

    third, first = made_motion(40, 15, salt=1), made_motion(30, 15, start=4.0, salt=2)
    both = recording_of(third, "third"), recording_of(first, "first")
    found = weigh_one_event(*both, [MotionEvidence(), Sound()], WEIGHTS, 15.0)
    assert found.disagree == (apart > 0)
    assert (load_calibration().in_step(found) <= 0.5) == (apart > 0)


class Silent:
    """A kind of evidence that has nothing to go by."""

    name = "silent"

    def lags(self, third: Recording, first: Recording, lags: Lags) -> LagScores | None:
        return None


def test_without_any_evidence_the_middles_come_together() -> None:
    third, first = made_motion(40, 10), made_motion(30, 10)
    found = weigh_one_event(recording_of(third, "third"), recording_of(first, "first"), [Silent()], {}, 10.0)
    assert found.offset == pytest.approx(5.0, abs=0.06)
    assert found.kinds == {} and found.mass < 0.1 and abs(found.strength) < 1e-9


@pytest.mark.parametrize("weights", [{}, {"one": 0.0}])
def test_a_channel_without_a_weight_has_no_say(weights: Mapping[str, float]) -> None:
    class Loud:
        name = "loud"

        def lags(self, third: Recording, first: Recording, lags: Lags) -> LagScores:
            return LagScores([("one", lambda: 50 * (lags.offsets == 8.0)[None].astype(float))], np.array([15.0]))

    both = recording_of(made_motion(40, 10), "third"), recording_of(made_motion(30, 10), "first")
    assert weigh_one_event(*both, [Loud()], weights, 10.0).offset == pytest.approx(5.0, abs=0.06)
    assert weigh_one_event(*both, [Loud()], {"one": 1.0}, 10.0).offset == pytest.approx(8.0)

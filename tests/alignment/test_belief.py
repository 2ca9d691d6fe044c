"""All evidence added up: the offset follows the recordings, two that fit are both told, sound alone decides."""

from typing import Any

import numpy as np
import pytest

from actor_observer.alignment.belief import Belief, believe
from actor_observer.alignment.calibration import EventCalibration, ViewsCalibration
from actor_observer.alignment.compare import Comparer, Comparison
from actor_observer.alignment.curve import add_up
from actor_observer.alignment.kinds.motion import HEAD, ROOM, USED, MotionEvidence
from actor_observer.alignment.recordings.evidence import Evidence, LagScores, Sense
from actor_observer.alignment.recordings.lags import Lags, chunk_middles, lag_grid
from actor_observer.alignment.recordings.recording import Recording
from actor_observer.frames.motion import Motion
from made_motion import BEFORE, FINE, activity, made_motion, recording_of

WEIGHTS = {f"{room}/{head}/{how}": 0.5 for room in ROOM for head in HEAD for how in USED}
STEP = (-2.0, 0.5, 0.5, 0.5, 0.5, 0.0, 0.0, 0.0)  # bias, then factors
PLAIN = ViewsCalibration(WEIGHTS, STEP, STEP, 0.05, (2.0, 1.0, 0.02))
BOTH = EventCalibration(dict.fromkeys(("room and head", "room and room", "head and head"), PLAIN), 0.9, 0.5)


class Says:
    """Evidence that speaks for one offset."""

    def __init__(self, name: str, sense: Sense, at: float, height: float, likelihood: bool) -> None:
        self.name, self.sense, self.likelihood = name, sense, likelihood
        self.at, self.height = at, height

    def lags(self, one: Recording, other: Recording, lags: Lags) -> LagScores:
        said = np.where(np.abs(lags.offsets - self.at) < 0.1, self.height, -4.0)[None]
        return LagScores([(self.name, lambda: said)], np.array([other.length / 2]))


def compare(third: Motion, first: Motion, *more: Evidence, **settings: Any) -> Comparison:
    recordings = recording_of(third, "third"), recording_of(first, "first")
    comparer = Comparer(kinds=(MotionEvidence(), *more), calibration=BOTH, **settings)
    return comparer.compare(*recordings)


def weigh(third: Motion, first: Motion, *more: Evidence, **settings: Any) -> Belief:
    return compare(third, first, *more, **settings).belief


@pytest.mark.parametrize("shift", [-2.0, 0.4, 3.7])
def test_shifting_one_recording_shifts_the_offset(shift: float) -> None:
    third = made_motion(40, 15, salt=1)
    here, there = (weigh(third, made_motion(30, 15, start=start, salt=2)) for start in (3.0, 3.0 + shift))
    assert here.offset == pytest.approx(3.0, abs=0.05)
    assert there.offset - here.offset == pytest.approx(shift, abs=0.05)
    assert here.confidence > 0.9 and here.rate == 1.0


def test_exchanging_two_room_cameras_turns_the_offset_round_and_is_as_sure() -> None:
    one, other = (
        recording_of(made_motion(40, 15, start=start, salt=salt), "third") for start, salt in ((0, 1), (4, 2))
    )
    comparer = Comparer(kinds=(MotionEvidence(),), calibration=BOTH)
    there, back = comparer.compare(one, other).belief, comparer.compare(other, one).belief
    assert back.offset == pytest.approx(-there.offset, abs=0.05)
    assert back.confidence == pytest.approx(there.confidence, abs=0.05)


def test_identical_halves_are_two_candidates_of_like_shares() -> None:
    half = activity(600)[BEFORE * FINE : (BEFORE + 20) * FINE]
    twice = np.concatenate([np.full(BEFORE * FINE, 0.02), half, half, np.full(BEFORE * FINE, 0.02)])
    found = weigh(made_motion(40, 15, salt=1, event=twice), made_motion(16, 15, start=2.0, salt=2, event=twice))
    offsets = sorted(one.offset for one in found.candidates[:2])
    assert np.allclose(offsets, [2.0, 22.0], atol=0.05)
    assert min(one.share for one in found.candidates[:2]) > 0.05 and found.confidence < 0.9
    assert found.confidence == pytest.approx(found.candidates[0].share)


def test_where_recordings_usually_meet_is_no_rival_of_what_was_seen() -> None:
    """A weak narrow peak has less of the belief than the broad middle that nobody has seen anything speak for."""
    lags = lag_grid(40.0, 30.0, 60.0)
    peak = 12 * np.exp(-0.5 * ((lags.offsets - 30.0) / 0.01) ** 2)
    found = believe(add_up({"a": peak[None]}, (), np.array([15.0]), lags, (40.0, 30.0), {"a": "motion"}), tells=0.002)
    assert found.offset == pytest.approx(30.0, abs=0.02) and found.confidence < 0.01
    assert all(one.share <= 2 * found.confidence + 1e-9 for one in found.candidates)


def test_what_speaks_for_an_offset_in_one_moment_alone_makes_the_error_bar_wider() -> None:
    lags, length = lag_grid(40.0, 30.0, 15.0), (40.0, 30.0)
    middles = chunk_middles(30.0)
    hill = np.exp(-0.5 * ((lags.offsets - 6.0) / 0.1) ** 2)
    alike, moved = np.tile(5 * hill, (len(middles), 1)), np.tile(5 * hill, (len(middles), 1))
    moved[:2] = 12 * np.exp(-0.5 * ((lags.offsets - 6.15) / 0.1) ** 2)  # two chunks disagree by 0.15 s
    steady, torn = (believe(add_up({"a": x}, (), middles, lags, length, {"a": "motion"}), 0.9) for x in (alike, moved))
    assert steady.jumps == pytest.approx(0.0, abs=1e-6) and torn.jumps > 0.03
    assert PLAIN.error_of(torn) > PLAIN.error_of(steady)


def test_what_is_heard_at_an_offset_keeps_the_error_bar_narrow_whatever_moves() -> None:
    lags, length = lag_grid(40.0, 30.0, 15.0), (40.0, 30.0)
    middles = chunk_middles(30.0)
    torn = np.tile(5 * np.exp(-0.5 * ((lags.offsets - 6.0) / 0.1) ** 2), (len(middles), 1))
    torn[:2] = 12 * np.exp(-0.5 * ((lags.offsets - 6.15) / 0.1) ** 2)
    heard = np.zeros_like(torn)
    heard[0] = 60 * np.exp(-0.5 * ((lags.offsets - 6.0) / 0.05) ** 2)
    senses = {"moves": "motion", "knocks": "sound"}
    without = believe(add_up({"moves": torn}, (), middles, lags, length, senses), 0.9)
    found = believe(add_up({"moves": torn, "knocks": heard}, ("knocks",), middles, lags, length, senses), 0.9)
    assert found.offset == pytest.approx(6.0, abs=0.05) and found.jumps < 0.5 * without.jumps


def test_no_offset_beyond_the_largest_is_given() -> None:
    third, first = made_motion(40, 15, salt=1), made_motion(30, 15, start=6.0, salt=2)
    assert weigh(third, first, max_offset=10.0).offset == pytest.approx(6.0, abs=0.05)
    for most in (0.0, 2.0, 4.0):
        found = weigh(third, first, max_offset=most)
        assert abs(found.offset) <= most + 0.5 / 15 + 1e-9 and not found.edge


def test_a_best_offset_at_the_edge_of_what_is_considered_is_never_sure() -> None:
    third, first = made_motion(40, 15, salt=1), made_motion(30, 15, start=200.0, salt=2)
    found = weigh(third, first, Says("loud", "sound", 34.0, 40.0, likelihood=True))
    assert found.edge and found.confidence <= 0.5


def test_the_error_bar_covers_the_truth() -> None:
    rng = np.random.default_rng(0)
    covered = []
    for number in range(30):
        offset, noise = float(rng.uniform(-5, 12)), float(rng.choice([0.3, 1.0]))
        third = made_motion(36, 15, seed=number, salt=1, noise=noise)
        first = made_motion(24, 15, start=offset, seed=number, salt=2, noise=noise)
        found = compare(third, first)
        if found.verdict == "in step":
            covered.append(abs(found.belief.to_one(12.0) - 12.0 - offset) <= found.error)
    assert len(covered) > 15 and np.mean(covered) >= 0.9


def test_drift_is_told_with_its_error_and_can_be_ruled_out() -> None:
    rate, offset = 1 + 100e-6, 20.0
    long = activity(1500)
    third = made_motion(1400, 12, salt=1, event=long)
    first = made_motion(1300, 12, start=offset, rate=rate, salt=2, event=long)
    found = weigh(third, first)
    assert found.rate == pytest.approx(rate, abs=found.rate_error) and found.rate_error < 150e-6
    assert found.to_one(650.0) == pytest.approx(offset + rate * 650, abs=0.05)
    assert weigh(third, first, same_speed=True).rate == 1.0


@pytest.mark.parametrize("apart", [0.0, 3.0])
def test_sound_that_speaks_for_another_offset_than_the_pictures_is_said(apart: float) -> None:
    third, first = made_motion(40, 15, salt=1), made_motion(30, 15, start=4.0, salt=2)
    found = weigh(third, first, Says("sound", "sound", 4.0 + apart, 8.0, likelihood=True))
    assert found.split == (apart > 0)
    assert (found.confidence <= 0.5) == (apart > 0)


def test_sound_alone_decides_where_it_is_alone() -> None:
    still = made_motion(40, 10, salt=1)
    still = Motion(still.times, np.zeros_like(still.whole), np.zeros_like(still.cells), still.length)
    both = recording_of(still, "third"), recording_of(still, "first")
    found = Comparer(kinds=(MotionEvidence(), Says("sound", "sound", 7.0, 9.0, likelihood=True)), calibration=BOTH)
    told = found.compare(*both)
    assert told.verdict == "in step" and told.belief.offset == pytest.approx(7.0, abs=0.1)


def test_without_any_evidence_the_middles_come_together_and_nothing_is_told() -> None:
    both = recording_of(made_motion(40, 10), "third"), recording_of(made_motion(30, 10), "first")
    found = Comparer(kinds=(), calibration=BOTH).compare(*both)
    assert found.belief.offset == pytest.approx(5.0, abs=0.06)
    assert not found.telling and found.verdict == "cannot tell" and found.confidence == 0


def test_a_channel_without_a_weight_has_no_say_and_a_likelihood_needs_none() -> None:
    both = recording_of(made_motion(40, 10), "third"), recording_of(made_motion(30, 10), "first")
    for likelihood, offset in ((False, 5.0), (True, 8.0)):
        kinds = (Says("loud", "sight", 8.0, 50.0, likelihood),)
        found = Comparer(kinds=kinds, calibration=BOTH).compare(*both)
        assert found.belief.offset == pytest.approx(offset, abs=0.11)

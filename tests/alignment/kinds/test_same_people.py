"""Two cameras: somebody who moves alike in both pictures, whoever else moves in either."""

import numpy as np

from actor_observer.alignment.kinds.same_people import LONGEST, SamePeople
from actor_observer.alignment.recordings.lags import lag_grid
from actor_observer.alignment.recordings.recording import open_signal
from actor_observer.frames.motion import Motion
from actor_observer.model.motion_heads import HEAD_RATE
from actor_observer.signals import make_signal
from made_motion import made_motion, recording_of, room


def test_one_person_is_found_in_two_pictures_with_a_stranger_in_each() -> None:
    here = room({1: made_motion(30, 15, seed=1, salt=1), 6: made_motion(30, 15, seed=5)})
    there = room({5: made_motion(24, 15, start=4.0, seed=1, salt=2), 1: made_motion(24, 15, seed=6)})
    lags = lag_grid(30, 24, HEAD_RATE)
    found = SamePeople().lags(recording_of(here, "third"), recording_of(there, "third"), lags)
    assert found is not None
    ((name, scores),) = found.channels
    told = scores()
    assert name == "same people" and told.shape == (len(found.middles), lags.count)
    assert abs(float(lags.offsets[told.sum(axis=0).argmax()]) - 4.0) < 0.2


def test_the_order_of_the_two_hardly_matters() -> None:
    one, other = made_motion(20, 15, seed=1, salt=1), made_motion(20, 15, start=2.0, seed=1, salt=2)
    both = recording_of(room({1: one}), "third"), recording_of(room({5: other}), "third")
    lags, best = lag_grid(20, 20, HEAD_RATE), []
    for pair in (both, both[::-1]):
        found = SamePeople().lags(*pair, lags)
        assert found is not None
        best.append(float(lags.offsets[found.channels[0][1]().sum(axis=0).argmax()]))
    assert abs(best[0] + best[1]) < 0.2 and abs(best[0] - 2.0) < 0.2


def test_a_head_camera_sees_somebody_whom_a_room_camera_sees_too() -> None:
    here = room({1: made_motion(30, 15, seed=1, salt=1), 6: made_motion(30, 15, seed=5)})
    there = room({5: made_motion(24, 15, start=4.0, seed=1, salt=2)})
    lags = lag_grid(30, 24, HEAD_RATE)
    found = SamePeople().lags(recording_of(here, "third"), recording_of(there, "first"), lags)
    assert found is not None
    told = found.channels[0][1]().sum(axis=0)
    assert abs(float(lags.offsets[told.argmax()]) - 4.0) < 0.2


def test_it_says_nothing_of_signals_of_still_pictures_and_of_very_long_ones() -> None:
    moved = made_motion(8, 15)
    still = Motion(moved.times, np.zeros_like(moved.whole), np.zeros_like(moved.cells), 8.0)
    room_camera, lags = recording_of(moved, "third"), lag_grid(8, 8, HEAD_RATE)
    joints = open_signal(make_signal(moved.times, {"joint": np.sin(moved.times)}))
    assert SamePeople().lags(room_camera, joints, lags) is None
    assert SamePeople().lags(room_camera, recording_of(still, "third"), lags) is None
    long = recording_of(Motion(moved.times, moved.whole, moved.cells, LONGEST), "third")
    assert SamePeople().lags(room_camera, long, lags) is None

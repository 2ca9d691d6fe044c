"""The motion of real recordings: what a coding left in the pictures is mended where it is, and only there."""

import numpy as np

from made_motion import made_motion
from real_motion_set import JUMP, without_jumps


def test_jumps_are_mended_on_the_clock_of_the_event_and_nothing_else_is_touched() -> None:
    moved, offset, rate = made_motion(20, 15, salt=1), 1.3, 1.0
    at = offset + moved.times / rate
    near = np.abs((at + 2.5) % 5 - 2.5) < JUMP
    moved.whole[near] += 100
    found = without_jumps(moved, offset, rate, every=5.0)
    assert near.sum() >= 4 and found.whole[near].max() < 100
    assert np.array_equal(found.whole[~near], moved.whole[~near]) and found.whole.dtype == moved.whole.dtype
    assert np.array_equal(found.times, moved.times) and found.cells.dtype == moved.cells.dtype

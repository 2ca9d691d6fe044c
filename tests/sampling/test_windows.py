import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from actor_observer.sampling import frame_times, moments


@given(st.floats(0.05, 100.0), st.floats(1.0, 30.0), st.floats(0.2, 3.0))
def test_moments_are_whole_windows_inside_the_take(length: float, rate: float, seconds: float) -> None:
    found = moments(length, rate, seconds)
    assert len(found) >= 1
    assert (found.times > 0).all() and (found.times < length).all()
    assert len({len(row) for row in found.frames}) == 1  # the same number of frames everywhere, borders included
    assert (np.diff(found.frames, axis=1) == 1).all()
    np.testing.assert_allclose(found.centre, found.times[found.frames].mean(axis=1))
    assert set(found.frames.flatten().tolist()) == set(range(len(found.times)))


def test_a_take_shorter_than_a_moment_is_one_moment() -> None:
    assert len(moments(0.4, look_rate=6.0)) == 1
    assert frame_times(0.01).tolist() == [0.005]


def test_charades_numbers() -> None:
    found = moments(31.2, look_rate=6.0)
    assert len(found.times) == 187
    assert found.frames.shape == (182, 6)

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from actor_observer.pairs import Clock, ClockTable

steps = st.floats(0.01, 30.0)


@st.composite
def clocks(draw: st.DrawFn) -> Clock:
    pieces = draw(st.lists(st.tuples(steps, steps), min_size=1, max_size=6))
    start = draw(st.tuples(st.floats(-20, 20), st.floats(-20, 20)))
    return Clock(tuple(map(tuple, np.cumsum([start, *pieces], axis=0))))


@given(clocks(), st.floats(-100, 100))
def test_there_and_back(clock: Clock, time: float) -> None:
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in zip(clock.anchors, clock.anchors[1:], strict=False)]
    tolerance = 1e-9 * max(1.0, *slopes, *(1 / slope for slope in slopes)) * 1000
    assert clock.to_third(clock.to_first(time)) == pytest.approx(time, abs=tolerance)
    assert clock.inverse().to_third(time) == pytest.approx(clock.to_first(time), abs=tolerance)


@given(clocks(), st.floats(-100, 100), st.floats(0.001, 50))
def test_time_never_runs_backwards(clock: Clock, time: float, later: float) -> None:
    assert clock.to_first(time + later) > clock.to_first(time)


@given(clocks())
def test_anchors_are_met_and_text_reads_back(clock: Clock) -> None:
    third, first = np.array(clock.anchors).T
    np.testing.assert_allclose(clock.to_first(third), first)
    assert Clock.parse(str(clock)) == clock


@given(st.lists(clocks(), min_size=1, max_size=5), st.data())
def test_a_table_of_clocks_equals_each_clock(many: list[Clock], data: st.DataObject) -> None:
    many = [*many, Clock(((3.0, 1.0),))]
    which = data.draw(st.lists(st.integers(0, len(many) - 1), min_size=1, max_size=9))
    times = data.draw(st.lists(st.floats(-50, 150), min_size=len(which), max_size=len(which)))
    expected = [many[number].to_first(time) for number, time in zip(which, times, strict=True)]
    np.testing.assert_allclose(ClockTable(many).to_first(np.array(which), np.array(times)), expected, atol=1e-6)


@given(clocks(), st.floats(0.1, 100), st.floats(0.1, 100))
def test_overlap_lies_in_both_takes(clock: Clock, third_length: float, first_length: float) -> None:
    start, end = clock.overlap(third_length, first_length)
    assert 0 <= start <= end <= third_length
    if end > start:
        assert clock.to_first(start) >= -1e-6
        assert clock.to_first(end) <= first_length + 1e-6


@pytest.mark.parametrize(
    ("text", "complaint"),
    [("", "at least one"), ("0:1;0:2", "increase"), ("0:5;9:1", "increase"), ("nan:0", "finite"), ("a", "third:first")],
)
def test_impossible_clocks_are_refused(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Clock.parse(text)

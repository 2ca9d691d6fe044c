"""What beginning costs a run is told apart from how fast it goes."""

from clip_speed import begun, told


def test_beginning_and_speed_are_told_apart() -> None:
    assert begun(seconds=3 + 4 * 2.0, of_half=3 + 2 * 2.0, takes=4) == (3.0, 2.0)
    assert begun(seconds=3 + 5 * 2.0, of_half=3 + 2 * 2.0, takes=5) == (3.0, 2.0)
    assert told((3.0, 2.0), shown_each=100) == "once begun 50; 3.0 s to begin and end"
    assert told((3.0, 2.0), shown_each=100, alone_each=1.5) == "once begun 50: 75%; 3.0 s to begin and end"


def test_what_is_too_short_to_tell_is_not_told() -> None:
    assert begun(seconds=2.0, of_half=2.1, takes=4) is None
    assert begun(seconds=2.0, of_half=0.0, takes=1) is None
    assert begun(seconds=8.0, of_half=3.9, takes=4) == (0.0, 2.05), "half took less than half: nothing to begin"
    assert "too short" in told(None, 100)

"""VIDEO@TIME, as people write it and as they mistype it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actor_observer.errors import UserError
from actor_observer.features.at_time import parse_at


@given(st.text("abc@./ ", min_size=1), st.floats(0, 1e6))
def test_any_name_and_any_time_come_back(name: str, seconds: float) -> None:
    assert parse_at(f"{name}@{seconds!r}") == (Path(name), seconds)


@pytest.mark.parametrize("text", ["", "clip.mp4", "@3", "clip.mp4@", "clip.mp4@ "])
def test_a_missing_part_is_asked_for(text: str) -> None:
    with pytest.raises(UserError, match=r"give a video and a time in seconds, such as .*@12\.5"):
        parse_at(text)


@pytest.mark.parametrize("time", ["soon", "1:30", "1,5", "nan", "inf", "-1", "--1"])
def test_what_is_no_time_is_named(time: str) -> None:
    with pytest.raises(UserError, match=time) as caught:
        parse_at(f"clip.mp4@{time}")
    assert "\n" not in str(caught.value)

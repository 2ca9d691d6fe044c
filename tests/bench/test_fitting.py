"""What is fitted sees no event in a home of the test part."""

from pathlib import Path

import pytest

import fitting
import known_cuts
from actor_observer.errors import UserError
from actor_observer.playhouse.home.homes import layouts_of
from motion_set import Event


def test_events_in_homes_of_the_test_part_are_left_out_of_a_fit(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    held_out, own = layouts_of("test")[0].name, layouts_of("validation")[0].name
    events = [Event(str(n), "validation", home, 1, ()) for n, home in enumerate((own, held_out, "a laboratory"))]
    monkeypatch.setattr(known_cuts, "read_event_motion", lambda folder, splits: events)
    assert [event.id for event, _ in fitting.for_fitting(Path("MOTION"))] == ["0", "2"]
    assert "MOTION: 1 left out" in capsys.readouterr().err
    events[:] = events[1:2]
    with pytest.raises(UserError, match="MOTION: all of its events are in homes of the test part"):
        fitting.for_fitting(Path("MOTION"))

"""One clock out of clocks of two: what a chain of clocks says, and who is sure of another one."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from actor_observer.alignment.cameras.join import _Clock, _through, _warnings
from actor_observer.alignment.cameras.result import Camera


def camera(offset: float, rate: float, error: float | None) -> Camera:
    return Camera("a.mp4", "third", 60.0, offset, rate, error, "in step", 0.95, None)


@pytest.mark.parametrize("turned", [False, True])
def test_a_clock_through_another_camera_is_the_same_in_either_direction(turned: bool) -> None:
    near, own = camera(50.0, 1.01, 0.3), 20.0
    in_near = 100.0 + 1.02 * own  # time of the nearer one at 20 s of this camera
    given = {(1, 0): _Clock(-100.0 / 1.02, 1 / 1.02, 0.4)} if turned else {(0, 1): _Clock(100.0, 1.02, 0.4)}
    found = _through(near, given, {}, 0, 1)
    assert found.offset + found.rate * own == pytest.approx(50.0 + 1.01 * in_near)
    assert found.error == pytest.approx(0.5)  # independent errors: 3, 4, 5
    assert _through(camera(0.0, 1.0, None), given, {}, 0, 1).error == pytest.approx(0.4)


def test_two_that_are_sure_of_another_clock_than_that_of_all_are_named() -> None:
    cameras = [camera(0.0, 1.0, 0.1), replace(camera(5.0, 1.0, 0.1), path="b.mp4")]

    def link(offset: float, verdict: str = "in step") -> Any:
        return SimpleNamespace(verdict=verdict, error=0.1, belief=SimpleNamespace(to_one=lambda time: offset + time))

    assert not _warnings(cameras, {(0, 1): link(5.2)})
    (said,) = _warnings(cameras, {(0, 1): link(6.5)})
    assert said == "a.mp4 and b.mp4, compared directly, are 1.50 s apart from this clock"
    assert not _warnings(cameras, {(0, 1): link(6.5, "cannot tell")})

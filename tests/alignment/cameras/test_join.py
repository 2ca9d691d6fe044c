"""One clock out of clocks of two: which cameras hang together, and what a chain of clocks says."""

from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from actor_observer.alignment.cameras.join import JOINED, _Clock, _through, _together, _warnings
from actor_observer.alignment.cameras.result import Camera

SURE = 0.9


def camera(offset: float, rate: float, error: float | None) -> Camera:
    return Camera("a.mp4", "third", 60.0, offset, rate, error, "in step", 0.95, None)


def clocks(masses: Mapping[tuple[int, int], float]) -> dict[tuple[int, int], _Clock]:
    return {ends: _Clock(0.0, 1.0, 0.1, mass) for ends, mass in masses.items()}


@pytest.mark.parametrize("turned", [False, True])
def test_a_clock_through_another_camera_is_the_same_in_either_direction(turned: bool) -> None:
    near, own = camera(50.0, 1.01, 0.3), 20.0
    in_near = 100.0 + 1.02 * own  # time of the nearer one at 20 s of this camera
    given = {(1, 0): _Clock(-100.0 / 1.02, 1 / 1.02, 0.4)} if turned else {(0, 1): _Clock(100.0, 1.02, 0.4)}
    found = _through(near, given, {}, 0, 1)
    assert found.offset + found.rate * own == pytest.approx(50.0 + 1.01 * in_near)
    assert found.error == pytest.approx(0.5)  # independent errors: 3, 4, 5
    assert _through(camera(0.0, 1.0, None), given, {}, 0, 1).error == pytest.approx(0.4)


def test_cameras_hang_together_where_both_are_sure_and_their_own_clock_agrees() -> None:
    shares = np.array([0.95, 0.95, 0.95])
    agreeing = {(0, 1): 0.9, (0, 2): JOINED - 0.01, (1, 2): JOINED - 0.01}
    assert _together(shares, clocks(agreeing), SURE) == (
        0,
        {0, 1},
    )  # the third is placed by nobody it was compared with
    assert _together(shares, clocks(agreeing | {(1, 2): JOINED}), SURE) == (0, {0, 1, 2})
    assert _together(np.array([0.95, 0.95, 0.5]), clocks(dict.fromkeys(agreeing, 0.9)), SURE) == (0, {0, 1})
    assert _together(np.array([0.5, 0.5, 0.95]), clocks(dict.fromkeys(agreeing, 0.9)), SURE) == (0, set())


def test_two_that_are_sure_of_another_clock_than_that_of_all_are_named() -> None:
    cameras = [camera(0.0, 1.0, 0.1), replace(camera(5.0, 1.0, 0.1), path="b.mp4")]

    def link(offset: float, verdict: str = "in step") -> Any:
        return SimpleNamespace(verdict=verdict, error=0.1, belief=SimpleNamespace(to_one=lambda time: offset + time))

    assert not _warnings(cameras, {(0, 1): link(5.2)})
    (said,) = _warnings(cameras, {(0, 1): link(6.5)})
    assert said == "a.mp4 and b.mp4, compared directly, are 1.50 s apart from this clock"
    assert not _warnings(cameras, {(0, 1): link(6.5, "cannot tell")})


def test_the_largest_group_counts_and_its_first_camera_leads() -> None:
    shares, two_events = np.full(5, 0.95), {(0, 1): 0.9, (2, 3): 0.9, (3, 4): 0.9}
    assert _together(shares, clocks(two_events), SURE) == (2, {2, 3, 4})
    assert _together(shares, clocks({(0, 1): 0.9, (2, 3): 0.9}), SURE) == (0, {0, 1})

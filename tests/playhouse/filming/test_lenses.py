"""Lenses and holdings: directions end where optics has them."""

import numpy as np
import pytest

from actor_observer.playhouse.filming.hand_held import Holding
from actor_observer.playhouse.filming.lenses import Lens, Warp


def picture_of_angles(lens: Lens, size: tuple[int, int]) -> np.ndarray:
    """A straight picture whose grey says how far off the axis each pixel is, in degrees."""
    width, height = lens.drawn_size(size)
    focal = height / 2 / np.tan(np.radians(lens.field(size)) / 2)
    x, y = np.meshgrid(np.arange(width) + 0.5 - width / 2, np.arange(height) + 0.5 - height / 2)
    angle = np.degrees(np.arctan(np.hypot(x, y) / focal))
    return np.repeat(np.round(angle * 2).astype(np.uint8)[..., None], 3, axis=-1)


def test_a_fisheye_has_equal_angles_equally_far_apart() -> None:
    lens, size = Lens(140.0, 1.0), (160, 120)
    bent = Warp(lens, size)(picture_of_angles(lens, size))[..., 1] / 2.0
    radius = np.hypot(*np.meshgrid(np.arange(160) - 79.5, np.arange(120) - 59.5)) / 100
    np.testing.assert_allclose(bent, 70.0 * radius, atol=1.2)


def test_what_a_flat_picture_cannot_hold_is_black() -> None:
    lens, size = Lens(175.0, 1.0), (160, 120)
    bent = Warp(lens, size)(np.full((*lens.drawn_size(size)[::-1], 3), 200, np.uint8))
    assert (bent[0, 0] == 0).all() and (bent[60, 80] == 200).all() and 0.8 < (bent > 0).mean() < 1.0


@pytest.mark.parametrize("hold", ["fixed", "hand-held", "panning"])
def test_a_camera_moves_as_it_is_held(hold: str) -> None:
    times = np.arange(0, 30, 0.02)
    holding = Holding.random(hold, 30.0, np.random.default_rng(1))
    places, frames = holding.place(np.array([0.0, -3.0, 1.5]), np.zeros((len(times), 3)), times)
    np.testing.assert_allclose(frames @ np.swapaxes(frames, 1, 2), np.broadcast_to(np.eye(3), frames.shape), atol=1e-9)
    turned = np.degrees(np.arccos(np.clip(frames[:, :, 1] @ frames[0, :, 1], -1, 1)))
    speed = np.abs(np.diff(turned)) / 0.02
    if hold == "fixed":
        assert np.ptp(places, axis=0).max() == 0.0 and turned.max() < 1e-5
    if hold == "hand-held":
        assert 0.5 < turned.max() < 15 and 0 < np.ptp(places, axis=0).max() < 0.4
    if hold == "panning":
        assert turned.max() > 3 and speed.max() < 25 and np.ptp(places, axis=0).max() == 0.0

"""Scores of spells: several who ask are scored as each alone."""

import pytest
import torch

from actor_observer.frames.moving.flow import FINE
from actor_observer.model.spell_scores import SPELL, TOGETHER, followed_scores


@pytest.mark.parametrize("length", [2 * SPELL, 2 * SPELL + 7, (TOGETHER + 1) * SPELL])
def test_several_who_ask_one_room_camera_are_scored_as_each_alone(length: int) -> None:
    random = torch.Generator().manual_seed(0)
    cells = torch.randn(2, 3, FINE, 90, generator=random)
    asks = torch.randn(3, 2, 3, length, generator=random)  # three ask each of two room cameras
    lags, sharp = range(-20, 60), torch.tensor(2.0)
    together = followed_scores(cells, asks.flatten(0, 1), lags, sharp).unflatten(0, (3, 2))
    for found, own in zip(together, asks, strict=True):
        torch.testing.assert_close(found, followed_scores(cells, own, lags, sharp), atol=1e-3, rtol=1e-3)

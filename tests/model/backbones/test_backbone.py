"""Frames as bytes and as floats are the same frames."""

import pytest
import torch

from actor_observer.model.backbones.backbone import Normalise


def test_bytes_and_floats_give_the_same() -> None:
    frames = torch.randint(256, (2, 3, 5, 7), dtype=torch.uint8)
    torch.testing.assert_close(Normalise()(frames), Normalise()(frames.float() / 255))


def test_the_mean_colour_is_zero_and_the_memory_format_is_kept() -> None:
    normalise = Normalise()
    frames = normalise.mean.expand(1, 3, 4, 4).contiguous(memory_format=torch.channels_last)
    assert not normalise(frames).any()
    assert normalise(frames).is_contiguous(memory_format=torch.channels_last)


def test_what_is_not_a_frame_is_refused() -> None:
    with pytest.raises(TypeError, match="uint8"):
        Normalise()(torch.zeros(1, 3, 4, 4, dtype=torch.int64))
    with pytest.raises(ValueError, match="B, 3, H, W"):
        Normalise()(torch.zeros(1, 4, 4, 3))
    with pytest.raises(ValueError, match="above zero"):
        Normalise(std=(0, 1, 1))

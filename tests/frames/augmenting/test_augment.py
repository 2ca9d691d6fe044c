import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from actor_observer.frames import Augmentation, augment

TRIPLET = ("third", "first", "first")


def draw(items: int, seed: int = 0, **settings: object):
    return Augmentation(**settings).draw(TRIPLET, items, aspect=4 / 3, rng=np.random.default_rng(seed))


@given(st.integers(0, 1000), st.floats(0.5, 2.5))
def test_boxes_lie_in_the_frame_and_keep_their_scale(seed: int, aspect: float) -> None:
    draws = Augmentation().draw(TRIPLET, 50, aspect, np.random.default_rng(seed))
    top, left, height, width = np.moveaxis(draws.boxes, -1, 0)
    assert (top >= 0).all() and (left >= 0).all()
    assert (top + height <= 1 + 1e-9).all() and (left + width <= 1 + 1e-9).all()
    area = height * width
    assert (area <= 1 + 1e-9).all()
    assert (area[:, 0] >= 0.08 - 1e-9).all()  # third person
    assert (area[:, 1:] >= 0.8 - 1e-9).all()  # first person stays wide


def test_third_person_crops_are_far_closer_than_first_person_ones() -> None:
    boxes = draw(2000).boxes
    area = boxes[..., 2] * boxes[..., 3]
    assert area[:, 0].min() < 0.1 and 0.4 < area[:, 0].mean() < 0.6
    assert area[:, 1:].min() > 0.79


def test_a_flip_is_shared_by_the_whole_triplet() -> None:
    """Frames with one bright side: after a flip of an item it must be the other side in all three."""
    frames = torch.zeros((64, 3, 3, 20, 20), dtype=torch.uint8)
    frames[..., :10] = 255
    draws = draw(64, third_scale=(1.0, 1.0), first_scale=(1.0, 1.0), ratio=(4 / 3, 4 / 3))
    out = augment(frames, draws, (20, 20)).mean(dim=(2, 3))  # (64, 3, 20)
    flipped = out[..., -1] > out[..., 0]  # (64, 3)
    assert torch.equal(flipped, torch.from_numpy(draws.flip)[:, None].expand(64, 3))
    assert 15 < int(flipped[:, 0].sum()) < 49


def test_part_of_a_global_batch_is_what_one_process_would_see() -> None:
    frames = torch.randint(0, 256, (8, 3, 3, 24, 32), dtype=torch.uint8)
    whole = augment(frames, draw(8), (16, 16))
    parts = [augment(frames[part], draw(8)[part], (16, 16)) for part in (slice(0, 4), slice(4, 8))]
    assert torch.equal(whole, torch.cat(parts))


def test_same_seed_same_result_other_seed_other_result() -> None:
    frames = torch.randint(0, 256, (4, 3, 3, 24, 32), dtype=torch.uint8)
    assert torch.equal(augment(frames, draw(4, seed=1), (16, 16)), augment(frames, draw(4, seed=1), (16, 16)))
    assert not torch.equal(augment(frames, draw(4, seed=1), (16, 16)), augment(frames, draw(4, seed=2), (16, 16)))


def test_colours_change_and_stay_in_range() -> None:
    frames = torch.randint(0, 256, (16, 3, 3, 12, 12), dtype=torch.uint8)
    plain = {"third_scale": (1.0, 1.0), "first_scale": (1.0, 1.0), "ratio": (4 / 3, 4 / 3), "flip": 0.0}
    still = augment(frames, draw(16, brightness=0, contrast=0, saturation=0, **plain), (12, 12))
    torch.testing.assert_close(still, frames / 255)
    drawn = draw(16, brightness=0.4, contrast=0.2, saturation=0.1, **plain)
    reach = np.abs(drawn.colour - 1).max(axis=(0, 1))
    assert (reach <= [0.4, 0.2, 0.1]).all() and (reach > [0.3, 0.15, 0.07]).all()  # as far as was asked, both ways
    assert (drawn.colour < 1).any() and (drawn.colour > 1).any()
    jittered = augment(frames, draw(16, **plain), (12, 12))
    assert jittered.min() >= 0 and jittered.max() <= 1
    assert (jittered - still).abs().flatten(2).amax(2).min() > 0.01  # every frame in its own way


@pytest.mark.parametrize(
    "wrong", [{"third_scale": (0, 1)}, {"ratio": (2, 1)}, {"flip": 1.5}, {"first_scale": (0.5, 2)}]
)
def test_impossible_settings_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError):
        Augmentation(**wrong)


def test_draws_of_another_batch_are_refused() -> None:
    with pytest.raises(ValueError, match="draws are for"):
        augment(torch.zeros((2, 3, 3, 8, 8), dtype=torch.uint8), draw(4), (8, 8))

import pytest
import torch
from torch.nn.functional import interpolate

from actor_observer.frames import centre_view, crop_resize


@pytest.mark.parametrize("size", [(24, 32), (48, 64), (100, 90), (7, 5)])
def test_a_whole_frame_equals_torchs_antialiased_resize(size: tuple[int, int]) -> None:
    frames = torch.randint(0, 256, (3, 3, 48, 64), dtype=torch.uint8)
    box = torch.tensor([[0.0, 0, 48, 64]]).expand(3, 4)
    expected = interpolate(frames / 255, size, mode="bilinear", antialias=True, align_corners=False)
    torch.testing.assert_close(crop_resize(frames, box, size), expected, atol=1e-5, rtol=1e-4)


def test_each_frame_gets_its_own_box() -> None:
    frames = torch.randint(0, 256, (2, 3, 48, 64), dtype=torch.uint8)
    boxes = torch.tensor([[8.0, 16, 16, 24], [0, 0, 32, 40]])
    out = crop_resize(frames, boxes, (16, 24))
    torch.testing.assert_close(out[0], frames[0, :, 8:24, 16:40] / 255)
    alone = crop_resize(frames[1:], boxes[1:], (16, 24))
    torch.testing.assert_close(out[1:], alone)


def test_flip_mirrors_only_the_frames_it_names() -> None:
    frames = torch.randint(0, 256, (2, 3, 10, 12), dtype=torch.uint8)
    box = torch.tensor([[0.0, 0, 10, 12]]).expand(2, 4)
    out = crop_resize(frames, box, (10, 12), flip=torch.tensor([True, False]))
    torch.testing.assert_close(out, torch.stack([frames[0].flip(2), frames[1]]) / 255)


def test_the_evaluation_view_is_the_middle_and_never_random() -> None:
    frames = torch.zeros((1, 3, 90, 120), dtype=torch.uint8)
    frames[..., 15:105] = 255  # the middle square
    view = centre_view(frames, (30, 30))
    assert view[..., 1:-1].min() > 0.99
    assert view.min() > 0.85  # the outermost columns also see their neighbours
    assert torch.equal(view, centre_view(frames, (30, 30)))
    tall = torch.zeros((1, 3, 120, 90), dtype=torch.uint8)
    tall[..., 15:105, :] = 255
    assert centre_view(tall, (30, 30))[..., 1:-1, :].min() > 0.99  # also where the frame is high, not wide
    frames = torch.randint(0, 256, (1, 3, 256, 256), dtype=torch.uint8)
    torch.testing.assert_close(centre_view(frames, (224, 224), share=0.875), frames[..., 16:240, 16:240] / 255)

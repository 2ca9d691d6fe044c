"""Crop and resize a batch of frames, each with its own box, as two matrix products on the device."""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["centre_view", "crop_resize"]


def crop_resize(
    frames: Tensor, boxes: Tensor, size: tuple[int, int], flip: Tensor | None = None, dtype: torch.dtype = torch.float32
) -> Tensor:
    """Cut a box out of each frame and resize it: uint8 (B, 3, H, W) to values in [0, 1] of (B, 3, *size).

    `boxes` (B, 4) are top, left, height and width in pixels. `flip` (B,) mirrors a frame left to right. Filtered like
    PyTorch's antialiased bilinear resize; both axes are matrix products, so that a GPU takes a batch at once.

    >>> frames = torch.full((2, 3, 8, 8), 255, dtype=torch.uint8)
    >>> crop_resize(frames, torch.tensor([[0.0, 0.0, 8.0, 8.0], [2.0, 2.0, 4.0, 4.0]]), (4, 6)).shape
    torch.Size([2, 3, 4, 6])
    """
    boxes = boxes.to(frames.device, torch.float32)
    rows = _weights(boxes[:, 0], boxes[:, 2], frames.shape[2], size[0])  # (B, h, H)
    columns = _weights(boxes[:, 1], boxes[:, 3], frames.shape[3], size[1])  # (B, w, W)
    if flip is not None:
        columns = torch.where(flip.to(frames.device)[:, None, None], columns.flip(1), columns)
    pixels = frames.to(dtype) / 255  # (B, 3, H, W)
    half = rows.to(dtype)[:, None] @ pixels  # (B, 3, h, W)
    return half @ columns.to(dtype)[:, None].mT  # (B, 3, h, w)


def centre_view(
    frames: Tensor, size: tuple[int, int], share: float = 1.0, dtype: torch.dtype = torch.float32
) -> Tensor:
    """The transform of evaluation: the middle of each frame in the shape of `size`, nothing random.

    `share` 1.0 takes the largest box that fits; 0.875 is ImageNet's "resize to 256, crop 224".

    >>> centre_view(torch.zeros((1, 3, 90, 120), dtype=torch.uint8), (60, 60)).shape
    torch.Size([1, 3, 60, 60])
    """
    height, width = frames.shape[2:]
    scale = min(height / size[0], width / size[1]) * share
    box_height, box_width = size[0] * scale, size[1] * scale
    box = torch.tensor([[(height - box_height) / 2, (width - box_width) / 2, box_height, box_width]])
    return crop_resize(frames, box.expand(len(frames), 4), size, dtype=dtype)


def _weights(start: Tensor, length: Tensor, pixels: int, out: int) -> Tensor:
    """How much each input pixel counts for each output pixel along one axis: a triangle as wide as the step."""
    step = (length / out)[:, None, None]  # (B, 1, 1)
    centre = start[:, None, None] + step * (torch.arange(out, device=start.device)[:, None] + 0.5)  # (B, out, 1)
    place = torch.arange(pixels, device=start.device) + 0.5  # (pixels,)
    weight = (1 - (place - centre).abs() / step.clamp(min=1)).clamp(min=0)  # (B, out, pixels)
    return weight / weight.sum(dim=2, keepdim=True)

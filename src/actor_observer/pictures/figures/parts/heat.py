"""A map drawn over its frame."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

__all__ = ["lay_over", "smooth"]

COLOURS = "inferno"  # lightness rises evenly: colour-blind readers see the same order


def lay_over(pixels: NDArray[Any], heat: NDArray[Any]) -> NDArray[np.uint8]:
    """Colour a grey frame (H, W, 3) by a map (H, W), from the map's median to its 99th percentile.

    >>> lay_over(np.zeros((2, 2, 3), dtype=np.uint8), np.array([[0.0, 0.0], [0.0, 1.0]]))[1, 1].tolist()
    [214, 216, 139]
    """
    low, high = np.quantile(heat, (0.5, 0.99))
    share = np.clip((heat - low) / max(high - low, 1e-12), 0, 1)[..., None]  # (H, W, 1)
    grey = pixels.astype(float).mean(axis=2, keepdims=True) * 0.75
    colour = mpl.colormaps[COLOURS](share[..., 0])[..., :3] * 255
    strength = 0.85 * share**0.7
    return (grey * (1 - strength) + colour * strength).astype(np.uint8)


def smooth(heat: NDArray[Any], share: float = 0.02) -> NDArray[np.float32]:
    """Blur a map over a share of its width, because gradients are grainy.

    >>> bool(smooth(np.eye(3))[1, 1] < 1), bool(np.isclose(smooth(np.ones((4, 5))), 1).all())
    (True, True)
    """
    width = max(0.5, share * heat.shape[1])
    reach = int(3 * width) + 1
    kernel = torch.exp(-0.5 * (torch.arange(-reach, reach + 1) / width) ** 2)
    kernel = (kernel / kernel.sum()).float()
    field = torch.as_tensor(np.ascontiguousarray(heat)).float()[None, None]
    even = torch.ones_like(field)
    for shape in ((1, 1, -1, 1), (1, 1, 1, -1)):
        pad = [reach if side == -1 else 0 for side in shape[2:]]
        field, even = (functional.conv2d(one, kernel.view(shape), padding=pad) for one in (field, even))
    return (field / even)[0, 0].numpy()

"""Frames of a video as small pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from actor_observer.frames.at import frames_at
from actor_observer.pairs.manifest import Take

__all__ = ["as_pixels", "thumbnails"]

SIZE = 200  # pixels of the short side


def thumbnails(video: Take | str | Path, times: ArrayLike, size: int = SIZE) -> NDArray[np.uint8]:
    """The frames on screen at these times, (T, H, W, 3).

    >>> thumbnails("no-such.mp4", [1.0])
    Traceback (most recent call last):
    actor_observer.errors.TakeError: no-such.mp4: no such file
    """
    return frames_at(video, times, size=size).permute(0, 2, 3, 1).numpy()


def as_pixels(frame: Tensor | NDArray[Any]) -> NDArray[np.uint8]:
    """Turn a frame (3, H, W), bytes or floats from 0 to 1, into a picture (H, W, 3) of bytes.

    >>> as_pixels(torch.ones(3, 2, 4)).shape, int(as_pixels(torch.ones(3, 2, 4)).max())
    ((2, 4, 3), 255)
    """
    pixels = torch.as_tensor(frame).permute(1, 2, 0).detach().cpu()
    if pixels.is_floating_point():
        pixels = (pixels.clamp(0, 1) * 255).round()
    return pixels.to(torch.uint8).numpy()

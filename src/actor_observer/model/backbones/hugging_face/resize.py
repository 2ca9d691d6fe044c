"""Resize frames of bytes as Pillow does it, to the last bit: networks' processors do, and networks are judged by them.

Across, then down; weights are whole numbers of 2⁻²², and what comes out is rounded to bytes each time. A few processors
resize by torch, whose weights are coarser: up to two steps of 255 apart from Pillow.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional

from actor_observer.model.backbones.precision import has_double

__all__ = ["Resample", "resize"]

Resample = Literal["nearest", "bilinear", "bicubic", "lanczos"]
REACH = {"bilinear": 1.0, "bicubic": 2.0, "lanczos": 3.0}  # pixels to each side
ONE = 1 << 22  # 1 in Pillow's fixed-point numbers


def resize(
    frames: Tensor, size: tuple[int, int], resample: Resample = "bilinear", rounds: bool = True, by_torch: bool = False
) -> Tensor:
    """Frames (N, 3, H, W) in another size: bytes stay whole numbers, 0 to 255, if `rounds`; floats are never rounded.

    `by_torch`: bytes as torch resizes them on a CPU, not as Pillow does. A GPU cannot, and rounds once, at the end.

    >>> resize(torch.tensor([[[[0, 100]]]], dtype=torch.uint8), (1, 4)).flatten().tolist()
    [0.0, 25.0, 75.0, 100.0]
    """
    if tuple(frames.shape[-2:]) == size:
        return frames
    whole = frames.dtype == torch.uint8
    mode = {"lanczos": "bicubic", "nearest": "nearest-exact"}.get(resample, resample)
    if whole and by_torch and resample in ("bilinear", "bicubic"):
        seen = frames if frames.device.type == "cpu" else frames.float()
        return functional.interpolate(seen, size, mode=mode, antialias=True).float().round().clamp(0, 255)
    if whole and rounds and resample in REACH and has_double(frames.device):
        across, down = weights(frames.shape[-1], size[1], resample), weights(frames.shape[-2], size[0], resample)
        seen = frames.to(torch.float64)
        if frames.shape[-1] != size[1]:
            seen = _bytes(seen @ across.to(frames.device))  # (N, 3, H, w)
        if frames.shape[-2] != size[0]:
            seen = _bytes(down.to(frames.device).T @ seen)  # (N, 3, h, w)
        return seen.float()
    seen = functional.interpolate(frames.float() if whole else frames, size, mode=mode, antialias=resample != "nearest")
    return seen.clamp(0, 255 if whole else 1)


def _bytes(sums: Tensor) -> Tensor:
    """Sums of bytes times weights, rounded; all of it is exact in double precision."""
    return torch.floor((sums + ONE // 2) / ONE).clamp(0, 255)


@lru_cache(maxsize=64)
def weights(inputs: int, outputs: int, resample: str) -> Tensor:
    """How much each pixel of a line counts for each of another, (inputs, outputs), in units of 2⁻²².

    >>> (weights(4, 2, "bilinear") / ONE).T.round(decimals=3).tolist()
    [[0.429, 0.429, 0.143, 0.0], [0.0, 0.143, 0.429, 0.429]]
    """
    scale = inputs / outputs
    wide = max(scale, 1.0)
    reach = REACH[resample] * wide
    found = torch.zeros((inputs, outputs), dtype=torch.float64)
    for place in range(outputs):
        centre = (place + 0.5) * scale
        first, last = max(0, int(centre - reach + 0.5)), min(inputs, int(centre + reach + 0.5))
        shares = [_filter(resample, (pixel - centre + 0.5) / wide) for pixel in range(first, last)]
        total = sum(shares)
        for pixel, share in zip(range(first, last), shares, strict=True):
            found[pixel, place] = math.trunc(share / total * ONE + math.copysign(0.5, share))
    return found


def _filter(resample: str, x: float) -> float:
    x = abs(x)
    if resample == "bilinear":
        return max(0.0, 1.0 - x)
    if resample == "bicubic":
        if x < 1:
            return (1.5 * x - 2.5) * x * x + 1
        return (((x - 5) * x + 8) * x - 4) * -0.5 if x < 2 else 0.0
    return _sinc(x) * _sinc(x / 3) if x < 3 else 0.0


def _sinc(x: float) -> float:
    return math.sin(math.pi * x) / (math.pi * x) if x else 1.0

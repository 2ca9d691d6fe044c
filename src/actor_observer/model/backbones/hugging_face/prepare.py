"""How a network of `transformers` wants its frames: resized, cropped and scaled as its authors' processor does it.

Written anew from what the processors do, since some of them import torchvision.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from actor_observer.model.backbones.hugging_face.resize import Resample, resize

__all__ = ["Prepare", "prepare_for", "scaling_for"]

HALF = (0.5, 0.5, 0.5)  # mean and spread where a network's own steps name none: transformers' default
RESAMPLE: dict[int, Resample] = {0: "nearest", 1: "lanczos", 2: "bilinear", 3: "bicubic"}  # Pillow's numbers


@dataclass(frozen=True)
class Prepare:
    """The steps between a frame and a network. A frame that already has the network's own size passes as it is.

    >>> Prepare(short=8, crop=(6, 6))(torch.zeros((1, 3, 16, 32), dtype=torch.uint8)).shape
    torch.Size([1, 3, 6, 6])
    """

    short: int = 0  # pixels that the short side is resized to; 0: it is not
    size: tuple[int, int] | None = None  # height and width that the frame is resized to, whatever its shape
    crop: tuple[int, int] | None = None  # height and width cut from the middle
    resample: Resample = "bilinear"
    rounds: bool = True  # bytes stay whole numbers
    patches: int = (
        0  # as many patches as a frame may have, of `patch` pixels: its shape is kept (NaFlex); 0: any number
    )
    patch: int = 16
    by_torch: bool = False  # bytes are resized as torch does it, not as Pillow

    def __post_init__(self) -> None:
        for name in ("size", "crop"):  # JSON gives lists
            pair = getattr(self, name)
            object.__setattr__(self, name, None if pair is None else (int(pair[0]), int(pair[1])))
        sides = (self.short, *(self.size or ()), *(self.crop or ()))
        if max(sides) > 4096 or min(sides) < 0 or not 0 < self.patch <= 256 or not 0 <= self.patches <= 16384:
            raise ValueError(f"frames of {max(sides)} pixels, {self.patches} patches of {self.patch}: not believed")

    @property
    def wanted(self) -> int | None:
        """The short side that frames are best decoded at; None: any."""
        if self.short or self.size:
            return self.short or min(self.size or (0,))
        return self.patch * math.isqrt(self.patches) if self.patches else None

    def __call__(self, frames: Tensor) -> Tensor:  # (N, 3, H, W) -> (N, 3, h, w)
        """Frames as the network wants them: bytes as they are if they pass, else floats from 0 to 1."""
        height, width = frames.shape[-2:]
        whole = frames.dtype == torch.uint8
        if (height, width) == (self.crop or self.size) or not frames.numel():
            return frames
        if self.patches:
            frames = self._resized(frames, fitting(height, width, self.patch, self.patches))
        elif self.short:
            short, long = sorted((height, width))
            long = int(self.short * long / short)
            frames = self._resized(frames, (self.short, long) if height <= width else (long, self.short))
        elif self.size:
            frames = self._resized(frames, self.size)
        frames = frames if self.crop is None else centre_crop(frames, self.crop)
        return frames / 255 if whole and frames.dtype != torch.uint8 else frames

    def _resized(self, frames: Tensor, size: tuple[int, int]) -> Tensor:
        return resize(frames, size, self.resample, self.rounds, self.by_torch)

    def described(self) -> dict[str, object]:
        """What a saved network says of it; of `by_torch` only where it is so, as before there was such a thing.

        >>> "by_torch" in Prepare().described(), "by_torch" in Prepare(by_torch=True).described()
        (False, True)
        """
        every = asdict(self)
        return every if self.by_torch else {key: value for key, value in every.items() if key != "by_torch"}


def centre_crop(frames: Tensor, size: tuple[int, int]) -> Tensor:
    """The middle of frames; black around those that are smaller.

    >>> centre_crop(torch.arange(5.0).view(1, 1, 1, 5), (1, 3))
    tensor([[[[1., 2., 3.]]]])
    """
    height, width = frames.shape[-2:]
    down, across = max(0, size[0] - height), max(0, size[1] - width)
    if down or across:
        top, left = math.ceil(down / 2), math.ceil(across / 2)
        frames = functional.pad(frames, (left, across - left, top, down - top))
        height, width = frames.shape[-2:]
    top, left = (height - size[0]) // 2, (width - size[1]) // 2
    return frames[..., top : top + size[0], left : left + size[1]]


def fitting(height: int, width: int, patch: int, patches: int) -> tuple[int, int]:
    """The largest size of whole patches, at most so many, that keeps a frame's shape about as it is (SigLIP 2, NaFlex).

    >>> fitting(480, 640, 16, 256)
    (224, 288)
    """
    low, high = 1e-6, 100.0

    def sides(scale: float) -> tuple[int, int]:
        return max(patch, math.ceil(height * scale / patch) * patch), max(
            patch, math.ceil(width * scale / patch) * patch
        )

    while high - low >= 1e-5:
        middle = (low + high) / 2
        down, across = sides(middle)
        low, high = (middle, high) if down * across <= patches * patch**2 else (low, middle)
    return sides(low)


def prepare_for(kind: str, seen: Mapping[str, Any], own: tuple[int, int] | None, patch: int = 16) -> Prepare:
    """The steps that a preprocessor_config.json asks for; `own` is the network's size, for a file that names none.

    >>> told = {"size": {"shortest_edge": 224}, "crop_size": 224, "do_center_crop": True, "resample": 3}
    >>> prepare_for("clip", told, None)
    Prepare(short=224, size=None, crop=(224, 224), resample='bicubic', rounds=True, patches=0, patch=16, by_torch=False)
    """
    resample = RESAMPLE.get(seen.get("resample", 2), "bilinear")
    if "max_num_patches" in seen or kind.startswith("siglip2"):
        patch = int(seen.get("patch_size", patch))
        return Prepare(resample=resample, patches=int(seen.get("max_num_patches", 256)), patch=patch)
    cropped = bool(seen.get("do_center_crop", False)) and "crop_size" in seen
    crop = _sides(seen["crop_size"]) if cropped else None
    if kind == "vjepa2" and crop is not None:
        # whatever the file says of sizes: so does its processor, which is built on torchvision
        return Prepare(int(crop[0] * 256 / 224), None, crop, resample, by_torch=True)
    size = seen.get("size")
    if size is None or not seen.get("do_resize", True):
        return Prepare(0, None if crop else own, crop, resample)
    if isinstance(size, Mapping) and "shortest_edge" in size:
        return Prepare(int(size["shortest_edge"]), None, crop, resample)
    if isinstance(size, int) and crop is not None:  # files of old: with a crop, a lone number is the short side
        return Prepare(size, None, crop, resample)
    return Prepare(0, _sides(size), crop, resample, rounds=kind != "dinov3_vit")


def scaling_for(seen: Mapping[str, Any]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Mean and deviation of frames in 0 to 1, with the rescaling that a preprocessor_config.json asks for in them.

    >>> scaling_for({"rescale_factor": 1 / 127.5, "offset": True, "image_mean": [0.5] * 3, "image_std": [0.5] * 3})
    ((0.75, 0.75, 0.75), (0.25, 0.25, 0.25))
    """
    mean, std = (_colours(seen.get(key) or HALF) for key in ("image_mean", "image_std"))
    if not seen.get("do_normalize", True):
        mean, std = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
    scale, shift = 1.0, 0.0  # of frames in 0 to 1, before the mean is taken
    if not seen.get("do_rescale", True):
        scale = 255.0
    elif "rescale_factor" in seen:
        scale = 255 * float(seen["rescale_factor"])
        scale, shift = (1.0 if abs(scale - 1) < 1e-6 else scale), (1.0 if seen.get("offset") else 0.0)
    return tuple((value + shift) / scale for value in mean), tuple(value / scale for value in std)


def _sides(size: Any) -> tuple[int, int]:
    return (int(size["height"]), int(size["width"])) if isinstance(size, Mapping) else (int(size), int(size))


def _colours(values: Any) -> tuple[float, ...]:
    return (float(values),) * 3 if isinstance(values, (int, float)) else tuple(float(value) for value in values)

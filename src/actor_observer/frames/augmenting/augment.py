"""Random crops, flips and colours for training: drawn on the CPU from a seed, applied in batches on the device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from actor_observer.frames.augmenting.resample import crop_resize
from actor_observer.frames.augmenting.restyle import StyleDraws, restyle
from actor_observer.pairs.manifest import View

__all__ = ["Augmentation", "Draws", "augment"]


@dataclass(frozen=True)
class Draws:
    """The random numbers for a batch of items of V frames each."""

    boxes: NDArray[np.float64]  # (items, V, 4): top, left, height, width as shares of the frame
    flip: NDArray[np.bool_]  # (items,): the same for all frames of an item, so that left and right agree
    colour: NDArray[np.float64]  # (items, V, 3): factors of brightness, contrast, saturation
    style: StyleDraws | None = None

    def __getitem__(self, items: slice) -> Draws:
        """The draws of some items: a rank's part of the global batch."""
        style = None if self.style is None else self.style[items]
        return Draws(self.boxes[items], self.flip[items], self.colour[items], style)

    def of_clips(self, frames: int) -> Draws:
        """The same for items whose V frames are each a clip of `frames`: a clip keeps its crop and its colours."""
        repeat = partial(np.repeat, repeats=frames, axis=1)
        style = None if self.style is None else self.style.of_clips(frames)
        return Draws(repeat(self.boxes), self.flip, repeat(self.colour), style)


@dataclass(frozen=True)
class Augmentation:
    """How training frames are varied. Third-person crops go far closer than first-person ones, as in the paper.

    >>> draws = Augmentation().draw(("third", "first", "first"), items=5, aspect=4 / 3, rng=np.random.default_rng(0))
    >>> draws.boxes.shape, draws.flip.shape
    ((5, 3, 4), (5,))
    """

    third_scale: tuple[float, float] = (0.08, 1.0)  # share of the frame's area
    first_scale: tuple[float, float] = (0.8, 1.0)
    ratio: tuple[float, float] = (3 / 4, 4 / 3)  # width over height of the crop, in pixels
    flip: float = 0.5  # how often an item is mirrored
    brightness: float = 0.2  # factors are drawn from 1 ± this
    contrast: float = 0.2
    saturation: float = 0.2
    style: float = 0.0  # how often a frame gets another style (random filter, blur, noise): see restyle.py

    def __post_init__(self) -> None:
        for name in ("third_scale", "first_scale", "ratio"):
            low, high = getattr(self, name)
            if not 0 < low <= high or (name != "ratio" and high > 1):
                raise ValueError(
                    f"{name} must be a rising range of positive numbers (scales at most 1), not {low}, {high}"
                )
        for name in ("flip", "style"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} is a probability, not {getattr(self, name)}")

    def draw(
        self, views: Sequence[View], items: int, aspect: float | NDArray[np.float64], rng: np.random.Generator
    ) -> Draws:
        """Random numbers for `items` items, each with one frame of every view named (e.g. third, first, first).

        `aspect` is the frames' width over their height as recorded, for all of them or for each (items, V). Draw for
        the global batch and take your rank's part of it: then several ranks see what one process would.
        """
        chance = rng.random((items, len(views), 7))
        flip = rng.random(items) < self.flip
        low, high = np.array([self.third_scale if view == "third" else self.first_scale for view in views]).T  # (V,)
        area = low + (high - low) * chance[..., 0]  # (items, V)
        shape = np.exp(np.log(self.ratio[0]) + np.log(self.ratio[1] / self.ratio[0]) * chance[..., 1]) / aspect
        shape = np.clip(shape, area, 1 / area)  # a box of this area must also fit
        height, width = np.sqrt(area / shape), np.sqrt(area * shape)
        boxes = np.stack([chance[..., 2] * (1 - height), chance[..., 3] * (1 - width), height, width], axis=-1)
        strength = np.array([self.brightness, self.contrast, self.saturation])
        style = StyleDraws.draw((items, len(views)), self.style, rng) if self.style else None
        return Draws(boxes, flip, 1 + strength * (2 * chance[..., 4:] - 1), style)


def augment(frames: Tensor, draws: Draws, size: tuple[int, int], dtype: torch.dtype = torch.float32) -> Tensor:
    """Apply the draws on the frames' device: uint8 (items, V, 3, H, W) to [0, 1] values (items, V, 3, *size).

    >>> frames = torch.zeros((2, 3, 3, 12, 16), dtype=torch.uint8)
    >>> draws = Augmentation().draw(("third", "first", "first"), 2, aspect=16 / 12, rng=np.random.default_rng(0))
    >>> augment(frames, draws, (8, 8)).shape
    torch.Size([2, 3, 3, 8, 8])
    """
    items, views = frames.shape[:2]
    if draws.boxes.shape[:2] != (items, views):
        raise ValueError(f"draws are for {draws.boxes.shape[:2]} items and frames, the batch has {(items, views)}")
    height, width = frames.shape[3:]
    boxes = torch.from_numpy(draws.boxes * [height, width, height, width]).flatten(0, 1)  # (items·V, 4)
    flip = torch.from_numpy(draws.flip).repeat_interleave(views)  # (items·V,)
    pixels = crop_resize(frames.flatten(0, 1), boxes, size, flip, dtype)
    colour = torch.from_numpy(draws.colour).flatten(0, 1).to(pixels)  # (items·V, 3)
    pixels = _recolour(pixels, *colour.mT[..., None, None, None])
    if draws.style is not None:
        pixels = restyle(pixels, draws.style.flat())
    return pixels.unflatten(0, (items, views))


def _recolour(pixels: Tensor, brightness: Tensor, contrast: Tensor, saturation: Tensor) -> Tensor:
    """Scale the light, the distance from the frame's mean grey, and the distance from each pixel's own grey."""
    pixels = (pixels * brightness).clamp(0, 1)
    mean = _grey(pixels).mean(dim=(2, 3), keepdim=True)  # (N, 1, 1, 1)
    pixels = (mean + (pixels - mean) * contrast).clamp(0, 1)
    grey = _grey(pixels)  # (N, 1, H, W)
    return (grey + (pixels - grey) * saturation).clamp(0, 1)


def _grey(pixels: Tensor) -> Tensor:
    red, green, blue = pixels.split(1, dim=1)
    return 0.299 * red + 0.587 * green + 0.114 * blue

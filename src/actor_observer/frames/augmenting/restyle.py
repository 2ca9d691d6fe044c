"""Frames in styles that nobody filmed (random filters, blur, noise), so that a network learns shapes, not looks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

__all__ = ["StyleDraws", "restyle"]

BLUR = 2.0  # pixels: the widest
NOISE = 0.08  # of the brightest: the strongest


@dataclass(frozen=True)
class StyleDraws:
    """The random numbers of frames, in any shape of them."""

    kernel: NDArray[np.float32]  # (…, 3, 3, 3, 3) a filter from three colours to three
    mix: NDArray[np.float32]  # (…,) how much of the filtered frame is shown; 0: the frame keeps its style
    blur: NDArray[np.float32]  # (…,) pixels; 0: none
    noise: NDArray[np.float32]  # (…,) spread
    seed: NDArray[np.int64]  # (…,) of the noise

    @classmethod
    def draw(cls, shape: tuple[int, ...], often: float, rng: np.random.Generator) -> StyleDraws:
        """Random numbers for frames; a share `often` of them gets each of filter, blur and noise.

        >>> StyleDraws.draw((2, 3), 0.5, np.random.default_rng(0)).kernel.shape
        (2, 3, 3, 3, 3, 3)
        """
        on = rng.random((3, *shape)) < often
        strength = rng.random((3, *shape))
        kernel = rng.normal(0, 1 / np.sqrt(27), (*shape, 3, 3, 3, 3)).astype(np.float32)
        mix, blur, noise = (on * strength * np.array([1, BLUR, NOISE])[(..., *[None] * len(shape))]).astype(np.float32)
        return cls(kernel, mix, blur, noise, rng.integers(1 << 31, size=shape))

    def __getitem__(self, items: slice) -> StyleDraws:
        return StyleDraws(self.kernel[items], self.mix[items], self.blur[items], self.noise[items], self.seed[items])

    def of_clips(self, frames: int) -> StyleDraws:
        """The same for (items, V) clips of `frames`: one style for each clip."""
        place = np.repeat(np.arange(self.mix.shape[1]), frames)
        kernel, rest = self.kernel[:, place], (self.mix[:, place], self.blur[:, place], self.noise[:, place])
        return StyleDraws(kernel, *rest, self.seed[:, place])

    def flat(self) -> StyleDraws:
        """The same for one row of frames."""
        rest = (self.mix.ravel(), self.blur.ravel(), self.noise.ravel(), self.seed.ravel())
        return StyleDraws(self.kernel.reshape(-1, 3, 3, 3, 3), *rest)


def restyle(pixels: Tensor, draws: StyleDraws) -> Tensor:
    """Frames (N, 3, H, W) of values in [0, 1] with these styles: a random convolution (Xu et al., 2021), blur, noise.

    The filtered frame is brought back to the mean and spread of each colour of the frame before it is mixed in.

    >>> frames = torch.rand(4, 3, 8, 8)
    >>> still = restyle(frames, StyleDraws.draw((4,), 0.0, np.random.default_rng(0)))
    >>> torch.equal(still, frames), restyle(frames, StyleDraws.draw((4,), 1.0, np.random.default_rng(0))).shape
    (True, torch.Size([4, 3, 8, 8]))
    """
    count, _, height, width = pixels.shape
    to = pixels.device

    def of(values: NDArray[np.float32]) -> Tensor:
        return torch.from_numpy(values).to(to, pixels.dtype)[:, None, None, None]

    if draws.mix.any():
        kernel = torch.from_numpy(draws.kernel).to(to, pixels.dtype).flatten(0, 1)  # (3·N, 3, 3, 3)
        around = functional.pad(pixels, (1, 1, 1, 1), mode="replicate").reshape(1, -1, height + 2, width + 2)
        other = functional.conv2d(around, kernel, groups=count).view_as(pixels)
        spread, mean = torch.std_mean(pixels, dim=(2, 3), keepdim=True)
        own_spread, own_mean = torch.std_mean(other, dim=(2, 3), keepdim=True)
        other = (other - own_mean) / own_spread.clamp(min=1e-4) * spread + mean
        pixels = pixels + of(draws.mix) * (other - pixels)
    if draws.blur.any():
        reach = torch.arange(-3, 4, device=to, dtype=pixels.dtype)
        bell = torch.exp(-reach.square() / (2 * of(draws.blur)[:, 0, 0].clamp(min=1e-3).square()))  # (N, 7)
        bell = (bell / bell.sum(dim=1, keepdim=True)).repeat_interleave(3, dim=0)  # (3·N, 7)
        flat = functional.pad(pixels, (3, 3, 3, 3), mode="replicate").reshape(1, -1, height + 6, width + 6)
        flat = functional.conv2d(flat, bell[:, None, :, None], groups=3 * count)
        pixels = functional.conv2d(flat, bell[:, None, None, :], groups=3 * count).view_as(pixels)
    if draws.noise.any():
        grain = torch.Generator(device=to).manual_seed(int(draws.seed[0]))
        pixels = pixels + of(draws.noise) * torch.randn(pixels.shape, generator=grain, device=to, dtype=pixels.dtype)
    return pixels.clamp(0, 1)

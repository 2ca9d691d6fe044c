"""How a take is shown to a backbone: frames a second, their size, and which part of each."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from actor_observer.frames.augmenting.resample import centre_view
from actor_observer.model.config import Crop, NetworkConfig

__all__ = ["Look"]

_CENTRE = 0.875  # ImageNet's "resize to 256, crop 224"


@dataclass(frozen=True)
class Look:
    """What a backbone sees of a take.

    >>> Look(look_rate=6.0, size=224, crop="centre").decode_size
    256
    """

    look_rate: float = 3.0  # frames a second
    size: int = 168  # pixels of the short side, as the backbone sees it
    crop: Crop = "whole"  # the whole frame in its own shape, or the square in its middle

    def __post_init__(self) -> None:
        if not self.look_rate > 0 or self.size < 1:
            raise ValueError(f"a look needs a rate and a size above zero, not {self.look_rate} and {self.size}")

    @classmethod
    def of_network(cls, config: NetworkConfig, look_rate: float) -> Look:
        """The look that a network was trained with.

        >>> Look.of_network(NetworkConfig(size=144, crop="whole"), look_rate=6.0)
        Look(look_rate=6.0, size=144, crop='whole')
        """
        return cls(look_rate, config.size, config.crop)

    @property
    def decode_size(self) -> int:
        """The short side to decode at."""
        return self.size if self.crop == "whole" else round(self.size / _CENTRE)

    def of(self, frames: Tensor) -> Tensor:
        """Decoded frames (T, 3, H, W) as the backbone gets them.

        >>> import torch
        >>> Look(size=14, crop="centre").of(torch.zeros((2, 3, 16, 20), dtype=torch.uint8)).shape
        torch.Size([2, 3, 14, 14])
        """
        if self.crop == "whole":
            return frames
        return centre_view(frames, (self.size, self.size), _CENTRE)

"""What a backbone sees at once: one frame, or a clip of several, of which it tells several time steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

__all__ = ["Clip"]


@dataclass(frozen=True)
class Clip:
    """How many frames a backbone sees at once, how many a second, and how many time steps it gives back.

    >>> Clip(16, rate=8.0, steps=8).seconds, Clip().moving
    (2.0, False)
    >>> Clip(16, rate=8.0, steps=5)
    Traceback (most recent call last):
    ValueError: 16 frames cannot be cut into 5 equal time steps
    """

    frames: int = 1
    rate: float = 0.0  # frames a second; of no use for one frame
    steps: int = 1  # each is of as many frames as any other

    def __post_init__(self) -> None:
        if self.frames < 1 or self.steps < 1 or (self.frames > 1 and not self.rate > 0):
            raise ValueError(f"a clip needs frames, steps and a rate above zero, not {self}")
        if self.frames % self.steps:
            raise ValueError(f"{self.frames} frames cannot be cut into {self.steps} equal time steps")

    @property
    def moving(self) -> bool:
        """Whether it is more than one frame."""
        return self.frames > 1

    @property
    def seconds(self) -> float:
        """How long it is; 0 of a single frame."""
        return self.frames / self.rate if self.moving else 0.0

    @property
    def step(self) -> int:
        """Frames of a time step."""
        return self.frames // self.steps

    def around(self, times: NDArray[np.float64]) -> NDArray[np.float64]:  # (…,) -> (…, F)
        """The times of the frames of clips that have these times in their middle.

        >>> Clip(4, rate=2.0, steps=2).around(np.array([3.0])).tolist()
        [[2.25, 2.75, 3.25, 3.75]]
        """
        if not self.moving:
            return times[..., None]
        return times[..., None] + (np.arange(self.frames) - (self.frames - 1) / 2) / self.rate

    def centre(self, features: Tensor) -> Tensor:  # (B, S, D) -> (B, D)
        """The features in the middle of clips: of the middle step, or of the two around it. Those of frames pass.

        >>> import torch
        >>> Clip(4, rate=2.0, steps=4).centre(torch.tensor([[[0.0], [1.0], [3.0], [9.0]]]))
        tensor([[2.]])
        """
        if not self.moving:
            return features
        middle = features[:, (self.steps - 1) // 2 : self.steps // 2 + 1]
        return middle.mean(dim=1)

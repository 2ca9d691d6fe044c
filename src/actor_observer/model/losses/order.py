"""Order within a take: the further apart two frames are in time, the further apart their embeddings."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from actor_observer.model.losses.triplet import wide

__all__ = ["Order"]


class Order(nn.Module):
    """Of three frames of one take at times t_i < t_j < t_k, the middle one lies nearer to either end than the ends lie
    to each other, with d the Euclidean distance:

        l_ijk = ½·(softplus((d_ij − d_ik) / τ) + softplus((d_jk − d_ik) / τ))

    The loss is the mean over all triples of each visit and over both views. Frames at the same time form no triple.

    >>> line = torch.arange(4.0)[:, None]
    >>> time, pair = torch.arange(4.0), torch.zeros(4, dtype=torch.int64)
    >>> Order(moments=4, temperature=0.05)(line, line, time, time, pair, pair).item() < 1e-6
    True
    """

    def __init__(self, moments: int, temperature: float = 0.1) -> None:
        super().__init__()
        if moments < 2 or not temperature > 0:
            raise ValueError(f"need moments >= 2 and temperature above zero, not {moments} and {temperature}")
        self.moments, self.temperature = moments, temperature

    def forward(
        self,
        third: Tensor,  # (B·m, D) embeddings of third-person frames
        first: Tensor,  # (B·m, D) embeddings of first-person frames
        third_time: Tensor,  # (B·m,) seconds
        first_time: Tensor,  # (B·m,) third-person seconds
        *_: Tensor | None,  # pairs and f, which do not matter here
    ) -> Tensor:
        with torch.autocast(third.device.type, enabled=False):
            return (self.of_view(third, third_time) + self.of_view(first, first_time)) / 2

    def of_view(self, frames: Tensor, time: Tensor) -> Tensor:
        """The mean over the triples of one view's takes; zero where there are none."""
        x = wide(frames).unflatten(0, (-1, self.moments))  # (B, m, D)
        time = time.unflatten(0, (-1, self.moments))
        square = (x[:, :, None, :] - x[:, None, :, :]).square().sum(dim=-1)
        distance = (square + 1e-12).sqrt() / self.temperature  # (B, m, m)
        later = time[:, :, None] < time[:, None, :]  # (B, i, j) whether i is before j
        triple = later[:, :, :, None] & later[:, None, :, :]  # (B, i, j, k)
        ends = distance[:, :, None, :]  # d_ik
        near, far = distance[:, :, :, None] - ends, distance[:, None, :, :] - ends  # d_ij − d_ik, d_jk − d_ik
        each = (functional.softplus(near) + functional.softplus(far)) / 2
        return (each * triple).sum() / triple.sum().clamp(min=1)

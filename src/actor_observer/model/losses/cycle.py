"""Temporal cycle-consistency: to the other view and back again, a frame should arrive at its own time."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from actor_observer.model.losses.info_nce import row_weights, weighted_mean
from actor_observer.model.losses.triplet import wide

__all__ = ["CycleConsistency"]

SPREAD = 0.001  # λ, as published


class CycleConsistency(nn.Module):
    """TCC (Dwibedi et al., 2019), cycle-back regression, on `moments` frames of each view of each pair. For frame u_i
    of one view and the frames v_k of the other:

        ṽ = Σ_k α_k·v_k,        α = softmax_k(−‖u_i − v_k‖² / τ)        its soft nearest neighbour
        β = softmax_k(−‖ṽ − u_k‖² / τ),        μ = Σ_k β_k·t_k,        s² = σ² + Σ_k β_k·(t_k − μ)²
        l_i = (t_i − μ)² / s² + λ·log s

    and the loss is the mean of l over both directions, weighted by the selector's f as in `SoftInfoNCE`. σ seconds keep
    it finite where β is sharp. No clock between the views is used: a pair need only show the same things in the same
    order.

    >>> frames = 9 * torch.eye(4)  # four moments, told apart perfectly
    >>> time, pair = torch.arange(4.0), torch.zeros(4, dtype=torch.int64)
    >>> CycleConsistency(moments=4, sigma=1.0)(frames, frames, time, time, pair, pair)
    tensor(0.)
    """

    def __init__(self, moments: int, temperature: float = 0.1, sigma: float = 1.0) -> None:
        super().__init__()
        if moments < 2 or not temperature > 0 or not sigma > 0:
            raise ValueError(
                f"need moments >= 2, temperature and sigma above zero, not {moments}, {temperature}, {sigma}"
            )
        self.moments, self.temperature, self.sigma = moments, temperature, sigma

    def forward(
        self,
        third: Tensor,  # (B·m, D) embeddings of third-person frames
        first: Tensor,  # (B·m, D) embeddings of first-person frames
        third_time: Tensor,  # (B·m,) seconds
        first_time: Tensor,  # (B·m,) third-person seconds
        third_pair: Tensor,  # (B·m,) index of the pair
        first_pair: Tensor,  # (B·m,)
        third_logit: Tensor | None = None,  # (B·m,) the selector's f
        first_logit: Tensor | None = None,
    ) -> Tensor:
        with torch.autocast(third.device.type, enabled=False):
            u, v = (wide(x).unflatten(0, (-1, self.moments)) for x in (third, first))  # (B, m, D)
            times = [time.to(u.dtype).unflatten(0, (-1, self.moments)) for time in (third_time, first_time)]  # (B, m)
            forth, back = self.there_and_back(u, v, times[0]), self.there_and_back(v, u, times[1])
            visit = torch.arange(len(u), device=u.device).repeat_interleave(self.moments)  # (B·m,)
            weights = row_weights(third_logit, visit), row_weights(first_logit, visit)
            every = torch.ones_like(visit, dtype=torch.bool)
            return (weighted_mean(forth, every, weights[0]) + weighted_mean(back, every, weights[1])) / 2

    def there_and_back(self, u: Tensor, v: Tensor, time: Tensor) -> Tensor:
        """L of every frame of u (B·m,)."""
        nearest = self._alike(u, v) @ v  # ṽ (B, m, D)
        back = self._alike(nearest, u)  # β (B, m, m)
        mean = (back @ time[..., None]).squeeze(-1)  # μ (B, m)
        square = self.sigma**2 + (back * (time[:, None, :] - mean[..., None]).square()).sum(dim=-1)  # s² (B, m)
        return ((time - mean).square() / square + SPREAD * square.log() / 2).flatten()

    def _alike(self, a: Tensor, b: Tensor) -> Tensor:
        """Softmax over b's frames of −‖a − b‖² / τ, (B, m, m)."""
        square = a.square().sum(dim=-1)[..., None] + b.square().sum(dim=-1)[:, None, :] - 2 * a @ b.transpose(1, 2)
        return (-square / self.temperature).softmax(dim=-1)

"""The balance of objectives: each one's gradient gets the size of the triplet loss's gradient."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from actor_observer.model.losses.gather import sum_over_ranks, world_size

__all__ = ["GradientBalance"]

LARGEST = 1000.0  # factor: a gradient that all but vanished at φ must not blow up the head's own parameters
SATURATED = 0.01  # a first gradient below this part of its running mean does not set the size of the others
VANISHED = 1e-6  # and one below this part is no gradient at all: the running mean stays where it is


class GradientBalance(nn.Module):
    """One loss out of several, each scaled so that its gradient at φ's output has the norm of the first one's:

        loss = l_0 + Σ_i stop(‖∂l_0/∂φ‖ / ‖∂l_i/∂φ‖)·l_i

    The norms are those of the whole batch, over all ranks. They are measured at φ's output, which takes a pass through
    the heads alone; `loss.backward()` then passes once through the backbone, and scales the heads' own parameters by
    the same factors. Where the first gradient is missing (no triplets) or far below its usual size (a saturated
    sigmoid), a running mean of its norm stands in, so that the others go on learning; a small gradient that stays
    small draws the mean down with it.

    >>> phi = torch.tensor([[1.0, 2.0]], requires_grad=True)
    >>> loss = GradientBalance()({"triplet": 3 * phi[0, 0], "classification": 100 * phi[0, 1]}, phi)
    >>> torch.autograd.grad(loss, phi)[0]
    tensor([[3., 3.]])
    """

    norm: Tensor
    seen: Tensor

    def __init__(self, k: float = 0.1) -> None:
        super().__init__()
        if not 0 < k <= 1:
            raise ValueError(f"k must lie between 0 and 1, not {k}")
        self.k = k
        self.register_buffer("norm", torch.zeros(()))  # running mean of the first gradient's norm
        self.register_buffer("seen", torch.zeros((), dtype=torch.bool))  # whether there was one yet

    def forward(self, losses: Mapping[str, Tensor], features: Tensor) -> Tensor:
        """The balanced sum of `losses`; the first one sets the size. `features` is φ's output, which they depend on."""
        first, *others = losses.values()
        total = first
        if not (self.training and torch.is_grad_enabled()):
            return total + sum(others)
        norms = self.norms([first, *others], features)  # (L,)
        wanted = self.wanted(norms[0])
        for loss, norm in zip(others, norms[1:].unbind(), strict=True):
            known = (norm > 0) & (wanted > 0)  # else there is nothing to scale, or nothing to scale it to
            factor = torch.where(known, (wanted / norm).clamp(max=LARGEST), torch.ones_like(norm))
            total = total + factor * loss
        return total

    def norms(self, losses: list[Tensor], features: Tensor) -> Tensor:
        """The norm of each loss's gradient at φ's output, over the whole batch."""
        squares = []
        for loss in losses:
            (gradient,) = torch.autograd.grad(loss, features, retain_graph=True, allow_unused=True)
            squares.append(features.new_zeros(()) if gradient is None else gradient.detach().square().sum())
        whole = sum_over_ranks(torch.stack(squares).to(self.norm.dtype))
        return whole.sqrt() / world_size()  # each rank's loss is a mean over its own part

    @torch.no_grad()
    def wanted(self, norm: Tensor) -> Tensor:
        """The norm to scale to; the running mean moves on where this batch has one to offer."""
        counts = torch.isfinite(norm) & (norm > VANISHED * self.norm) & (norm > 0)
        usable = counts & (norm > SATURATED * self.norm)
        mean = torch.where(self.seen, self.norm + self.k * (norm - self.norm), norm)
        self.norm.copy_(torch.where(counts, mean, self.norm))
        self.seen.copy_(self.seen | usable)
        return torch.where(usable, norm, self.norm)

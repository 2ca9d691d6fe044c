"""The selector's objective: weigh more what has a loss below the average, less what has one above."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor

__all__ = ["WeightedLosses", "weighted_losses"]


class WeightedLosses(NamedTuple):
    """The two parts of the paper's loss."""

    triplet: Tensor  # trains φ: the ordinary triplet gradient, weighted
    selector: Tensor  # trains f, and φ through it


def weighted_losses(log_weight: Tensor, loss: Tensor, average: Tensor) -> WeightedLosses:
    """The paper's final loss, whose gradient to each of a triplet's three f is `w·(l − L_N)`:

        w = exp(f_x + f_z + f_z' − stop(log Σ_x + log Σ_z + log Σ_z'))
        triplet = mean(stop(w)·l),        selector = mean(w·(stop(l) − stop(L_N)))

    `log_weight` (B,) is `log w`, `loss` (B,) is `l`, `average` (B,) is `L_N`. Nothing is divided by the batch's own sum
    of weights: differentiating through such a sum would cancel `L_N` out of every gradient. An empty batch gives zeros.

    >>> import torch
    >>> f = torch.zeros(2, requires_grad=True)
    >>> parts = weighted_losses(f, torch.tensor([0.1, 0.9]), torch.tensor([0.5, 0.5]))
    >>> torch.autograd.grad(parts.selector, f)[0]  # w·(l − L)/B
    tensor([-0.2000,  0.2000])
    """
    size = max(len(loss), 1)
    weight = log_weight.exp()  # (B,)
    triplet = (weight.detach() * loss).sum() / size
    selector = (weight * (loss.detach() - average.detach())).sum() / size
    return WeightedLosses(triplet, selector)

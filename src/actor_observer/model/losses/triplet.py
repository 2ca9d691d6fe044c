"""The triplet loss: is the corresponding first-person frame nearer than the other one?"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

__all__ = ["TripletKind", "TripletLoss", "distance"]

TripletKind = Literal["sigmoid", "softplus"]
EPSILON = 1e-12  # inside the root: its gradient stays finite where two embeddings meet


def distance(a: Tensor, b: Tensor) -> Tensor:
    """The plain Euclidean distance of corresponding rows, in single precision at least.

    >>> distance(torch.tensor([[3.0, 0.0]]), torch.tensor([[0.0, 4.0]]))
    tensor([5.])
    """
    difference = wide(a) - wide(b)  # (B, D)
    return (difference.square().sum(dim=-1) + EPSILON).sqrt()  # (B,)


def wide(x: Tensor) -> Tensor:
    """Half precision made single; anything else as it is."""
    return x.float() if x.dtype in (torch.bfloat16, torch.float16) else x


class TripletLoss(nn.Module):
    """One loss for each triplet `(x, z, z')`, with `d⁺ = ‖x − z‖` and `d⁻ = ‖x − z'‖`:

        sigmoid:   l = e^d⁺ / (e^d⁺ + e^d⁻) = sigmoid(d⁺ − d⁻)        (the paper)
        softplus:  l = log(1 + e^(d⁺ − d⁻))

    Both are computed from the difference, so that large distances do not overflow.

    >>> x, z, z_neg = torch.zeros(1, 2), torch.zeros(1, 2), torch.tensor([[3.0, 4.0]])
    >>> TripletLoss()(x, z, z_neg)
    tensor([0.0067])
    """

    def __init__(self, kind: TripletKind = "sigmoid") -> None:
        super().__init__()
        if kind not in ("sigmoid", "softplus"):
            raise ValueError(f"the triplet loss is 'sigmoid' or 'softplus', not {kind!r}")
        self.kind = kind

    def forward(self, x: Tensor, z: Tensor, z_neg: Tensor) -> Tensor:
        difference = distance(x, z) - distance(x, z_neg)  # (B,)
        return torch.sigmoid(difference) if self.kind == "sigmoid" else functional.softplus(difference)

"""Recognition: what a labelled third-person frame shows."""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional

from actor_observer.model.losses.triplet import wide

__all__ = ["classification_loss"]


def classification_loss(scores: Tensor, label: Tensor) -> Tensor:
    """Softmax cross-entropy over (frame, label), with scores `s` (B, C):

        mean over frames of  −s_label + log Σ_c e^{s_c}

    A frame with several labels comes once with each. An empty batch gives zero, with a gradient (of zeros).

    >>> import torch
    >>> classification_loss(torch.zeros(3, 4), torch.tensor([0, 1, 2]))  # log 4
    tensor(1.3863)
    >>> classification_loss(torch.zeros(0, 4), torch.zeros(0, dtype=torch.int64))
    tensor(0.)
    """
    return functional.cross_entropy(wide(scores), label, reduction="sum") / max(len(label), 1)

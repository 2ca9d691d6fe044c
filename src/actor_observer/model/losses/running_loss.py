"""The running loss L that the selector compares each triplet with."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn

from actor_observer.model.losses.gather import gather, local_part
from actor_observer.model.losses.online import Groups, fold_log_mean, fold_mean
from actor_observer.model.losses.video_softmax import log_frame_weights

__all__ = ["LossAverage", "RunningLoss"]

LossAverage = Literal["global", "pair"]


class RunningLoss(nn.Module):
    """The weighted mean of the triplet losses so far (the paper's online loss layer):

        Σ_N = k·w + (1 − k)·Σ_{N−1},        L_N = (k·w·l + (1 − k)·Σ_{N−1}·L_{N−1}) / Σ_N

    and `Σ_1 = w`, `L_1 = l`. Each triplet reads L after it is folded in; the triplets of a batch, over all ranks, are
    folded one after the other. `average="global"` keeps one L for all triplets (the paper), `"pair"` one L for each of
    `pairs` pairs of videos. `k=None` means `k_n = 1/n`: the exact weighted mean of everything seen.

    In evaluation nothing is read or written, and ranks do not wait for each other: L is the exact weighted mean of the
    triplets given.

    >>> average = RunningLoss(k=0.5)
    >>> average(torch.zeros(2), torch.tensor([1.0, 3.0]))  # equal weights (log w = 0)
    tensor([1., 2.])
    """

    log_sum: Tensor
    loss: Tensor
    count: Tensor

    def __init__(self, k: float | None = 0.1, average: LossAverage = "global", pairs: int = 0) -> None:
        super().__init__()
        if k is not None and not 0 < k < 1:
            raise ValueError(f"k must lie between 0 and 1, not {k}")
        if average not in ("global", "pair"):
            raise ValueError(f"average must be 'global' or 'pair', not {average!r}")
        if average == "pair" and pairs < 0:
            raise ValueError(f"pairs must not be negative, not {pairs}")
        self.k, self.average = k, average
        groups = pairs if average == "pair" else 1
        self.register_buffer("log_sum", torch.zeros(groups))  # log Σ_N
        self.register_buffer("loss", torch.zeros(groups))  # L_N
        self.register_buffer("count", torch.zeros(groups, dtype=torch.int64))  # triplets folded in so far

    @torch.no_grad()
    def forward(self, log_weight: Tensor, loss: Tensor, pair: Tensor | None = None) -> Tensor:
        """`L_N` as each triplet reads it, from `log w`, `l` and (for `average="pair"`) the index of its pair."""
        if self.average == "pair" and pair is None:
            raise ValueError("one L for each pair needs the index of each triplet's pair")
        if not self.training:
            return weighted_mean(log_weight, loss, pair if self.average == "pair" else None)
        rows, dtype = len(loss), self.loss.dtype
        values = gather(torch.stack([log_weight.to(dtype), loss.to(dtype)], dim=1))  # (N, 2)
        key = gather(pair) if self.average == "pair" and pair is not None else values.new_zeros(len(values)).long()
        groups = Groups(key)
        log_weight, loss = groups.sort(values).unbind(1)
        k_n = groups.k_n(self.count, self.k, dtype)
        log_sum = fold_log_mean(groups, log_weight, k_n, self.log_sum)
        share = (k_n.log() + log_weight - log_sum).exp().clamp(max=1)  # k·w / Σ_N: the part of L_N that is new
        mean = fold_mean(groups, loss, share, self.loss)
        visit = groups.visit(self.count)
        groups.write(self.log_sum, log_sum)
        groups.write(self.loss, mean)
        groups.write(self.count, visit)
        return local_part(groups.unsort(mean), rows)


def weighted_mean(log_weight: Tensor, loss: Tensor, pair: Tensor | None = None) -> Tensor:
    """`Σwl / Σw` over all triplets, or over those of each one's pair; one number for each triplet.

    >>> weighted_mean(torch.tensor([3.0, 1.0]).log(), torch.tensor([0.0, 1.0]))
    tensor([0.2500, 0.2500])
    """
    share = log_frame_weights(log_weight, pair).exp()  # mean 1 in each group
    key = torch.zeros_like(loss, dtype=torch.int64) if pair is None else pair
    _, group, size = torch.unique(key, return_inverse=True, return_counts=True)
    total = loss.new_zeros(size.shape).index_add(0, group, share.to(loss.dtype) * loss)
    means: Tensor = (total / size)[group]
    return means

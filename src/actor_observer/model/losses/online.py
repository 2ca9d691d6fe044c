"""Running means folded a batch at a time, with the result of folding one element after the other.

Both online equations of the paper (VideoSoftmax and running loss) have the form

    Σ_n = k_n·v_n + (1 − k_n)·Σ_{n−1},        k_1 = 1

for every group (a video, or all triplets). One such step is a map `Σ → a·Σ + b`, and maps of this form compose to maps
of this form, so a batch is sorted by group and scanned by doubling: log2(N) steps on whole tensors. Nothing here waits
for the device: all shapes are known beforehand.
"""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["Groups", "fold_log_mean", "fold_mean"]


class Groups:
    """A batch sorted by group, in batch order within each group. Everything else here is in this sorted order.

    >>> groups = Groups(torch.tensor([7, 2, 7, 2, 2]))
    >>> groups.key.tolist(), groups.rank.tolist(), groups.end.tolist()
    ([2, 2, 2, 7, 7], [0, 1, 2, 0, 1], [2, 2, 2, 4, 4])
    >>> groups.unsort(groups.sort(torch.arange(5))).tolist()
    [0, 1, 2, 3, 4]
    """

    def __init__(self, key: Tensor) -> None:  # (N,) int64
        self.key, self.order = torch.sort(key, stable=True)
        place = torch.arange(len(key), device=key.device)
        self.rank = place - torch.searchsorted(self.key, self.key)  # how many of its group came before
        self.end = torch.searchsorted(self.key, self.key, right=True) - 1  # where the last of its group stands

    def sort(self, values: Tensor) -> Tensor:
        return values[self.order]

    def unsort(self, values: Tensor) -> Tensor:
        return torch.empty_like(values).scatter_(0, self.order, values)

    def k_n(self, count: Tensor, k: float | None, dtype: torch.dtype) -> Tensor:
        """`k_n` of each element: 1 at a group's first visit, then k (or 1/n where k is None)."""
        n = self.visit(count).to(dtype)  # (N,)
        later = 1 / n if k is None else torch.full_like(n, k)
        return torch.where(n == 1, torch.ones_like(later), later)

    def visit(self, count: Tensor) -> Tensor:
        """The n of each element: its 1-based position in its group, counting the `count` of earlier batches."""
        return count[self.key] + self.rank + 1

    def write(self, state: Tensor, values: Tensor) -> None:
        """Store each group's last value. All of a group write the same, so their order does not matter."""
        state.scatter_(0, self.key, values[self.end].to(state.dtype))


def fold_log_mean(groups: Groups, log_value: Tensor, k_n: Tensor, log_start: Tensor) -> Tensor:
    """`log Σ_n` after each element, from `log v`, `k_n` and the groups' `log Σ` before the batch.

    >>> two = torch.tensor([2.0, 4.0]).log()
    >>> groups = Groups(torch.tensor([0, 0]))
    >>> fold_log_mean(groups, two, torch.tensor([1.0, 0.5]), torch.zeros(1)).exp()
    tensor([2., 3.])
    """
    decay = torch.log1p(-k_n)  # log a; −∞ at a first visit, which forgets whatever stood there
    value = k_n.log() + log_value  # log b
    step = 1
    while step < len(value):
        inside = groups.rank >= step  # the element `step` places before belongs to the same group
        value = torch.where(inside, torch.logaddexp(value, decay + value.roll(step)), value)
        decay = torch.where(inside, decay + decay.roll(step), decay)
        step *= 2
    return torch.logaddexp(value, decay + log_start[groups.key])


def fold_mean(groups: Groups, value: Tensor, k_n: Tensor, start: Tensor) -> Tensor:
    """`Σ_n` after each element, of values of any sign; `k_n` between 0 and 1 keeps it between the values.

    >>> fold_mean(Groups(torch.tensor([0, 0])), torch.tensor([2.0, 4.0]), torch.tensor([1.0, 0.5]), torch.zeros(1))
    tensor([2., 3.])
    """
    decay, value = 1 - k_n, k_n * value
    step = 1
    while step < len(value):
        inside = groups.rank >= step
        value = torch.where(inside, value + decay * value.roll(step), value)
        decay = torch.where(inside, decay * decay.roll(step), decay)
        step *= 2
    return value + decay * start[groups.key]

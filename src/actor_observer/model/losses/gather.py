"""Gather a batch whose parts several processes hold, in the order of the ranks. A single process has it all."""

from __future__ import annotations

import torch
from torch import Tensor, distributed

__all__ = ["gather", "gather_keeping_gradient", "local_part", "sum_over_ranks", "world_size"]


def world_size() -> int:
    """How many processes train together; 1 without `torch.distributed`.

    >>> world_size()
    1
    """
    return distributed.get_world_size() if distributed.is_available() and distributed.is_initialized() else 1


def gather(part: Tensor) -> Tensor:
    """The whole batch `(R·N, …)` from each rank's part `(N, …)`: rank 0's rows, then rank 1's, … No gradient.

    Every rank must bring the same number of rows: the collective has no other way to know without waiting.

    >>> gather(torch.arange(3))
    tensor([0, 1, 2])
    """
    ranks = world_size()
    part = part.detach()
    if ranks == 1:
        return part
    if part.device.type == "cpu":  # the check would make a GPU wait; on a CPU it is free
        check_sizes(len(part), ranks)
    whole = part.new_empty((ranks * part.shape[0], *part.shape[1:]))
    distributed.all_gather_into_tensor(whole, part.contiguous())
    return whole


def check_sizes(rows: int, ranks: int) -> None:
    """Raise on every rank, instead of hanging on some, if the ranks bring different numbers of rows."""
    sizes = [torch.zeros(1, dtype=torch.int64) for _ in range(ranks)]
    distributed.all_gather(sizes, torch.tensor([rows]))
    if len({int(size) for size in sizes}) > 1:
        raise ValueError(f"the ranks bring {[int(size) for size in sizes]} rows; they must bring equally many")


def local_part(whole: Tensor, rows: int) -> Tensor:
    """The rows of a gathered batch that are this rank's.

    >>> local_part(torch.arange(4), 4)
    tensor([0, 1, 2, 3])
    """
    if world_size() == 1:
        return whole
    start = distributed.get_rank() * rows
    return whole[start : start + rows]


def gather_keeping_gradient(part: Tensor) -> Tensor:
    """`gather`, with a gradient to this rank's own rows (not to the others': those ranks have theirs).

    >>> gather_keeping_gradient(torch.ones(2, requires_grad=True)).requires_grad
    True
    """
    if world_size() == 1:
        return part
    whole, rows, rank = gather(part), part.shape[0], distributed.get_rank()
    return torch.cat([whole[: rank * rows], part, whole[(rank + 1) * rows :]])


def sum_over_ranks(value: Tensor) -> Tensor:
    """The sum of a tensor over all ranks. No gradient.

    >>> sum_over_ranks(torch.tensor(2.0))
    tensor(2.)
    """
    value = value.detach()
    if world_size() > 1:
        value = value.clone()
        distributed.all_reduce(value)
    return value

"""The context of a frame: the mean of φ over the seconds before and after it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional

from actor_observer.model.backbones.precision import doubled

__all__ = ["with_context"]


def with_context(phi: Tensor, times: Tensor, context: Sequence[float]) -> Tensor:  # (T, D) -> (T, D·(1 + 2·context))
    """Each frame's φ, and beside it the mean over the c seconds before and over those after it, for every c.

    The frame itself belongs to both; at the ends of the take there is less to take the mean of. Times rise.

    >>> phi, times = torch.tensor([[0.0], [2.0], [4.0]]), torch.tensor([0.0, 1.0, 2.0])
    >>> with_context(phi, times, [1.0])
    tensor([[0., 0., 1.],
            [2., 1., 3.],
            [4., 3., 4.]])
    """
    if not context:
        return phi
    sums = functional.pad(doubled(phi).cumsum(dim=0), (0, 0, 1, 0))  # (T + 1, D)
    times = times.to(sums.device)
    here = torch.arange(len(phi), device=sums.device)
    parts = [phi]
    for seconds in context:
        start = torch.searchsorted(times, times - seconds - 1e-6)
        end = torch.searchsorted(times, times + seconds + 1e-6)
        parts += [_mean(sums, start, here + 1).to(phi), _mean(sums, here, end).to(phi)]
    return torch.cat(parts, dim=1)


def _mean(sums: Tensor, start: Tensor, end: Tensor) -> Tensor:
    return (sums[end] - sums[start]) / (end - start)[:, None]

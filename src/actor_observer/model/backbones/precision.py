"""What numbers a device has."""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["doubled", "has_double", "precise"]


def has_double(device: str | torch.device) -> bool:
    """Whether a device has numbers of double precision: Apple's GPUs have none.

    >>> has_double("cpu"), has_double("mps")
    (True, False)
    """
    return torch.device(device).type != "mps"


def precise(device: str | torch.device) -> torch.dtype:
    """The most precise numbers that a device has.

    >>> precise("cpu"), precise("mps")
    (torch.float64, torch.float32)
    """
    return torch.float64 if has_double(device) else torch.float32


def doubled(numbers: Tensor) -> Tensor:
    """Numbers in double precision: where they are, or on the CPU if their device has none.

    >>> doubled(torch.ones(1)).dtype
    torch.float64
    """
    return (numbers if has_double(numbers.device) else numbers.cpu()).to(torch.float64)

"""What numbers a device has."""

from __future__ import annotations

import torch

__all__ = ["has_double"]


def has_double(device: str | torch.device) -> bool:
    """Whether a device has numbers of double precision: Apple's GPUs have none.

    >>> has_double("cpu"), has_double("mps")
    (True, False)
    """
    return torch.device(device).type != "mps"

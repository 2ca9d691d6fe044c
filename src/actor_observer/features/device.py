"""Where networks run."""

from __future__ import annotations

import torch

__all__ = ["best_device"]


def best_device(device: str = "auto") -> str:
    """The name of a device; "auto" is the GPU where there is one.

    >>> best_device("cpu")
    'cpu'
    """
    return ("cuda" if torch.cuda.is_available() else "cpu") if device == "auto" else device

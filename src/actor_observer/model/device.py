"""The device that networks run on."""

from __future__ import annotations

import torch

from actor_observer.errors import UserError, first_line

__all__ = ["best_device"]


def best_device(device: str = "auto") -> str:
    """The name of a device that can be used here; "auto" is the GPU if there is one, "gpu" another word for "cuda".

    "mps", Apple's GPU, is used where it is asked for: nobody has tried it yet, so "auto" does not choose it.

    >>> best_device("cpu")
    'cpu'
    >>> best_device("toaster")
    Traceback (most recent call last):
    actor_observer.errors.UserError: device toaster: cannot be used here (Expected one of cpu, cuda, ...
    """
    device = "cuda" if device == "gpu" else device
    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError) as error:  # the latter from a torch without CUDA
        raise UserError(f"device {device}: cannot be used here ({first_line(error)[:120]})") from None
    return device

"""The device that networks run on."""

from __future__ import annotations

import torch

from actor_observer.errors import UserError, first_line

__all__ = ["best_device"]

NAMES = "auto, cpu, cuda, cuda:1 … and mps"


def best_device(device: str = "auto") -> str:
    """The name of a device that can be used here; "auto" is the GPU if there is one, "gpu" another word for "cuda".

    "mps", Apple's GPU, is used where it is asked for: nobody has tried it yet, so "auto" does not choose it.

    >>> best_device("cpu")
    'cpu'
    >>> best_device("toaster")
    Traceback (most recent call last):
    actor_observer.errors.UserError: device toaster: cannot be used here (there are auto, cpu, cuda, cuda:1 … and mps)
    """
    device = "cuda" if device == "gpu" else device
    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.device(device)
    except RuntimeError:
        raise UserError(f"device {device}: cannot be used here (there are {NAMES})") from None
    try:
        torch.zeros(1, device=device).cpu()  # "meta" makes tensors, but there is nothing in them
    except (RuntimeError, AssertionError, ImportError) as error:  # AssertionError from a torch without CUDA
        why = first_line(error).partition(". ")[0]
        raise UserError(f"device {device}: cannot be used here ({why[:120]})") from None
    return device

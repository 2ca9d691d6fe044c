"""A network in a quarter of its size: weights as 8-bit differences from where they started."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import torch
from torch import Tensor

__all__ = ["pack", "unpack"]

_STEPS, _SCALE = ".steps", ".scale"  # what a name is followed by: int8 steps, and the size of a step in each row
_HALF = ".half"  # a difference in half precision


def pack(tensors: Mapping[str, Tensor], start: Mapping[str, Tensor], weights: Collection[str]) -> dict[str, Tensor]:
    """Tensors as differences from `start` (from zero where that has no such name); equal ones are left out.

    `weights` names those that become 8-bit steps, each row with a step of its own; what is left of the others (biases,
    statistics) is kept in half precision.

    >>> start = {"a": torch.ones(2, 3), "b": torch.ones(4)}
    >>> packed = pack({"a": torch.full((2, 3), 1.5), "b": torch.ones(4)}, start, {"a"})
    >>> sorted(packed), unpack(packed, start)["a"][0].tolist()
    (['a.scale', 'a.steps'], [1.5, 1.5, 1.5])
    """
    packed = {}
    for name, tensor in tensors.items():
        change = tensor - start[name] if name in start else tensor
        if name in start and not change.any():
            continue
        if not tensor.is_floating_point():
            packed[name] = tensor
        elif name in weights and tensor.ndim > 1:
            rows = change.flatten(1)
            scale = rows.abs().amax(dim=1).clamp(min=torch.finfo(torch.float32).tiny) / 127  # (rows,)
            packed[name + _STEPS] = (rows / scale[:, None]).round().to(torch.int8).view(change.shape)
            packed[name + _SCALE] = scale
        else:
            packed[name + _HALF] = change.half()
    return packed


def unpack(packed: Mapping[str, Tensor], start: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors that `pack` was given, as closely as it kept them.

    >>> unpack({"b.half": torch.zeros(1).half()}, {"b": torch.ones(1)})
    {'b': tensor([1.])}
    """
    tensors = dict(start)
    for key, value in packed.items():
        if key.endswith(_SCALE):
            continue
        name = key.removesuffix(_STEPS).removesuffix(_HALF)
        change = value
        if key.endswith(_STEPS):
            scale = packed[name + _SCALE]
            change = value.float() * scale.view(-1, *[1] * (value.ndim - 1))
        elif key.endswith(_HALF):
            change = value.float()
        tensors[name] = start[name] + change if name in start and change.is_floating_point() else change
    return tensors


def is_packed(names: Collection[str]) -> bool:
    """Whether these are names that `pack` gave.

    >>> is_packed(["backbone.conv1.weight"])
    False
    """
    return any(name.endswith((_STEPS, _HALF)) for name in names)

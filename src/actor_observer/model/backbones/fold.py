"""Faster inference without a change in the result: batch norm folded into the convolution before it, channels last."""

from __future__ import annotations

import copy
import re
from itertools import pairwise
from typing import TypeVar

import torch
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from actor_observer.model.backbones.backbone import Backbone

__all__ = ["for_inference"]

M = TypeVar("M", bound=nn.Module)


def for_inference(model: M, device: str | torch.device = "cpu") -> M:
    """A copy of a backbone (or of a whole network) in evaluation mode, made fast; the original stays as it is.

    A folded copy cannot be trained or saved; a folded backbone is given back as it is. On a GPU it is meant to run
    under autocast to bfloat16. Backbones of other libraries are left unfolded: what looks like a norm after a
    convolution there may be more than that.

    >>> from actor_observer.model.backbones.resnet import ResNet
    >>> backbone, frames = ResNet("resnet18").eval(), torch.rand(1, 3, 64, 64)
    >>> fast = for_inference(backbone)
    >>> any(isinstance(module, nn.BatchNorm2d) for module in fast.modules())
    False
    >>> torch.allclose(fast(frames), backbone(frames), atol=1e-5), for_inference(fast) is fast
    (True, True)
    """
    if isinstance(model, Backbone) and model.folded and _device_of(model) == torch.device(device).type:
        return model
    fast = copied_to(model, torch.device(device)).eval()
    for backbone in [module for module in fast.modules() if isinstance(module, Backbone) and module.plain]:
        for module in backbone.modules():
            fold_children(module)
        backbone.folded = True
        if torch.device(device).type == "cuda":
            ready_for_autocast(backbone)
    channels_last(fast)
    return fast


def copied_to(model: M, device: torch.device) -> M:
    """A copy of a network on a device, which cannot be trained. No weight is copied on the way there as well.

    >>> layer = nn.Linear(3, 2)
    >>> copied_to(layer, torch.device("meta")).weight.device, layer.weight.device
    (device(type='meta'), device(type='cpu'))
    """
    there: dict[int, Tensor] = {}  # what `deepcopy` takes as copied already, by the original
    for weight in model.parameters():
        there[id(weight)] = nn.Parameter(weight.detach().to(device, copy=True), requires_grad=False)
    for buffer in model.buffers():
        there[id(buffer)] = buffer.detach().to(device, copy=True)
    return copy.deepcopy(model, there)


def channels_last(model: nn.Module) -> None:
    """Order a network's weights so that colours lie next to each other, in place; convolutions over time stay.

    >>> layer = nn.Conv2d(3, 2, 3)
    >>> channels_last(layer); layer.weight.stride()
    (27, 1, 9, 3)
    """
    for weight in model.parameters():
        if weight.ndim == 4:
            weight.data = weight.data.contiguous(memory_format=torch.channels_last)


def _device_of(model: nn.Module) -> str:
    return next(model.parameters()).device.type


def ready_for_autocast(model: nn.Module) -> None:
    """Weights as autocast would make them, once: it makes them anew for every batch, which costs as much as running.

    >>> layer, numbers = nn.Linear(8, 4), torch.rand(2, 8)
    >>> with torch.autocast("cpu", torch.bfloat16):
    ...     before = layer(numbers)
    ...     ready_for_autocast(layer)
    ...     torch.equal(layer(numbers), before)
    True
    """
    for module in model.modules():
        if isinstance(module, (nn.Conv2d, nn.Linear)):
            module.to(torch.bfloat16)


def fold_children(parent: nn.Module) -> None:
    """Fold each batch norm of one module into its convolution: neighbours in a Sequential, else conv1 and bn1, …"""
    children = dict(parent.named_children())
    names = list(children)
    if isinstance(parent, nn.Sequential):
        partners = list(pairwise(names))
    else:
        partners = [(name, re.sub("^conv", "bn", name)) for name in names if re.fullmatch(r"conv\d", name)]
    for conv_name, norm_name in partners:
        conv, norm = children[conv_name], children.get(norm_name)
        if isinstance(conv, nn.Conv2d) and isinstance(norm, nn.BatchNorm2d):
            setattr(parent, conv_name, fuse_conv_bn_eval(conv, norm))
            setattr(parent, norm_name, nn.Identity())

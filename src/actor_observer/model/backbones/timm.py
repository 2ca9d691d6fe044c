"""Backbones of timm, where it is installed: `timm:NAME`. Those of transformers are in `hf.py`."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from actor_observer.errors import UserError
from actor_observer.model.backbones.backbone import Backbone, Normalise

__all__ = ["Timm"]


class Timm(Backbone):
    """A model of `timm`, without its class scores.

    >>> import torch
    >>> from torch import nn
    >>> model = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten())
    >>> model.num_features = 3
    >>> Timm(model)(torch.rand(2, 3, 8, 8)).shape
    torch.Size([2, 3])
    """

    def __init__(self, model: Any) -> None:
        settings = getattr(model, "pretrained_cfg", None) or {}
        mean, std = (settings.get(key) for key in ("mean", "std"))
        super().__init__(int(model.num_features), Normalise(mean, std) if mean and std else None)
        self.model = model

    def forward(self, frames: Tensor) -> Tensor:
        features: Tensor = self.model(self.normalise(frames))  # (B, D)
        return features


def timm_backbone(name: str, pretrained: bool = True) -> Backbone:
    """`timm`'s model NAME."""
    try:
        import timm
    except (ImportError, RuntimeError):  # timm needs torchvision, which fails to import beside another torch
        raise UserError(f"timm:{name} needs timm, and a torchvision that fits this torch") from None
    try:
        return Timm(timm.create_model(name, pretrained=pretrained, num_classes=0))
    except Exception as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise UserError(f"timm:{name} cannot be had: {reason}") from error

"""Backbones of timm: used where it is installed."""

import sys
from types import SimpleNamespace

import pytest
import torch
from torch import Tensor, nn

from actor_observer.errors import UserError
from actor_observer.model.backbones.registry import create_backbone


class FakeTimm(nn.Module):
    num_features = 5

    def __init__(self) -> None:
        super().__init__()
        self.pretrained_cfg = {"mean": (0.5, 0.5, 0.5), "std": (0.5, 0.5, 0.5)}

    def forward(self, x: Tensor) -> Tensor:
        return x.mean(dim=(1, 2, 3), keepdim=False)[:, None].expand(-1, 5)


def test_timm_models_are_used_without_their_head(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def create_model(name: str, pretrained: bool, num_classes: int) -> nn.Module:
        asked.append((name, pretrained, num_classes))
        return FakeTimm()

    monkeypatch.setitem(sys.modules, "timm", SimpleNamespace(create_model=create_model))
    backbone = create_backbone("timm:tiny", pretrained=False)
    assert asked == [("tiny", False, 0)]
    torch.testing.assert_close(backbone(torch.ones(2, 3, 4, 4)), torch.ones(2, 5))


def test_timm_without_such_a_model_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "timm", SimpleNamespace(create_model=lambda *_, **__: 1 / 0))
    with pytest.raises(UserError, match="timm:tiny cannot be had: division by zero"):
        create_backbone("timm:tiny")

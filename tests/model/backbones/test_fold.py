"""Folded networks give the same numbers, in another layout, and leave the original alone."""

import pytest
import torch
from torch import nn

from actor_observer.model.backbones.backbone import Backbone
from actor_observer.model.backbones.fold import for_inference
from actor_observer.model.backbones.registry import create_backbone
from actor_observer.model.config import NetworkConfig
from actor_observer.model.network import ActorObserverNet


def shake(module: nn.Module) -> None:
    """Batch norm as it is after training: no statistic at its first value."""
    for norm in module.modules():
        if isinstance(norm, nn.BatchNorm2d):
            nn.init.normal_(norm.running_mean, 0, 0.1)  # type: ignore[arg-type]
            nn.init.uniform_(norm.running_var, 0.5, 2)  # type: ignore[arg-type]
            nn.init.uniform_(norm.weight, 0.5, 1.5)
            nn.init.normal_(norm.bias, 0, 0.1)


@pytest.mark.parametrize("name", ["resnet18", "resnet50", "mobilenet_v2"])
def test_folded_equals_unfolded(name: str) -> None:
    backbone = create_backbone(name, pretrained=False).eval()
    shake(backbone)
    frames = torch.rand(2, 3, 64, 64)
    with torch.no_grad():
        plain = backbone(frames)
        fast = for_inference(backbone)
        torch.testing.assert_close(fast(frames) / plain.abs().max(), plain / plain.abs().max(), rtol=0, atol=1e-5)
    assert not [module for module in fast.modules() if isinstance(module, nn.BatchNorm2d)]
    assert [module for module in backbone.modules() if isinstance(module, nn.BatchNorm2d)]


def test_a_folded_network_embeds_alike_and_refuses_to_be_saved(tmp_path: object) -> None:
    network = ActorObserverNet(NetworkConfig(backbone="resnet18"), pretrained=False).eval()
    fast, frames = for_inference(network), torch.rand(2, 3, 64, 64)
    for view in ("third", "first"):
        torch.testing.assert_close(fast(frames, view).features, network(frames, view).features, rtol=1e-4, atol=1e-4)
    with pytest.raises(ValueError, match="cannot be saved"):
        fast.save_pretrained(str(tmp_path))


def test_a_backbone_of_another_library_is_not_folded() -> None:
    """Its norm may come before the convolution, or do more than a norm."""

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.bn1, self.conv1 = nn.BatchNorm2d(3), nn.Conv2d(3, 3, 3)

        def forward(self, frames: torch.Tensor) -> torch.Tensor:
            return self.conv1(torch.relu(self.bn1(frames)))

    class Theirs(Backbone):
        def __init__(self) -> None:
            super().__init__(3)
            self.block = Block()

        def forward(self, frames: torch.Tensor) -> torch.Tensor:
            return self.block(self.normalise(frames)).mean(dim=(2, 3))

    backbone, frames = Theirs().eval(), torch.rand(2, 3, 16, 16)
    shake(backbone)
    with torch.no_grad():
        torch.testing.assert_close(for_inference(backbone)(frames), backbone(frames))
